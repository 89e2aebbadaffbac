#pragma once
// The values of indexed fields in memory, by type in order of commit: nodes are found by them without reading records.

#include "graph/image/image.hpp"
#include "graph/snapshot/snapshot.hpp"
#include "schema/base/error.hpp"
#include "schema/base/poll.hpp"
#include "schema/records/record_reader.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace whence::graph {

/// A condition on one indexed field.
struct ColumnCondition {
  std::string_view field;                                 ///< a text of `schema::indexed_fields` of the type
  std::span<std::string const> equals = {};               ///< holds for these texts; or, where there are none:
  std::function<bool(std::string_view)> holds = nullptr;  ///< whether it holds for a text
};

/// What a search is asked for.
struct ColumnAsked {
  bool only_count = false;
  std::size_t first_by_id = 0;  ///< how many of the matches are wanted in the order of their ids
  bool is_descending = false;   ///< in the opposite order
};

/// What columns say of a search. All lists are in order of vertices.
struct ColumnMatches {
  std::uint64_t count = 0;             ///< visible vertices for which all conditions hold
  std::vector<VertexId> found = {};    ///< these, where they were asked for
  std::vector<VertexId> unknown = {};  ///< visible vertices of which the columns know too little: their records decide
  /// What the first of `found` by id are among: the first of those that have a place in the order of ids, and those
  /// that have none yet. Nothing where that was not asked for, or is not quick to find.
  std::optional<std::vector<VertexId>> first = {};
};

/// How many different values a column keeps as they are, and how many bytes of them: at least the first of each pair,
/// more where the rows are many.
struct ColumnRoom {
  std::size_t values_min = 65'536;
  std::size_t rows_a_value = 4;
  std::size_t bytes_min = std::size_t{8} << 20U;
  std::size_t bytes_a_row = 16;
};

struct ColumnFigures {
  std::uint64_t bytes = 0;   ///< memory, about
  std::uint64_t rows = 0;    ///< vertices with values, those of deleted ones included
  std::uint64_t values = 0;  ///< different values
  bool is_built = false;     ///< searches use them: an image was taken, or all that was there at the start was read
  double build_seconds = 0;  ///< how long that took
  /// Vertices whose values left the memory as their contents went.
  std::uint64_t rows_lost = 0;
};

/// Columns of the fields in `schema::indexed_fields`: of texts a number of four bytes for each vertex of the type, and
/// each different value once; of numbers eight bytes for each vertex; and for each type its vertices in the order of
/// their ids, four bytes each. One thread calls `follow`; any thread asks meanwhile and waits for nothing but for a
/// look at the values.
///
/// Answers are exact at every moment. What `follow` has not read yet, what has other values at other moments, and what
/// has lost a content is `unknown`: the caller reads those records. Values beyond the room are kept as a hash of 31
/// bits; vertices whose hash is that of an asked value are `unknown`, too.
///
/// Values of contents that are gone leave the memory at the next `follow`. A vertex with more than 64 revisions is
/// always `unknown`.
class FieldColumns {
 public:
  explicit FieldColumns(ColumnRoom const& room = {});
  ~FieldColumns();
  FieldColumns(FieldColumns const&) = delete;
  FieldColumns& operator=(FieldColumns const&) = delete;

  /// Reads what came up to `snapshot`, which is not older than that of the call before. Ends early where `stop` is
  /// requested. Fails as `RecordReader::read`: then it has taken what came before the failure. O(what is new); where
  /// contents went, O(rows).
  [[nodiscard]] Result<void> follow(Snapshot const& snapshot, schema::RecordReader const& reader,
                                    std::stop_token const& stop = {});

  /// Writes all that `follow`, which read all of `snapshot`, has made: texts of records too. Of the thread that
  /// follows. False where the sink ended it, where `follow` has not come to that snapshot's transaction, or where
  /// contents went since. O(rows).
  [[nodiscard]] bool write_image(Snapshot const& snapshot, ImageSink& sink) const;
  /// Begins with an image of an earlier transaction of `snapshot`'s graph, before `follow`; others may ask meanwhile,
  /// and are answered from then on. False, and nothing changes, where it has hashes of a graph of another key or is no
  /// image. O(rows).
  [[nodiscard]] bool take_image(Snapshot const& snapshot, std::span<std::byte const> image);
  /// Distinguishes images of one layout from all others.
  [[nodiscard]] static std::uint64_t image_layout() noexcept;

  /// The vertices of `type` for which all `conditions` hold, at least one. Nothing where the columns are not built yet.
  /// Fails as `poll` says. O(rows of the type), about a nanosecond each.
  [[nodiscard]] Result<std::optional<ColumnMatches>> find(Snapshot const& snapshot, RecordType type,
                                                          std::span<ColumnCondition const> conditions,
                                                          ColumnAsked const& asked, schema::Poll& poll) const;

  /// The same among `vertices`, visible ones of `type`, ascending.
  [[nodiscard]] Result<std::optional<ColumnMatches>> filter(Snapshot const& snapshot, RecordType type,
                                                            std::span<ColumnCondition const> conditions,
                                                            std::span<VertexId const> vertices,
                                                            schema::Poll& poll) const;

  /// Calls `visit(i, text)` for each of `vertices`, of `type`, whose text in `field` the columns know; nothing where it
  /// has none. The places of the others are returned. Quick where `vertices` are ascending. A text is valid during the
  /// call. Fails as `poll` says.
  [[nodiscard]] Result<std::vector<std::size_t>> read(
      Snapshot const& snapshot, RecordType type, std::string_view field, std::span<VertexId const> vertices,
      schema::Poll& poll, std::function<void(std::size_t, std::optional<std::string_view> const&)> const& visit) const;

  /// The same of a field of numbers.
  [[nodiscard]] Result<std::vector<std::size_t>> read_numbers(
      Snapshot const& snapshot, RecordType type, std::string_view field, std::span<VertexId const> vertices,
      schema::Poll& poll, std::function<void(std::size_t, std::optional<double>)> const& visit) const;

  [[nodiscard]] ColumnFigures figures() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace whence::graph
