#pragma once
// Calls that are no responses: an inner one repeats what they answered, or they only wrap one.

#include "net/capture/known/answers.hpp"
#include "net/capture/known/traces.hpp"
#include "net/capture/trace/trace_state.hpp"
#include "schema/base/error.hpp"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace whence::net::capture {

/// Calls whose answer a call within them gives too: instrumentations of a framework and of the client below it both
/// report one. Of one derivation, once all spans are added.
class OuterCalls {
 public:
  OuterCalls(Traces& all, Answers const& answers) : all_(all), answers_(answers) {}

  /// Finds them in the traces in hand. What follows from one may bring in further traces, whose own are then found too.
  /// Fails as `Traces::state_of`.
  [[nodiscard]] Result<void> find_repeated();

  /// Whether a call is no response: an inner one repeats it, or it only wraps one.
  [[nodiscard]] bool is_outer(SpanName const& name) const {
    return repeated_.contains(name) || wrappers_.contains(name) || untold_.contains(name);
  }
  /// The calls directly within one that say nothing of their prompt, where that says its own, with the same answer or
  /// of a kind that is only part of a call: they are the same call.
  [[nodiscard]] std::vector<SpanName> const& untold_within(SpanName const& name) const {
    static std::vector<SpanName> const none;
    auto const found = untold_within_.find(name);
    return found == untold_within_.end() ? none : found->second;
  }
  /// Whether a call has no answer of its own and a call below.
  [[nodiscard]] bool is_wrapper(SpanName const& name) const { return wrappers_.contains(name); }
  /// The innermost call that gives the same answer; null: none does.
  [[nodiscard]] SpanName const* inner_of(SpanName const& name) const {
    auto const found = repeated_.find(name);
    return found == repeated_.end() ? nullptr : &found->second;
  }

 private:
  /// Notes the outer calls of a trace: each that a call below it gives the same answer as, for which the innermost such
  /// call is, the wrappers: each that has no answer of its own and a call below, and the untold calls within one. One
  /// walk down from the roots.
  void note_repeated(std::string const& trace, TraceState const& state);
  void note_untold(SpanName const& outer, SpanName const& inner);
  /// The response of a call that an inner one repeats goes, where there is one. A call that had it as a cause through a
  /// link, or rated it by its id, has the inner one now.
  Result<void> remove_response(SpanName const& outer);

  Traces& all_;
  Answers const& answers_;
  std::set<SpanName> wrappers_;  // calls without an answer that have a call below
  std::set<SpanName> untold_;    // calls without a prompt in one that has it
  std::map<SpanName, std::vector<SpanName>> untold_within_;
  std::map<SpanName, SpanName> repeated_;  // an outer call, the innermost that gives the same answer
};

}  // namespace whence::net::capture
