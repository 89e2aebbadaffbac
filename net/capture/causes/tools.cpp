#include "net/capture/causes/tools.hpp"

#include "graph/snapshot/records.hpp"
#include "net/capture/known/arrivals.hpp"
#include "net/capture/known/users.hpp"
#include "net/capture/records/span_records.hpp"
#include "net/capture/trace/record_texts.hpp"
#include "net/capture/trace/refs.hpp"
#include "schema/records/context/records.hpp"

#include <optional>
#include <utility>
#include <variant>

namespace whence::net::capture {

using schema::RecordType;

std::map<std::string, std::string> const& Tools::told_again(std::string const& trace) {
  auto const [at, is_new] = told_again_.try_emplace(trace);
  if (!is_new) return at->second;
  auto const& spans = all_.states.at(trace).spans;
  // The nearest tool around each span; null: there is none, or an agent's run lies between.
  using NamedSpan = std::pair<std::string const, SpanFacts>;
  std::map<NamedSpan const*, NamedSpan const*> around;
  for (auto const& span : spans) {
    auto const& facts = span.second;
    if (facts.kind != Kind::tool || facts.answer_hash.empty()) continue;
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
    bool const is_same = tool != nullptr && tool->second.answer_hash == facts.answer_hash;
    bool const is_of_call = is_same && (facts.call_id.empty() || facts.call_id == tool->second.call_id);
    if (is_of_call) at->second.emplace(span.first, tool->first);
  }
  return at->second;
}

SpanName Tools::told_by(SpanName name) {
  auto const& told = told_again(name.trace);
  for (std::size_t i = 0; i < told.size(); ++i) {  // parents may be a circle
    auto const outer = told.find(name.span);
    if (outer == told.end()) break;
    name.span = outer->second;
  }
  return name;
}

Result<void> Tools::make_tools() {
  std::set<std::string> traces;
  for (auto const& [name, span] : all_.fresh) {
    traces.insert(name.trace);  // what is between two tools may be new
    if (span->kind != Kind::tool || told_again(name.trace).contains(name.span)) continue;
    tool_records_.emplace(name, all_.out.records.size());
    auto const shared = shared_.found_below(name);
    if (!shared) return shared.error();
    for (auto& record : records_of(all_.key, *span, models_, *shared)) all_.write(std::move(record));
  }
  for (auto const& trace : traces) {
    if (auto removed = shared_.remove_from(trace); !removed) return removed;
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
  for (auto const& ref : {*record_ref(name, Kind::tool), passages_ref(name)}) {
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
      for (auto const span : sources.tools_of(result.id, call)) {
        SpanName const tool{name.trace, std::string(span)};
        if (all_.find(tool)->has_text) continue;
        if (auto filled = fill_result(tool, result.text); !filled) return filled;
      }
    }
  }
  return {};
}

Result<void> Tools::fill_result(SpanName const& tool, std::string const& text) {
  if (auto const fresh = tool_records_.find(tool); fresh != tool_records_.end()) {
    auto& unit = std::get<schema::ContextUnit>(all_.out.records[fresh->second].record);
    if (!unit.content) unit.content = content_of(text);
    return {};
  }
  auto const vertex = all_.snapshot.find(RecordType::context_unit, record_ref(tool, Kind::tool)->id);
  if (!vertex || all_.snapshot.gone(*vertex)) return {};
  std::optional<schema::ContextUnit> known;
  auto const read =
      graph::read_those_there(all_.snapshot, all_.reader, {&*vertex, 1}, [&](std::size_t, schema::Record&& record) {
        known = std::get<schema::ContextUnit>(std::move(record));
        return true;
      });
  if (!read) return read.error();
  if (!known || known->content || known->content_blob || !filled_.insert(tool).second) return {};
  known->content = content_of(text);
  known->flags = {};
  all_.write(std::move(*known));
  return {};
}

}  // namespace whence::net::capture
