#pragma once
// The one shape of every read's answer. A query orders its items and knows how to write each; paging, streaming and
// cursors treat all methods alike and write only the items they send.

#include "graph/snapshot/snapshot.hpp"
#include "schema/base/error.hpp"
#include "schema/base/interrupt.hpp"
#include "schema/json/writer.hpp"

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace whence::queries {

/// Why an answer does not hold all there is. Paging adds `limit`, the clock `timeout`.
enum class Incomplete : std::uint8_t { no, depth, nodes, limit };

std::string_view name_of(Incomplete reason) noexcept;

/// One list member of an answer, its items written on demand.
struct List {
  std::string_view name;  ///< "nodes"
  std::size_t size = 0;
  /// Writes items [begin, end) one after the other, each a JSON value. May fail with `corrupt` when it reads records.
  std::function<Result<void>(schema::json::Writer&, std::size_t begin, std::size_t end)> write;
};

/// Items that travel with items of the first list: an edge with the page of its farther node.
struct Attached {
  std::string_view name;             ///< "edges"
  std::vector<std::size_t> anchors;  ///< per item, the position in `lists[0]` it goes with; any order
  std::function<Result<void>(schema::json::Writer&, std::size_t item)> write;
};

/// Immutable once made; shared between the pages of one cursor.
struct Answer {
  std::vector<List> lists = {};  ///< paged as one sequence, in order
  std::vector<Attached> attached = {};
  Incomplete incomplete = Incomplete::no;
  /// Writes members beside the lists ("counts", "manifest", ...) into the open result object.
  std::function<void(schema::json::Writer&)> write_members = {};
  /// The vertices asked about and all that the answer shows, in any order, each perhaps more than once: what an export
  /// of this answer holds. Only of answers that are parts of the graph.
  std::function<Result<std::vector<graph::VertexId>>(schema::Interrupt const&)> vertices = {};
};

}  // namespace whence::queries
