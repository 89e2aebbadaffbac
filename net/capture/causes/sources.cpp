// Evidence in this order: the id of a tool's call, a text that the prompt has, and where neither can be known the place
// of the span: it ended before the call, nearest to it in the tree. Lists are sorted by their ends, and of each only a
// bounded number around the call's start is looked at.

#include "net/capture/causes/sources.hpp"

#include "net/capture/messages/comparable.hpp"
#include "net/capture/messages/json_text.hpp"
#include "net/capture/messages/tool_text.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <tuple>

namespace whence::net::capture {

namespace {

/// How many spans around a source are asked whether they hold the call too.
constexpr std::size_t around_max = 256;
/// Why a tool failed is at least this part of what the model was told of it: what says much more is a result.
constexpr std::size_t failure_share = 6;

constexpr Nanos millisecond = 1'000'000;

}  // namespace

bool may_have_ended_before(Nanos end, SpanFacts const& call) {
  bool const is_cut = call.start % millisecond == 0;
  return end <= call.start || (is_cut && end < call.start + millisecond && end <= call.end);
}

void add_cause(Causes& causes, std::string const& ref, schema::Basis basis) {
  auto const [known, is_new] = causes.try_emplace(ref, basis);
  if (!is_new) known->second = std::min(known->second, basis);
}

void Prompt::add(schema::SecretKey const& key, Message const& message) {
  for (auto const& result : message.results) {
    if (!result.text.empty()) messages.push_back(plain_text::folded(result.text));
    auto const within = wrapped_result(result.text);
    if (!within.empty()) messages.push_back(plain_text::folded(within));
    if (!result.id.empty()) results.insert(result.id);
  }
  if (message.text.empty()) return;
  messages.push_back(plain_text::folded(message.text));
  text.append(text.empty() ? "" : "\n").append(messages.back());
  add_answer(key, message);
}

void Prompt::add_answer(schema::SecretKey const& key, Message const& message) {
  auto const compared = comparable(message.text);
  auto hash = hash_of_comparable(key, compared.text);
  if (!compared.nameless.empty()) {
    bool const has_ids = !compared.calls.empty();
    nameless.emplace(hash, Nameless{has_ids ? hash_of_comparable(key, compared.nameless) : hash, has_ids});
  }
  bool const may_be_short = compared.nameless.empty() && is_one_of(message.role, {"assistant", "model"}) &&
                            message.text.ends_with(']') && message.text.find("[tool: ") != std::string::npos;
  auto const named = may_be_short ? shortened(message.text) : std::string{};
  if (!named.empty()) nameless.emplace(hash, Nameless{hash_of_comparable(key, named), false});
  answers.emplace(std::move(hash), compared.telling);
}

void Sources::add(std::string const& span, SpanFacts const& facts, std::string own,
                  std::vector<std::pair<std::string, std::string>> const& texts) {
  Source source{.span = span, .facts = &facts, .own = std::move(own), .texts = {}, .around = {}};
  for (auto const& [ref, given] : texts) {
    auto const text = as_sent(given);
    auto const number = sought_.add(text);
    if (number == bytes_.size()) bytes_.push_back(plain_text::folded(text).size());
    source.is_sought = source.is_sought || bytes_[number] >= plain_text::SoughtTexts::sought_min;
    source.texts.emplace_back(ref, number);
  }
  // An agent's run that is not around the call and a tool enclose what is below them for themselves. What is between
  // has to be known, so a source only becomes open.
  auto const* at = &facts;
  while (source.around.size() < around_max) {
    if (at->parent.empty()) {
      source.is_rooted = true;
      break;
    }
    source.around.emplace_back(at->parent);
    auto const parent = state_.spans.find(at->parent);
    bool const is_in_tool = parent != state_.spans.end() && parent->second.kind == Kind::tool;
    if (is_in_tool && facts.kind == Kind::tool) source.enclosing = at->parent;
    if (parent == state_.spans.end() || parent->second.is_agent || parent->second.kind == Kind::tool) break;
    at = &parent->second;
  }
  has_failures_ = has_failures_ || (facts.kind == Kind::tool && facts.is_failed);
  all_.push_back(std::move(source));
}

void Sources::settle(SpanTree const& tree, Clocks const& clocks) {
  has_clocks_ = clocks.are_several();
  std::ranges::sort(all_, std::ranges::greater{}, [](Source const& each) {
    return std::tuple{each.facts->end, each.span};
  });
  hold(tree);
  std::map<std::string_view, Source const*> by_span;
  for (auto const& source : all_) by_span.emplace(source.span, &source);
  for (std::size_t i = 0; i < all_.size(); ++i) {
    auto& source = all_[i];
    auto const outer = by_span.find(source.enclosing);
    if (outer != by_span.end()) source.outer = outer->second;
    for (std::size_t text = 0; text < source.texts.size(); ++text) {
      auto const number = source.texts[text].second;
      by_text_.resize(std::max(by_text_.size(), number + 1));
      by_text_[number].push_back({.source = i, .text = text});
    }
    if (!source.facts->call_id.empty()) {
      by_call_[source.facts->call_id].push_back(i);
    } else if (source.texts.empty()) {
      unknown_.push_back(i);
    } else {
      beside_[source.facts->parent].push_back(i);
    }
  }
}

void Sources::hold(SpanTree const& tree) {
  auto const& nodes = tree.nodes();
  held_.resize(nodes.size());
  auto const note = [](std::optional<Nanos>& first, Nanos end) { first = std::min(first.value_or(end), end); };
  for (auto& source : all_) {
    source.place = tree.find(source.span);
    if (source.is_rooted) note(rooted_end_, source.facts->end);
    for (auto const each : source.around) {
      source.last_around = tree.find(each);
      note(held_[source.last_around].first_end, source.facts->end);
    }
  }
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    bool const is_run = nodes[i].facts == nullptr || nodes[i].facts->kind == Kind::chain;
    auto const parent = nodes[i].parent;
    auto& held = held_[i];
    held.runs = is_run ? 1 : 0;
    if (parent == SpanTree::none) continue;
    held.runs += held_[parent].runs;
    held.next = held_[parent].first_end ? parent : held_[parent].next;
  }
}

