// A framework and the client below it report one call of a model as two spans. One walk over the tree of a trace
// decides which is the response: of two with the same answer the inner one, none where a span only wraps others, and
// the outer one where the inner span says no prompt of its own.

#include "net/capture/known/outer_calls.hpp"

#include "net/capture/known/users.hpp"
#include "net/capture/trace/refs.hpp"
#include "schema/types/ref.hpp"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <vector>

namespace whence::net::capture {

namespace {

/// Whether a call within another, which says its prompt, is the same call, of which it says no prompt. One that says
/// no answer either may have all of its texts in log records, which may be to come: only its kind tells.
bool is_untold_of(SpanFacts const& outer, SpanFacts const& facts) {
  bool const is_part = facts.is_inner || !outer.is_yielding;
  if (!is_part || facts.has_prompt || !facts.instructions.empty() || !outer.has_prompt || outer.is_agent) return false;
  return facts.is_inner || (!facts.answer_hash.empty() && outer.answer_hash == facts.answer_hash);
}

/// Whether two calls say different counts of what the model wrote: one around several says their sum.
bool wrote_otherwise(SpanFacts const& outer, SpanFacts const& inner) {
  auto const written = [](std::string_view metered) {
    auto const from = std::min(metered.find(' '), metered.size() - 1) + 1;
    return metered.substr(from, metered.find(' ', from) - from);
  };
  if (outer.metered.empty() || inner.metered.empty()) return false;
  return written(outer.metered) != written(inner.metered);
}

/// Whether a call that says no answer is the one around it, which says its prompt and its answer: a client's own span.
/// Whatever log records say of it, the outer one is the response.
bool is_same_of(SpanFacts const& outer, SpanFacts const& facts) {
  if (!facts.answer_hash.empty() || facts.is_failed || outer.is_agent || outer.is_yielding) return false;
  if (!outer.has_prompt || outer.answer_hash.empty()) return false;
  if (!facts.response_id.empty() && !outer.response_id.empty()) return facts.response_id == outer.response_id;
  if (wrote_otherwise(outer, facts)) return false;
  // One may say the model that was asked for, the other its version that answered.
  bool const is_metered_alike = !facts.metered.empty() && !outer.metered.empty() &&
                                (facts.metered.starts_with(outer.metered) || outer.metered.starts_with(facts.metered));
  return is_metered_alike || (!facts.last_hash.empty() && facts.last_hash == outer.last_hash);
}

/// Whether something between two spans does work of its own: what is within is its.
bool is_closed(SpanFacts const& facts) {
  return facts.kind == Kind::tool || facts.is_agent;
}

}  // namespace

Result<void> OuterCalls::find_repeated() {
  std::set<std::string> searched;
  std::set<SpanName> settled;
  for (std::size_t before = 0; before != all_.states.size();) {
    before = all_.states.size();
    for (auto const& [trace, state] : all_.states) {
      if (searched.insert(trace).second) note_repeated(trace, state);
    }
    std::set<SpanName> outer(wrappers_);
    for (auto const& [name, around] : untold_) outer.insert(name);
    for (auto const& [name, inner] : repeated_) outer.insert(name);
    for (auto const& name : outer) {
      if (!settled.insert(name).second) continue;
      if (auto removed = remove_response(name); !removed) return removed;
    }
  }
  return {};
}

void OuterCalls::note_repeated(std::string const& trace, TraceState const& state) {
  std::map<std::string_view, std::vector<std::string_view>> below;
  std::vector<std::string_view> roots;
  for (auto const& [span, facts] : state.spans) {
    (state.spans.contains(facts.parent) ? below[facts.parent] : roots).push_back(span);
  }
  struct Open {
    std::string_view span;
    std::size_t next = 0;         // of those below it
    std::size_t depth_below = 0;  // of `inner`
    std::string_view inner = {};  // the innermost call with the same answer
    bool has_call_below = false;  // with no tool and no agent's run between
    std::size_t works = 0;        // tools and agents' runs on the path to it, with itself
  };
  std::map<std::string_view, std::vector<std::size_t>> by_answer;  // places on the path
  std::vector<std::size_t> calls;
  std::vector<Open> path;
  // Whether the last of the path is within the innermost call around it, with no tool and no agent's run between.
  auto const is_direct = [&] { return path[path.size() - 2].works == path[calls.back()].works; };
  auto const enter = [&](std::string_view span) {
    auto const& facts = state.spans.at(std::string(span));
    auto const works = path.empty() ? 0 : path.back().works;
    path.push_back({.span = span, .works = works + (is_closed(facts) ? 1 : 0)});
    if (facts.kind != Kind::call) return;
    if (!calls.empty()) {
      SpanName const outer{trace, std::string(path[calls.back()].span)};
      auto const& around = state.spans.at(outer.span);
      bool const is_same = is_untold_of(around, facts) || (is_same_of(around, facts) && is_direct());
      if (is_same) return note_untold(outer, {trace, std::string(span)});
    }
    calls.push_back(path.size() - 1);
    auto const& hash = answers_.hash_of(trace, std::string(span), facts);
    if (!hash.empty()) by_answer[hash].push_back(path.size() - 1);
  };
  auto const leave_call = [&](Open const& open, SpanFacts const& facts) {
    SpanName const name{trace, std::string(open.span)};
    calls.pop_back();
    if (!calls.empty() && is_direct()) path[calls.back()].has_call_below = true;
    auto const& hash = answers_.hash_of(trace, name.span, facts);
    if (!hash.empty()) by_answer[hash].pop_back();
    bool const says_less = facts.answer_hash.empty() || facts.is_yielding;
    if (says_less && open.has_call_below) wrappers_.insert(name);
    bool const is_wrapper = wrappers_.contains(name);  // what is within may still be that of one around
    if (hash.empty() || (is_wrapper && open.inner.empty())) return;
    auto& same = by_answer[hash];
    if (!is_wrapper && !open.inner.empty()) repeated_[name] = {trace, std::string(open.inner)};
    if (same.empty()) return;
    auto& outer = path[same.back()];
    auto const depth = open.inner.empty() ? path.size() - 1 : open.depth_below;
    if (depth <= outer.depth_below) return;
    outer.depth_below = depth;
    outer.inner = open.inner.empty() ? open.span : open.inner;
  };
  for (auto const root : roots) {
    enter(root);
    while (!path.empty()) {
      auto& open = path.back();
      auto const inside = below.find(open.span);
      if (inside != below.end() && open.next < inside->second.size()) {
        enter(inside->second[open.next++]);
        continue;
      }
      auto const& facts = state.spans.at(std::string(open.span));
      bool const is_own = facts.kind == Kind::call && !calls.empty() && calls.back() + 1 == path.size();
      if (is_own) leave_call(Open(open), facts);
      path.pop_back();
    }
  }
}

void OuterCalls::note_untold(SpanName const& outer, SpanName const& inner) {
  untold_.emplace(inner, outer);
  untold_within_[outer].push_back(inner);
  if (all_.fresh.contains(inner)) all_.touched.insert(outer);
}

Result<void> OuterCalls::remove_response(SpanName const& outer) {
  auto const ref = *record_ref(outer, Kind::call);
  bool const is_there = all_.snapshot.find(ref.type, ref.id).has_value();
  auto const* const instead = instead_of(outer);
  if (!is_there && (instead == nullptr || !all_.fresh.contains(*instead))) return {};
  if (is_there) {
    all_.out.deletes.push_back(ref);
    all_.deleted.insert(schema::format_ref(ref));
  }
  auto const ids = given_ids(*all_.find(outer));
  for (auto const& id : ids) {
    if (auto const response = all_.named_response(id); !response) return response.error();
    if (auto touched = touch_next(all_, id); !touched) return touched;
  }
  return touch_linkers(all_, outer);
}

}  // namespace whence::net::capture
