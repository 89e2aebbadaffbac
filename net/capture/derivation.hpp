#pragma once
// From captured spans and the graph to records: what net/capture/README.md calls derivation.
//
// Invariants: 1. what is derived is a function of the set of spans, messages and ratings known of a trace, whatever the
// order in which they came, but for what README.md says of causes. 2. a span that is known changes nothing. 3. causes
// of a response come before it: what is made from spans has no cycle.

#include "graph/snapshot/snapshot.hpp"
#include "net/capture/captured.hpp"
#include "schema/base/error.hpp"
#include "schema/checks/embedding_models.hpp"
#include "schema/records/check.hpp"
#include "schema/records/record_reader.hpp"
#include "schema/types/ref.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace whence::net::capture {

inline constexpr std::size_t trace_spans_max = 4096;  ///< that become records, of one trace
inline constexpr std::size_t trace_logs_max = 4096;   ///< messages and ratings that came as log records, of one trace

/// Spans of other kinds that came lately: where something of ours is below one that came before it, it is a link in the
/// chain of parents. For one thread at a time.
class PlainSpans {
 public:
  /// Keeps a span until 50,000 others have come.
  void add(PlainSpan span);
  /// Null where it is not known. Until the next `add`.
  [[nodiscard]] PlainSpan const* find(SpanName const& name) const;

 private:
  static constexpr std::size_t spans_max = 50'000;
  std::map<SpanName, PlainSpan> spans_;
  std::deque<SpanName> order_;
};

/// What has to be written.
struct Derived {
  std::vector<schema::IncomingRecord> records = {};
  std::vector<schema::NodeRef> deletes = {};  ///< after the records: responses that another span of theirs repeats, and
                                              ///< messages whose own source came
  std::uint64_t rejected = 0;                 ///< spans and log records beyond the bounds
  std::string why = {};                       ///< a sentence; empty where nothing was rejected
};

/// The records that make the graph hold `captured`, beside what `snapshot` has of the same traces. `plain` has the
/// plain spans of earlier requests, and gets those of these. Fails as `RecordReader::read`, and with `busy` soon after
/// `must_end`, which may be empty, says so. O(what is captured, and what is known of its traces).
[[nodiscard]] Result<Derived> derive(std::span<Captured const* const> captured, graph::Snapshot const& snapshot,
                                     schema::RecordReader const& reader, schema::EmbeddingModels const& models,
                                     PlainSpans& plain, std::function<bool()> const& must_end = {});

}  // namespace whence::net::capture
