#pragma once
// How queries get at what a record says beyond the graph, without knowing the store.

#include "schema/error.hpp"
#include "schema/ids.hpp"
#include "schema/records.hpp"

#include <functional>
#include <span>
#include <string>
#include <vector>

namespace whence::schema {

/// Reads stored content. The store keeps identity and weighted references once, in the graph's rows, so a record comes
/// back without its `id` and without a response's `context_units`; `complete` puts them in. Callable from any thread.
class RecordReader {
 public:
  virtual ~RecordReader() = default;

  /// The content of each vertex, in the order given, in one short read transaction per thousand. `visit` gets the
  /// position in `vertices` and a record that lacks what the graph holds; it returns false to stop. Fails with
  /// `corrupt` where a vertex has no content or it does not decode.
  [[nodiscard]] virtual Result<void> read(std::span<VertexId const> vertices,
                                          std::function<bool(std::size_t, Record&&)> const& visit) const = 0;
};

/// Puts back what the graph holds: the id, and for a response what it used, in order.
void complete(Record& record, std::string id, std::vector<ContextReference> context_units);

}  // namespace whence::schema
