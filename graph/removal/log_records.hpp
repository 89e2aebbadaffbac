#pragma once
// Log records of telemetry whose texts are those of certain calls, where others' calls are in the same trace or the
// record is in another one.

#include "graph/removal/read_record.hpp"
#include "graph/snapshot/snapshot.hpp"
#include "schema/base/error.hpp"
#include "schema/base/ids.hpp"

#include <cstdint>
#include <functional>
#include <unordered_set>
#include <vector>

namespace whence::graph {

/// Belongs to one thread; what it is given outlives it.
class LogRecords {
 public:
  LogRecords(Snapshot const& known, ReadRecord const& read) : known_{known}, read_{read} {}

  /// A span of such a call: ratings name it by the id that its provider gave the response.
  void note_span(schema::VertexId span);

  /// A trace with such calls and others. Its log records say which span they are of; each is read once.
  Result<void> note_shared(schema::VertexId trace);

  enum class Which : std::uint8_t { all, answers };  ///< also what was asked; answers and ratings alone

  /// Those of spans that are `is_own`, and ratings of calls all of whose answers are.
  [[nodiscard]] std::vector<schema::VertexId> find(Which which,
                                                   std::function<bool(schema::VertexId)> const& is_own) const;

 private:
  struct Noted {
    schema::VertexId log;
    schema::VertexId span;
    bool is_answer;  // or a rating
  };

  Snapshot const& known_;
  ReadRecord const& read_;
  std::vector<Noted> of_spans_;
  std::vector<schema::VertexId> named_;         // responses by their providers' ids
  std::unordered_set<std::uint32_t> is_noted_;  // traces and what is in `named_`, by number
};

/// Adds the log records that have the texts of answers among `named`, and their ratings. O(the traces of these).
[[nodiscard]] Result<void> add_log_records(Snapshot const& known, ReadRecord const& read,
                                           std::vector<schema::VertexId>& named);

/// The responses whose answer `log` tells or which it rates: those of the span that it names, and those of the id of
/// its provider. Empty where it is no such log record. O(its neighbours) after a read of it; fails as `read`.
[[nodiscard]] Result<std::vector<schema::VertexId>> find_told(Snapshot const& known, ReadRecord const& read,
                                                              schema::VertexId log);

}  // namespace whence::graph