std::vector<std::string_view> Sources::sources_of(std::string const& folded, SpanFacts const& call) const {
  std::vector<std::string_view> refs;
  auto const number = sought_.find(folded);
  if (!number) return refs;
  for (auto const& told : told_near(*number, call)) refs.emplace_back(all_[told.source].texts[told.text].first);
  return refs;
}

std::vector<std::string_view> Sources::failures_in(std::string const& folded, SpanFacts const& call) const {
  std::vector<std::string_view> refs;
  if (!has_failures_) return refs;
  for (auto const number : sought_.found_in(folded, {folded})) {
    if (bytes_[number] * failure_share < folded.size()) continue;
    for (auto const& told : told_near(number, call)) {
      auto const& source = all_[told.source];
      if (source.facts->is_failed) refs.emplace_back(source.texts[told.text].first);
    }
  }
  return refs;
}

std::vector<std::string_view> Sources::tools_of(std::string const& call_id, SpanFacts const& call) const {
  std::vector<std::string_view> spans;
  for (auto const place : tools_near(call_id, call)) spans.push_back(all_[place].span);
  return spans;
}

std::span<Sources::Told const> Sources::told_near(std::size_t number, SpanFacts const& call, bool* is_cut) const {
  auto const& all = by_text_[number];
  auto const first = std::ranges::lower_bound(all, call.start + millisecond, std::ranges::greater{},
                                              [&](Told const& each) { return all_[each.source].facts->end; });
  auto const count = std::min<std::ptrdiff_t>(all.end() - first, same_max);
  if (is_cut != nullptr && first + count != all.end()) *is_cut = true;
  return {first - (has_clocks_ ? std::min<std::ptrdiff_t>(first - all.begin(), same_max) : 0), first + count};
}

std::span<std::size_t const> Sources::tools_near(std::string const& call_id, SpanFacts const& call) const {
  auto const known = by_call_.find(call_id);
  if (known == by_call_.end()) return {};
  auto const& all = known->second;
  auto const first = std::ranges::lower_bound(all, call.start + millisecond, std::ranges::greater{},
                                              [&](std::size_t place) { return all_[place].facts->end; });
  return {first - std::min<std::ptrdiff_t>(first - all.begin(), same_max),
          first + std::min<std::ptrdiff_t>(all.end() - first, same_max)};
}

bool Sources::There::has_text_of(Source const& source) const {
  return std::ranges::any_of(source.texts,
                             [&](auto const& text) { return std::ranges::binary_search(texts, text.second); });
}

bool Sources::There::is_told_by_outer(Source const& source) const {
  return source.outer != nullptr && !source.texts.empty() &&
         (by_id.contains(source.enclosing) || has_text_of(*source.outer));
}

bool Sources::is_asked(Source const& source, Asking const& asking) {
  return asking.moved == nullptr || asking.moved->contains(std::string(source.span));
}

Found Sources::found_by(Asking const& asking) const {
  Found result;
  There there{.texts = sought_.found_in(asking.prompt.text, asking.prompt.messages)};
  add_named(asking, there, result);
  std::set<std::string_view> found(there.by_id);  // spans
  std::set<std::string> kept;
  for (auto const number : there.texts) {
    for (auto const& told : told_by(number, asking, there, result)) {
      auto const& source = all_[told.source];
      kept.insert(source.texts[told.text].first);
      if (!is_asked(source, asking)) continue;
      found.insert(source.span);
      add_cause(result.causes, source.texts[told.text].first, schema::Basis::text);
    }
  }
  std::erase_if(result.superseded, [&](std::string const& ref) { return kept.contains(ref); });
  add_placed(asking, found, there, result);
  return result;
}

