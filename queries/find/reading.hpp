#pragma once
// The records of a view one by one, for walks over the graph that ask for few of them.

#include "graph/removal/of_person.hpp"
#include "graph/snapshot/records.hpp"
#include "queries/view/view.hpp"

#include <cstddef>
#include <optional>
#include <utility>

namespace whence::queries {

/// Refers to the view.
[[nodiscard]] inline graph::ReadRecord reading(View const& view) {
  return [&view](VertexId vertex) -> Result<std::optional<schema::Record>> {
    std::optional<schema::Record> found;
    auto const read =
        graph::read_those_there(view.snapshot, *view.records, {&vertex, 1}, [&](std::size_t, schema::Record&& record) {
          found = std::move(record);
          return true;
        });
    if (!read) return read.error();
    return found;
  };
}

}  // namespace whence::queries
