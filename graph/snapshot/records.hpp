#pragma once
// Whole records as of a snapshot: stored contents folded, and completed with what the graph holds.

#include "graph/snapshot/snapshot.hpp"
#include "schema/base/error.hpp"
#include "schema/records/record_reader.hpp"
#include "schema/records/records.hpp"

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <variant>
#include <vector>

namespace whence::graph {

/// What a response used as of `snapshot`, in the order in which it named it. Sources deleted since are among it: what a
/// response says never changes.
[[nodiscard]] std::vector<schema::ContextReference> uses_of(Snapshot const& snapshot, VertexId response);

/// What a vertex says, or why nothing is left of it. It is no record: a reader that does not ask does not compile.
class Said {
 public:
  explicit Said(schema::Record&& record) : said_{std::move(record)} {}
  explicit Said(GoneWhy why) : said_{why} {}

  /// Null where it is gone.
  [[nodiscard]] schema::Record* find() noexcept { return std::get_if<schema::Record>(&said_); }
  [[nodiscard]] schema::Record const* find() const noexcept { return std::get_if<schema::Record>(&said_); }
  /// Nothing where it is there.
  [[nodiscard]] std::optional<GoneWhy> gone() const noexcept {
    auto const* const why = std::get_if<GoneWhy>(&said_);
    return why == nullptr ? std::nullopt : std::optional{*why};
  }

 private:
  std::variant<schema::Record, GoneWhy> said_;
};

using SaidVisit = std::function<bool(std::size_t, Said&&)>;

/// What each vertex says as of `snapshot`, in the order given. `visit` gets the position in `vertices` and the whole
/// record, or why it is gone; it returns false to stop. Vertices may be deleted ones, which say what they said last.
/// One call of `reader`, whatever the number; fails as `RecordReader::read`.
[[nodiscard]] Result<void> read_records(Snapshot const& snapshot, schema::RecordReader const& reader,
                                        std::span<VertexId const> vertices, SaidVisit const& visit);

/// As `read_records`, without those that are gone: for readers to whom these have nothing to say.
[[nodiscard]] Result<void> read_those_there(Snapshot const& snapshot, schema::RecordReader const& reader,
                                            std::span<VertexId const> vertices,
                                            std::function<bool(std::size_t, schema::Record&&)> const& visit);

}  // namespace whence::graph
