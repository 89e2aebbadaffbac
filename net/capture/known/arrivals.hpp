#pragma once
// New spans, messages and ratings join what is known of their traces.

#include "net/capture/known/plain_spans.hpp"
#include "net/capture/known/traces.hpp"
#include "net/capture/spans/captured.hpp"
#include "net/capture/trace/facts.hpp"
#include "schema/base/error.hpp"
#include "schema/checks/embedding_models.hpp"

#include <cstddef>
#include <deque>
#include <map>
#include <span>

namespace whence::net::capture {

inline constexpr std::size_t trace_spans_max = 4096;  ///< that become records, of one trace
inline constexpr std::size_t trace_logs_max = 4096;   ///< messages and ratings that came as log records, of one trace

/// Of one derivation: `Traces::fresh` leads to spans that are kept here. A span or log record that is known changes
/// nothing; one beyond the bounds is rejected. All fail as `Traces::state_of`.
class Arrivals {
 public:
  Arrivals(Traces& all, PlainSpans& plain, schema::EmbeddingModels const& models)
      : all_(all), plain_(plain), models_(models) {}

  /// Adds a span with its ratings, its own record and, but for a tool's, those made of it alone.
  [[nodiscard]] Result<void> add_span(CapturedSpan const& span);
  /// The messages of a request: those of one moment that came with it are behind those that came before.
  [[nodiscard]] Result<void> add_messages(Captured const& captured);
  /// Adds a message or a rating of a span; of none where a rating names a response.
  [[nodiscard]] Result<void> add_log(SpanName const& of, LogFacts facts);
  /// Plain spans that something of ours is below: of these requests, and of earlier ones.
  [[nodiscard]] Result<void> add_plain(std::span<Captured const* const> captured);
  /// Agents in other processes whose answer log records say are calls.
  void answer_remote();
  /// Parents and links that are not known get a record without content, so that relations can lead to them.
  void mention_others();

 private:
  /// Joins a call to those that gave a response, or items of one, of the same ids.
  Result<void> name_response(SpanName const& call, SpanFacts& facts);

  Traces& all_;
  PlainSpans& plain_;
  schema::EmbeddingModels const& models_;
  std::deque<CapturedSpan> kept_plain_;             // links in the chain of parents, which `fresh` leads to
  std::map<SpanName, std::size_t> remote_records_;  // places of the records of new agents in other processes
};

}  // namespace whence::net::capture
