#include "net/capture/sources.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <tuple>

namespace whence::net::capture {

namespace {

/// How many spans around a source are asked whether they hold the call too.
constexpr std::size_t around_max = 256;

}  // namespace

bool may_have_ended_before(Nanos end, SpanFacts const& call) {
  constexpr Nanos millisecond = 1'000'000;
  bool const is_cut = call.start % millisecond == 0;
  return end <= call.start || (is_cut && end < call.start + millisecond && end <= call.end);
}

void add_cause(Causes& causes, std::string const& ref, schema::Basis basis) {
  auto const [known, is_new] = causes.try_emplace(ref, basis);
  if (!is_new) known->second = std::min(known->second, basis);
}

void Prompt::add(Message const& message) {
  messages.push_back(plain_text::folded(message.text));
  text.append(text.empty() ? "" : "\n").append(messages.back());
  answers.emplace(answer_hash(message.text), message.text.size());
  for (auto const& result : message.results) {
    messages.push_back(plain_text::folded(result.text));
    if (!result.id.empty()) results.insert(result.id);
  }
}

void Sources::add(std::string const& span, SpanFacts const& facts, std::string own,
                  std::vector<std::pair<std::string, std::string>> const& texts) {
  Source source{.span = span, .facts = &facts, .own = std::move(own), .texts = {}, .around = {}};
  for (auto const& [ref, text] : texts) {
    sought_.add(text);
    by_text_.emplace(plain_text::folded(text), ref);
    source.texts.emplace_back(ref, sought_count_++);
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
    if (parent == state_.spans.end() || parent->second.is_agent || parent->second.kind == Kind::tool) break;
    at = &parent->second;
  }
  all_.push_back(std::move(source));
}

void Sources::settle() {
  std::ranges::sort(all_, std::ranges::greater{}, [](Source const& each) {
    return std::tuple{each.facts->end, each.span};
  });
  for (std::size_t i = 0; i < all_.size(); ++i) {
    by_own_.emplace(all_[i].own, i);
    if (!all_[i].facts->call_id.empty()) by_call_.emplace(all_[i].facts->call_id, i);
  }
}

std::string_view Sources::source_of(std::string const& folded) const {
  auto const found = by_text_.find(folded);
  return found == by_text_.end() ? std::string_view{} : std::string_view{found->second};
}

std::vector<std::string_view> Sources::tools_of(std::string const& call_id) const {
  std::vector<std::string_view> spans;
  auto const [begin, end] = by_call_.equal_range(call_id);
  for (auto at = begin; at != end; ++at) spans.push_back(all_[at->second].span);
  return spans;
}

Causes Sources::found_by(Asking const& asking) const {
  Causes causes;
  std::set<std::string_view> found;  // spans
  std::set<std::string_view> by_id;
  auto const is_asked = [&](Source const& each) {
    return asking.moved == nullptr || asking.moved->contains(std::string(each.span));
  };
  for (auto const& id : asking.prompt.results) {
    auto const [begin, end] = by_call_.equal_range(id);
    for (auto at = begin; at != end; ++at) {
      auto const& source = all_[at->second];
      if (!is_asked(source) || source.facts->start > asking.call.start + ahead_max) continue;
      found.insert(source.span);
      by_id.insert(source.span);
      add_cause(causes, source.own, schema::Basis::id);
    }
  }
  auto const is_there = sought_.found_in(asking.prompt.text, asking.prompt.messages);
  for (auto const& source : all_) {
    if (source.texts.empty() || !is_asked(source)) continue;
    if (!by_id.contains(source.span) && !may_have_ended_before(source.facts->end, asking.call)) continue;
    for (auto const& [ref, number] : source.texts) {
      if (!is_there[number]) continue;
      found.insert(source.span);
      add_cause(causes, ref, schema::Basis::text);
    }
  }
  add_placed(asking, found, causes);
  return causes;
}

bool Sources::is_placed(Source const& source, Asking const& asking, std::set<std::string_view> const& above,
                        bool is_rooted) const {
  bool const has_id = !source.facts->call_id.empty();
  bool const is_compared = asking.call.has_prompt && (has_id || !source.texts.empty());
  if (is_compared) return !has_id && source.facts->parent == asking.call.parent;
  if (source.is_rooted && is_rooted) return true;
  return std::ranges::any_of(source.around, [&](std::string_view each) { return above.contains(each); });
}

void Sources::add_placed(Asking const& asking, std::set<std::string_view> const& found, Causes& causes) const {
  auto const is_source = [&](auto const& known) { return by_own_.contains(known.first); };
  auto count = static_cast<std::size_t>(std::ranges::count_if(asking.known, is_source));
  auto const root = asking.above.empty() ? state_.spans.end() : state_.spans.find(std::string(asking.above.back()));
  bool const is_rooted = asking.above.empty() || (root != state_.spans.end() && root->second.parent.empty());
  std::set<std::string_view> const above(asking.above.begin(), asking.above.end());
  constexpr Nanos millisecond = 1'000'000;
  auto at = std::ranges::lower_bound(all_, asking.call.start + millisecond, std::ranges::greater{},
                                     [](Source const& each) { return each.facts->end; });
  for (; at != all_.end() && count < place_max; ++at) {
    if (asking.moved != nullptr && !asking.moved->contains(std::string(at->span))) continue;
    if (found.contains(at->span) || asking.known.contains(at->own)) continue;
    if (!may_have_ended_before(at->facts->end, asking.call) || !is_placed(*at, asking, above, is_rooted)) continue;
    add_cause(causes, at->own, schema::Basis::place);
    ++count;
  }
}

}  // namespace whence::net::capture
