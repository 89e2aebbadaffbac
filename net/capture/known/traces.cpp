// A trace is read from the graph at the first question about it and stays in hand until the derivation ends. A response
// that is named by its id comes with all its calls, also those of other traces.

#include "net/capture/known/traces.hpp"

#include "net/capture/records/span_records.hpp"
#include "net/capture/trace/prov_records.hpp"
#include "net/capture/trace/refs.hpp"

#include <algorithm>
#include <utility>

namespace whence::net::capture {

namespace {

/// Persons of a trace, whose messages an answer of it may be.
constexpr std::size_t persons_max = 8;

/// How many spans around a call are asked whether they are a tool whose result its answer is, and how many such tools.
constexpr std::size_t spans_around_max = 256;
constexpr std::size_t tools_around_max = 8;

}  // namespace

Result<TraceState*> Traces::state_of(std::string const& trace) {
  auto const found = states.find(trace);
  if (found != states.end()) return &found->second;
  auto state = read_trace(trace, snapshot, reader);
  if (!state) return state.error();
  return &states.emplace(trace, std::move(*state)).first->second;
}

Result<NamedResponse*> Traces::named_response(std::string const& id) {
  auto const found = named.find(id);
  if (found != named.end()) return &found->second;
  auto response = read_named_response(key, id, snapshot, reader);
  if (!response) return response.error();
  for (auto const& call : response->calls) {
    if (auto const state = state_of(call.trace); !state) return state.error();
  }
  write_name(named_response_ref(key, id), [&] { return named_response_record(key, id); });
  return &named.emplace(id, std::move(*response)).first->second;
}

SpanFacts const* Traces::find(SpanName const& name) const {
  auto const state = states.find(name.trace);
  if (state == states.end()) return nullptr;
  auto const found = state->second.spans.find(name.span);
  return found == state->second.spans.end() ? nullptr : &found->second;
}

std::set<std::string> Traces::persons_in(std::string const& trace) const {
  std::set<std::string> persons;
  for (auto const& [span, facts] : states.at(trace).spans) {
    for (auto const* const person : {&facts.own.person, &facts.at_resource.person}) {
      if (person->empty() || persons.size() == persons_max) continue;
      if (auto id = belonging_text(*person); !id.empty()) persons.insert(std::move(id));
    }
  }
  return persons;
}

std::vector<std::string> Traces::calls_around(SpanName const& name) const {
  std::vector<std::string> ids;
  auto const& spans = states.at(name.trace).spans;
  auto at = spans.find(name.span);
  for (std::size_t steps = 0; at != spans.end() && steps < spans_around_max && ids.size() < tools_around_max; ++steps) {
    at = spans.find(at->second.parent);
    if (at != spans.end() && !at->second.call_id.empty()) ids.push_back(at->second.call_id);
  }
  return ids;
}

void Traces::write(schema::Record record) {
  out.records.push_back({.record = std::move(record)});
}

bool Traces::is_deleted(std::string const& ref) const {
  auto const node = schema::parse_ref(ref);
  if (!node || snapshot.find(node->type, node->id) || !snapshot.find_deleted(node->type, node->id)) return false;
  auto const is_of_it = [&](schema::IncomingRecord const& each) {
    return schema::type_of(each.record) == node->type && schema::node_id_of(each.record) == node->id;
  };
  return !said.contains(ref) && std::ranges::none_of(out.records, is_of_it);
}

void Traces::renew(schema::NodeRef const& ref) {
  if (renewed.insert(schema::format_ref(ref)).second) out.renews.push_back(ref);
}

void Traces::reject(std::string why) {
  ++out.rejected;
  if (out.why.empty()) out.why = std::move(why);
}

}  // namespace whence::net::capture