std::vector<Sources::Told> Sources::told_by(std::size_t number, Asking const& asking, There const& there,
                                            Found& into) const {
  std::vector<Told> before;
  for (auto const& told : told_near(number, asking.call, &into.is_cut)) {
    auto const& source = all_[told.source];
    bool const is_before = may_have_ended_before(source.facts->end, asking.call) ||
                           (bytes_[number] >= telling_min && asking.clocks.may_precede(source.place, asking.place));
    if (is_before && !there.is_told_by_outer(source)) before.push_back(told);
  }
  if (before.size() < 2) return before;
  auto const is_named = [&](Told const& told) {
    auto const& source = all_[told.source];
    auto const known = asking.known.find(source.own);
    bool const is_known = known != asking.known.end() && known->second == schema::Basis::id &&
                          asking.prompt.results.contains(source.facts->call_id);
    return there.by_id.contains(source.span) || (is_known && !into.superseded.contains(source.own));
  };
  auto const level = [&](Told const& told) { return asking.tree.common(all_[told.source].place, asking.place); };
  bool const has_named = std::ranges::any_of(before, is_named);
  auto const is_other = [&](Told const& told) { return has_named && !all_[told.source].facts->call_id.empty(); };
  std::size_t nearest = 0;
  for (auto const& told : before) {
    if (is_named(told) || !is_other(told)) nearest = std::max(nearest, level(told));
  }
  std::erase_if(before, [&](Told const& told) {
    bool const is_far = !is_named(told) && (is_other(told) || level(told) < nearest);
    if (is_far) into.superseded.insert(all_[told.source].texts[told.text].first);
    return is_far;
  });
  return before;
}

/// The tools whose results are there by the ids of their calls, and what else they gave that is there.
void Sources::add_named(Asking const& asking, There& there, Found& into) const {
  // Some frameworks number the calls of each agent's run anew: of another run only a result that is there counts.
  auto const may_be_meant = [&](Source const& source) {
    bool const is_compared = asking.has_prompt() && source.is_sought;
    bool const is_of_call = !is_compared || is_open_to(source, asking) || there.has_text_of(source);
    bool const is_told = source.outer != nullptr && source.outer->facts->call_id == source.facts->call_id;
    return is_of_call && !is_told && source.facts->start <= asking.call.start + ahead_max;
  };
  std::vector<Source const*> named;
  for (auto const& id : asking.prompt.results) {
    auto const near = tools_near(id, asking.call);
    std::vector<Source const*> tools;
    for (auto const place : near) {
      bool const is_known = near.size() == 1 && !is_asked(all_[place], asking);
      if (!is_known && may_be_meant(all_[place])) tools.push_back(&all_[place]);
    }
    auto const meant = meant_by(tools, asking, there);
    bool const are_asked = std::ranges::any_of(tools, [&](auto const* each) { return is_asked(*each, asking); });
    for (auto const* const each : tools) into.superseded.insert(each->own);
    for (auto const* const each : meant) {
      into.superseded.erase(each->own);
      there.by_id.insert(each->span);
      if (!are_asked) continue;
      named.push_back(each);
      add_cause(into.causes, each->own, schema::Basis::id);
    }
  }
  for (auto const* const source : named) {
    if (there.is_told_by_outer(*source)) continue;
    for (auto const& [ref, number] : source->texts) {
      if (std::ranges::binary_search(there.texts, number)) add_cause(into.causes, ref, schema::Basis::text);
    }
  }
}

std::vector<Sources::Source const*> Sources::meant_by(std::vector<Source const*> const& tools, Asking const& asking,
                                                      There const& there) const {
  if (tools.size() < 2) return tools;
  auto meant = tools;
  auto const keep_if_any = [&](auto const& is_good) {
    if (std::ranges::any_of(meant, is_good)) std::erase_if(meant, [&](auto const* each) { return !is_good(each); });
  };
  keep_if_any([&](Source const* each) { return there.has_text_of(*each); });
  keep_if_any([&](Source const* each) {
    return may_have_ended_before(each->facts->end, asking.call) || asking.clocks.may_precede(each->place, asking.place);
  });
  bool const are_shown = there.has_text_of(*meant.front());
  auto const text_of = [&](Source const* each) { return are_shown ? each->texts.front().second : 0; };
  std::map<std::size_t, std::size_t> nearest;  // by text: spans around both
  for (auto const* const each : meant) {
    auto& most = nearest[text_of(each)];
    most = std::max(most, asking.tree.common(each->place, asking.place));
  }
  std::erase_if(meant, [&](Source const* each) {
    return asking.tree.common(each->place, asking.place) < nearest.at(text_of(each));
  });
  return meant;
}

