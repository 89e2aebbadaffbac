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
  /// The calls directly within one that are the same call and say less: nothing of their prompt, where that says its
  /// own, with the same answer or of a kind that is only part of a call; or no answer, with the provider's id, the
  /// tokens of the model or the end of the prompt that it has.
  [[nodiscard]] std::vector<SpanName> const& untold_within(SpanName const& name) const {
    static std::vector<SpanName> const none;
    auto const found = untold_within_.find(name);
    return found == untold_within_.end() ? none : found->second;
  }
  /// Whether a call has no answer of its own, or one that yields, and a call directly below.
  [[nodiscard]] bool is_wrapper(SpanName const& name) const { return wrappers_.contains(name); }
  /// The call whose response stands for one that is none: the innermost that gives the same answer, of one that says
  /// too little the one around it. Null: it has its own, or nothing stands for it.
  [[nodiscard]] SpanName const* instead_of(SpanName const& name) const {
    auto const within = untold_.find(name);
    auto const* const told = within == untold_.end() ? nullptr : &within->second;
    auto const found = repeated_.find(told == nullptr ? name : *told);
    return found == repeated_.end() ? told : &found->second;
  }

 private:
  /// Notes the outer calls of a trace: each that a call below it gives the same answer as, for which the innermost such
  /// call is, the wrappers: each that has no answer of its own and a call directly below, and the untold calls within
  /// one. One walk down from the roots.
  void note_repeated(std::string const& trace, TraceState const& state);
  void note_untold(SpanName const& outer, SpanName const& inner);
  /// The response of a call that another one stands for goes, where there is one. A call that links it, or rated it by
  /// its id, has the other one now.
  Result<void> remove_response(SpanName const& outer);

  Traces& all_;
  Answers const& answers_;
  std::set<SpanName> wrappers_;          // calls without an answer that have a call directly below
  std::map<SpanName, SpanName> untold_;  // calls that say less than one around them, and that
  std::map<SpanName, std::vector<SpanName>> untold_within_;
  std::map<SpanName, SpanName> repeated_;  // an outer call, the innermost that gives the same answer
};

}  // namespace whence::net::capture
