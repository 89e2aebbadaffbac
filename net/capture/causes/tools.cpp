// Client, server and framework each report one call of a tool, as spans within each other. The outermost becomes the
// record. Where it lacks the result, that of an inner one is taken (`teller_of`); records of the others that were
// written before are deleted.

#include "net/capture/causes/tools.hpp"

#include "graph/snapshot/records.hpp"
#include "net/capture/known/arrivals.hpp"
#include "net/capture/known/known_records.hpp"
#include "net/capture/known/users.hpp"
#include "net/capture/records/span_records.hpp"
#include "net/capture/trace/record_texts.hpp"
#include "net/capture/trace/refs.hpp"
#include "schema/json/json.hpp"
#include "schema/records/context/records.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <variant>

namespace whence::net::capture {

using schema::RecordType;

namespace {

/// Whether a tool within another one is the same call. Where one of them does not say its result, MCP has to say that
/// they are its ends.
bool are_of_one_call(SpanFacts const& inner, SpanFacts const& outer) {
  bool const is_named = inner.tool == outer.tool && !inner.tool.empty();
  bool const may_be_named = outer.is_mcp && (inner.tool.empty() || outer.tool.empty());
  bool const are_ends = inner.is_mcp && (is_named || may_be_named);
  bool const is_one_id = inner.call_id.empty() || inner.call_id == outer.call_id || (are_ends && outer.call_id.empty());
  bool const is_one_result = inner.answer_hash == outer.answer_hash && !inner.answer_hash.empty();
  bool const is_half = inner.answer_hash.empty() || outer.answer_hash.empty();
  return is_one_id && (is_one_result || (are_ends && is_half));
}

/// The outermost that said what each of `told` says. O(n log n).
std::map<std::string, std::string> outermost_of(std::map<std::string, std::string> const& told) {
  std::map<std::string, std::string> roots;
  for (auto const& [inner, around] : told) {
    std::vector<std::string const*> path;
    auto const* at = &inner;
    while (path.size() <= told.size()) {  // parents may be a circle
      auto const known = roots.find(*at);
      auto const outer = known == roots.end() ? told.find(*at) : told.end();
      if (known != roots.end()) at = &known->second;
      if (outer == told.end()) break;
      path.push_back(at);
      at = &outer->second;
    }
    for (auto const* const each : path) roots.emplace(*each, *at);
  }
  return roots;
}

/// Whether the unit did not say it.
bool add_call_id(schema::ContextUnit& unit, std::string const& call_id) {
  auto held = unit.attributes ? schema::json::parse(unit.attributes->json) : schema::json::parse("{}");
  if (!held || !held->value.is_object()) return false;
  if (!held->value.get_object().emplace("call_id", call_id).second) return false;
  unit.attributes = schema::Attributes{schema::json::to_canonical_text(held->value)};
  return true;
}

}  // namespace

void Tools::join_ends(std::string const& trace, std::map<std::string, std::string>& told) {
  auto& spans = all_.states.at(trace).spans;
  auto const roots = outermost_of(told);
  std::map<std::string, std::pair<Nanos, std::string>> tellers;
  std::set<std::string> joined;  // outermost ones of which another end says more
  for (auto const& [inner, root] : roots) {
    auto const& own = spans.at(inner);
    if (own.answer_hash.empty() || !spans.at(root).answer_hash.empty()) continue;
    auto& teller = tellers[root];
    teller = std::max(teller, std::pair{own.end, inner});
    joined.insert(root);
  }
  for (auto const& [inner, root] : roots) {
    auto const& own = spans.at(inner);
    auto const teller = tellers.find(root);
    auto const& result = spans.at(teller == tellers.end() ? root : teller->second.second).answer_hash;
    bool const is_other = !own.answer_hash.empty() && own.answer_hash != result;
    if (is_other) told.erase(inner);
    auto& call_id = spans.at(root).call_id;
    if (is_other || own.call_id.empty() || !call_id.empty()) continue;
    call_id = own.call_id;
    joined.insert(root);
    ids_.emplace(SpanName{trace, root}, call_id);
  }
  for (auto const& [root, teller] : tellers) {
    auto const& own = spans.at(teller.second);
    auto& outer = spans.at(root);
    outer.answer_hash = own.answer_hash;
    outer.has_text = own.has_text;
    outer.chunks = own.chunks;
    tellers_.emplace(SpanName{trace, root}, SpanName{trace, teller.second});
  }
  auto& outermost = outermost_.emplace(trace, outermost_of(told)).first->second;
  for (auto const& [inner, root] : outermost) {
    auto const teller = tellers.find(root);
    if (teller != tellers.end() && teller->second.second != inner) ends_[{trace, root}].push_back({trace, inner});
  }
  bool const is_joined = std::ranges::any_of(roots, [&](auto const& each) {
    bool const is_half_new = all_.fresh.contains({trace, each.first}) != all_.fresh.contains({trace, each.second});
    return is_half_new && joined.contains(each.second);
  });
  if (!is_joined) return;  // else more is known of a tool that is not new
  for (auto const& [span, facts] : spans) {
    if (facts.kind == Kind::call) all_.touched.insert({trace, span});
  }
}

SpanName Tools::teller_of(SpanName const& tool) {
  (void)told_again(tool.trace);
  auto const teller = tellers_.find(tool);
  return teller == tellers_.end() ? tool : teller->second;
}

std::vector<SpanName> Tools::ends_of(SpanName const& tool) {
  auto const teller = teller_of(tool);
  if (teller == tool) return {tool};
  std::vector<SpanName> ends{teller};
  if (auto const others = ends_.find(tool); others != ends_.end())
    ends.insert(ends.end(), others->second.begin(), others->second.end());
  ends.push_back(tool);
  return ends;
}

Result<void> Tools::fill_ends(std::string const& trace) {
  (void)told_again(trace);
  std::set<SpanName> tools;
  auto const add_from = [&](auto const& all) {
    for (auto at = all.lower_bound({trace, {}}); at != all.end() && at->first.trace == trace; ++at)
      tools.insert(at->first);
  };
  add_from(tellers_);
  add_from(ids_);
  for (auto const& tool : tools) {
    std::string result;
    for (auto const& end : ends_of(tool)) {
      if (end == tool || !result.empty()) continue;
      auto text = text_of(end);
      if (!text) return text.error();
      result = std::move(*text);
    }
    auto const id = ids_.find(tool);
    if (auto filled = fill_result(tool, result, id == ids_.end() ? "" : id->second); !filled) return filled;
  }
  return {};
}

Result<std::optional<schema::ContextUnit>> Tools::read_unit(SpanName const& tool) const {
  std::optional<schema::ContextUnit> unit;
  auto const vertex = all_.snapshot.find(RecordType::context_unit, record_ref(tool, Kind::tool)->id);
  if (!vertex || all_.snapshot.gone(*vertex)) return unit;
  auto const read =
      graph::read_those_there(all_.snapshot, all_.reader, {&*vertex, 1}, [&](std::size_t, schema::Record&& record) {
        unit = std::get<schema::ContextUnit>(std::move(record));
        return true;
      });
  if (!read) return read.error();
  return unit;
}

Result<std::string> Tools::text_of(SpanName const& tool) const {
  if (auto const fresh = all_.fresh.find(tool); fresh != all_.fresh.end()) return fresh->second->answer;
  auto const unit = read_unit(tool);
  if (!unit) return unit.error();
  return *unit ? kept_text(all_, (*unit)->content, (*unit)->content_blob) : Result<std::string>{std::string{}};
}

std::map<std::string, std::string> const& Tools::told_again(std::string const& trace) {
  auto const [at, is_new] = told_again_.try_emplace(trace);
  if (!is_new) return at->second;
  auto const& spans = all_.states.at(trace).spans;
  // The nearest tool around each span; null: there is none, or an agent's run lies between.
  using NamedSpan = std::pair<std::string const, SpanFacts>;
  std::map<NamedSpan const*, NamedSpan const*> around;
  for (auto const& span : spans) {
    auto const& facts = span.second;
    if (facts.kind != Kind::tool) continue;
    std::vector<NamedSpan const*> passed;
    NamedSpan const* tool = nullptr;
    for (auto const* each = &span; passed.size() < trace_spans_max;) {
      if (auto const known = around.find(each); known != around.end()) {
        tool = known->second;
        break;
      }
      passed.push_back(each);
      auto const parent = spans.find(each->second.parent);
      if (parent == spans.end() || parent->second.is_agent) break;
      each = &*parent;
      tool = parent->second.kind == Kind::tool ? each : nullptr;
      if (tool != nullptr) break;
    }
    for (auto const* const each : passed) around.emplace(each, tool);
    if (tool != nullptr && are_of_one_call(facts, tool->second)) at->second.emplace(span.first, tool->first);
  }
  join_ends(trace, at->second);
  return at->second;
}

SpanName Tools::told_by(SpanName name) {
  (void)told_again(name.trace);
  auto const& outermost = outermost_.at(name.trace);
  if (auto const found = outermost.find(name.span); found != outermost.end()) name.span = found->second;
  return name;
}

Result<void> Tools::make_tools() {
  std::set<std::string> traces;
  for (auto const& [name, span] : all_.fresh) {
    traces.insert(name.trace);  // what is between two tools may be new
    if (span->kind != Kind::tool) continue;
    auto const& told = told_again(name.trace);
    bool const is_told = told.contains(name.span);
    if (is_told && teller_of(told_by(name)) != name) continue;
    auto const shared = shared_.found_below(name);
    if (!shared) return shared.error();
    auto records = records_of(all_.key, *span, models_, *shared);
    if (!is_told) tool_records_.emplace(name, all_.out.records.size());
    if (is_told) records.erase(records.begin());  // the unit; of its passages nobody else says anything
    for (auto& record : records) all_.write(std::move(record));
  }
  for (auto const& trace : traces) {
    if (auto removed = shared_.remove_from(trace); !removed) return removed;
    if (auto filled = fill_ends(trace); !filled) return filled;
    auto const& told = told_again(trace);
    std::vector<std::string> gone;
    for (auto const& [span, outer] : told) {
      auto const removed = remove_tool({trace, span});
      if (!removed) return removed.error();
      if (*removed) gone.push_back(span);
    }
    if (auto touched = touch_linkers_of(trace, std::move(gone)); !touched) return touched;
  }
  return {};
}

Result<bool> Tools::remove_tool(SpanName const& name) {
  bool is_removed = false;
  bool const says_for_other = teller_of(told_by(name)) == name;
  for (auto const& ref : {*record_ref(name, Kind::tool), passages_ref(name)}) {
    if (says_for_other && ref == passages_ref(name)) continue;
    auto const vertex = all_.snapshot.find(ref.type, ref.id);
    if (!vertex || all_.snapshot.gone(*vertex)) continue;
    is_removed = true;
    all_.out.deletes.push_back(ref);
    all_.deleted.insert(schema::format_ref(ref));
    if (auto touched = touch_users(all_, *vertex); !touched) return touched.error();
  }
  return is_removed;
}

Result<void> Tools::touch_linkers_of(std::string const& trace, std::vector<std::string> spans) {
  if (spans.empty()) return {};
  std::multimap<std::string_view, std::string const*> inner;
  for (auto const& [span, outer] : told_again(trace)) inner.emplace(outer, &span);
  std::set<std::string> done;
  while (!spans.empty()) {
    auto const span = std::move(spans.back());
    spans.pop_back();
    if (!done.insert(span).second) continue;
    if (auto touched = touch_linkers(all_, {trace, span}); !touched) return touched;
    auto const [first, last] = inner.equal_range(span);
    for (auto at = first; at != last; ++at) spans.push_back(*at->second);
  }
  return {};
}

Result<void> Tools::fill_results(SpanName const& name, SpanFacts const& call, std::vector<Message> const& input,
                                 Sources const& sources) {
  for (auto const& message : input) {
    for (auto const& result : message.results) {
      if (result.id.empty() || result.text.empty()) continue;
      auto const tools = sources.tools_of(result.id, call);
      auto const says_it = [&](std::string_view span) { return all_.find({name.trace, std::string(span)})->has_text; };
      if (std::ranges::any_of(tools, says_it)) continue;  // one that gave nothing has failed
      for (auto const span : tools) {
        if (auto filled = fill_result({name.trace, std::string(span)}, result.text); !filled) return filled;
      }
    }
  }
  return {};
}

Result<void> Tools::fill_result(SpanName const& tool, std::string const& text, std::string const& call_id) {
  auto const fill = [&](schema::ContextUnit& unit) {
    bool const is_new_text = !text.empty() && !unit.content && !unit.content_blob;
    if (is_new_text) unit.content = content_of(text);
    bool const is_new_id = !call_id.empty() && add_call_id(unit, call_id);
    return is_new_text || is_new_id;
  };
  if (auto const fresh = tool_records_.find(tool); fresh != tool_records_.end()) {
    (void)fill(std::get<schema::ContextUnit>(all_.out.records[fresh->second].record));
    return {};
  }
  auto unit = read_unit(tool);
  if (!unit) return unit.error();
  auto& known = *unit;
  if (!known || filled_.contains(tool) || !fill(*known)) return {};
  filled_.insert(tool);
  known->flags = {};
  all_.write(std::move(*known));
  return {};
}

}  // namespace whence::net::capture