bool Sources::has_root(Asking const& asking) {
  auto const& nodes = asking.tree.nodes();
  auto const* const root = nodes[nodes[asking.place].root].facts;
  return root != nullptr && root->parent.empty();
}

bool Sources::is_held_around(Source const& source, Asking const& asking) {
  // Each is within the next, so that the last is around the call where any of them is.
  return asking.tree.is_within(asking.place, source.last_around);
}

bool Sources::is_open_to(Source const& source, Asking const& asking) {
  return (source.is_rooted && has_root(asking)) || is_held_around(source, asking);
}

std::size_t Sources::runs_around(Asking const& asking) const {
  auto const parent = asking.tree.nodes()[asking.place].parent;
  return parent == SpanTree::none ? 0 : held_[parent].runs;
}

std::size_t Sources::level_of(Source const& source, Asking const& asking) const {
  auto const runs = runs_around(asking);
  if (!is_held_around(source, asking)) return source.is_rooted && has_root(asking) ? runs : runs + 1;
  auto const inner = asking.tree.innermost(asking.place, source.place);
  return runs + 1 - held_[inner].runs;
}

std::size_t Sources::nearest_level(Asking const& asking) const {
  auto const runs = runs_around(asking);
  auto nearest = runs + 1;
  bool const is_rooted = rooted_end_ && has_root(asking) && may_have_ended_before(*rooted_end_, asking.call);
  if (is_rooted) nearest = runs;
  for (auto at = asking.tree.nodes()[asking.place].parent; at != SpanTree::none; at = held_[at].next) {
    auto const& held = held_[at];
    if (!held.first_end || !may_have_ended_before(*held.first_end, asking.call)) continue;
    return std::min(nearest, runs + 1 - held.runs);
  }
  return nearest;
}

bool Sources::is_placed(Source const& source, Asking const& asking, bool has_evidence) {
  bool const has_id = !source.facts->call_id.empty();
  bool const is_shown = asking.has_prompt() && !asking.call.is_shortened;
  bool const is_compared = is_shown && (has_id || !source.texts.empty());
  if (!is_compared) return is_open_to(source, asking);
  bool const may_be_unseen = source.facts->is_memory || !source.is_sought || !has_evidence;
  return !has_id && may_be_unseen && source.facts->parent == asking.call.parent;
}

/// The places of those that `is_placed` may be true for, the latest first: where the prompt is known, those beside the
/// call, and those of which no text is known.
std::vector<std::size_t> Sources::may_be_placed(Asking const& asking) const {
  auto const first =
      static_cast<std::size_t>(std::ranges::lower_bound(all_, asking.call.start + millisecond, std::ranges::greater{},
                                                        [](Source const& each) { return each.facts->end; }) -
                               all_.begin());
  std::vector<std::size_t> places;
  auto const take = [&](std::vector<std::size_t> const& from) {
    auto const begin = std::ranges::lower_bound(from, first);
    auto const count = std::min<std::ptrdiff_t>(from.end() - begin, asked_max);
    places.insert(places.end(), begin, begin + count);
  };
  if (asking.has_prompt() && !asking.call.is_shortened) {
    take(unknown_);
    if (auto const beside = beside_.find(asking.call.parent); beside != beside_.end()) take(beside->second);
    std::ranges::sort(places);
    return places;
  }
  auto const end = std::min(all_.size(), first + asked_max);
  places.reserve(end - first);
  for (auto i = first; i < end; ++i) places.push_back(i);
  return places;
}

void Sources::add_placed(Asking const& asking, std::set<std::string_view> const& found, There const& there,
                         Found& into) const {
  bool const has_evidence = asking.has_evidence || !found.empty();
  std::size_t count = 0;
  auto const nearest = nearest_level(asking);
  // A span comes when it has ended, after what is below it: before it, what else is known of the call may be to come.
  bool const is_closed = asking.call.parent.empty() || state_.spans.contains(asking.call.parent);
  for (auto const place : may_be_placed(asking)) {
    auto const& source = all_[place];
    if (asking.moved != nullptr && !asking.moved->contains(std::string(source.span))) continue;
    if (found.contains(source.span) || there.is_told_by_outer(source) || asking.known.contains(source.own)) continue;
    if (!may_have_ended_before(source.facts->end, asking.call) || !is_placed(source, asking, has_evidence)) continue;
    if (level_of(source, asking) > nearest) continue;
    if (!is_closed && asking.has_prompt() && source.is_sought) continue;
    if (count++ >= place_max) {
      into.is_cut = true;
      break;
    }
    add_cause(into.causes, source.own, schema::Basis::place);
  }
}

}  // namespace whence::net::capture
