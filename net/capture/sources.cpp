#include "net/capture/sources.hpp"

#include "schema/json/json.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <tuple>

namespace whence::net::capture {

namespace {

/// How many spans around a source are asked whether they hold the call too.
constexpr std::size_t around_max = 256;

}  // namespace

std::string as_sent(std::string const& text) {
  bool const is_json = text.size() >= 2 && (text.front() == '"' || text.front() == '{' || text.front() == '[');
  if (!is_json) return text;
  auto const parsed = schema::json::parse(text);
  if (!parsed) return text;
  auto const& value = parsed->value;
  if (value.is_string()) return std::string(value.get_string());
  auto const* const object = value.if_object();
  if (object != nullptr && object->contains("output") && object->contains("kwargs")) {  // OpenLLMetry's LangChain
    auto const& output = object->at("output");
    return output.is_string() ? std::string(output.get_string()) : text;
  }
  // What a tool of MCP gave is a list of parts.
  auto const* const content = object == nullptr ? nullptr : object->if_contains("content");
  auto const* const list = content == nullptr ? value.if_array() : content->if_array();
  if (list == nullptr || list->empty()) return text;
  std::string parts;
  for (auto const& each : *list) {
    auto const* const part = each.if_object();
    auto const* const held = part == nullptr ? nullptr : part->if_contains("text");
    auto const* const type = part == nullptr ? nullptr : part->if_contains("type");
    if (held == nullptr || !held->is_string() || type == nullptr || *type != "text") return text;
    parts.append(parts.empty() ? "" : "\n\n").append(held->get_string());
  }
  return parts;
}

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
  auto const compared = comparable(message.text);
  answers.emplace(hash_of_comparable(compared.text), compared.telling);
  for (auto const& result : message.results) {
    messages.push_back(plain_text::folded(result.text));
    if (!result.id.empty()) results.insert(result.id);
  }
}

void Sources::add(std::string const& span, SpanFacts const& facts, std::string own,
                  std::vector<std::pair<std::string, std::string>> const& texts) {
  Source source{.span = span, .facts = &facts, .own = std::move(own), .texts = {}, .around = {}};
  for (auto const& [ref, given] : texts) {
    auto const text = as_sent(given);
    sought_.add(text);
    by_text_.emplace(plain_text::folded(text), ref);
    source.texts.emplace_back(ref, sought_count_++);
    auto const is_long = [&] { return plain_text::folded(text).size() >= plain_text::SoughtTexts::sought_min; };
    source.is_sought = source.is_sought || is_long();
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
  auto const is_there = sought_.found_in(asking.prompt.text, asking.prompt.messages);
  std::set<std::string_view> const above(asking.above.begin(), asking.above.end());
  bool const is_rooted = has_root(asking);
  // Some frameworks number the calls of each agent's run anew: of another run only a result that is there counts.
  auto const is_of_call = [&](Source const& source) {
    bool const is_compared = asking.call.has_prompt && source.is_sought;
    auto const is_found = [&](auto const& text) { return is_there[text.second]; };
    return !is_compared || is_open_to(source, above, is_rooted) || std::ranges::any_of(source.texts, is_found);
  };
  for (auto const& id : asking.prompt.results) {
    auto const [begin, end] = by_call_.equal_range(id);
    for (auto at = begin; at != end; ++at) {
      auto const& source = all_[at->second];
      if (!is_asked(source) || source.facts->start > asking.call.start + ahead_max) continue;
      if (!is_of_call(source)) continue;
      bool const is_told =
          !source.enclosing.empty() && state_.spans.at(std::string(source.enclosing)).call_id == source.facts->call_id;
      if (is_told) continue;
      found.insert(source.span);
      by_id.insert(source.span);
      add_cause(causes, source.own, schema::Basis::id);
    }
  }
  std::set<std::string_view> given(by_id);  // tools whose result is there
  for (auto const& source : all_) {
    auto const is_found = [&](auto const& text) { return is_there[text.second]; };
    if (source.facts->kind == Kind::tool && std::ranges::any_of(source.texts, is_found)) given.insert(source.span);
  }
  for (auto const& source : all_) {
    if (source.texts.empty() || !is_asked(source)) continue;
    if (!source.enclosing.empty() && given.contains(source.enclosing)) {
      found.insert(source.span);
      continue;
    }
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

bool Sources::has_root(Asking const& asking) const {
  if (asking.above.empty()) return true;
  auto const root = state_.spans.find(std::string(asking.above.back()));
  return root != state_.spans.end() && root->second.parent.empty();
}

bool Sources::is_open_to(Source const& source, std::set<std::string_view> const& above, bool is_rooted) {
  if (source.is_rooted && is_rooted) return true;
  return std::ranges::any_of(source.around, [&](std::string_view each) { return above.contains(each); });
}

bool Sources::is_placed(Source const& source, Asking const& asking, std::set<std::string_view> const& above,
                        bool is_rooted, bool has_evidence) {
  bool const has_id = !source.facts->call_id.empty();
  bool const is_compared = asking.call.has_prompt && (has_id || !source.texts.empty());
  if (!is_compared) return is_open_to(source, above, is_rooted);
  bool const may_be_unseen = source.facts->is_memory || !source.is_sought || !has_evidence;
  return !has_id && may_be_unseen && source.facts->parent == asking.call.parent;
}

void Sources::add_placed(Asking const& asking, std::set<std::string_view> const& found, Causes& causes) const {
  bool const has_evidence = asking.has_evidence || !found.empty();
  auto const is_source = [&](auto const& known) { return by_own_.contains(known.first); };
  auto count = static_cast<std::size_t>(std::ranges::count_if(asking.known, is_source));
  bool const is_rooted = has_root(asking);
  std::set<std::string_view> const above(asking.above.begin(), asking.above.end());
  constexpr Nanos millisecond = 1'000'000;
  auto at = std::ranges::lower_bound(all_, asking.call.start + millisecond, std::ranges::greater{},
                                     [](Source const& each) { return each.facts->end; });
  for (; at != all_.end() && count < place_max; ++at) {
    if (asking.moved != nullptr && !asking.moved->contains(std::string(at->span))) continue;
    if (found.contains(at->span) || asking.known.contains(at->own)) continue;
    if (!may_have_ended_before(at->facts->end, asking.call) || !is_placed(*at, asking, above, is_rooted, has_evidence))
      continue;
    add_cause(causes, at->own, schema::Basis::place);
    ++count;
  }
}

}  // namespace whence::net::capture
