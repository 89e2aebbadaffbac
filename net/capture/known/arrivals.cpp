// What is captured becomes facts in the state of its trace and, at once, the records that keep these facts for what
// comes later. What is known already is passed over, since exporters send again; what is beyond the bounds of a trace
// is rejected.

#include "net/capture/known/arrivals.hpp"

#include "net/capture/messages/comparable.hpp"
#include "net/capture/records/span_records.hpp"
#include "net/capture/trace/facts_of.hpp"
#include "net/capture/trace/prov_records.hpp"
#include "net/capture/trace/refs.hpp"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace whence::net::capture {

Result<void> Arrivals::name_response(SpanName const& call, SpanFacts& facts) {
  for (auto const& id : given_ids(facts)) {
    auto const response = all_.named_response(id);
    if (!response) return response.error();
    if ((*response)->calls.size() < calls_of_response_max) {
      (*response)->calls.insert(call);
    } else if (id == facts.response_id) {
      facts.response_id.clear();
    } else {
      std::erase(facts.items, id);
    }
  }
  return {};
}

Result<void> Arrivals::add_span(CapturedSpan const& span) {
  auto const state = all_.state_of(span.name.trace);
  if (!state) return state.error();
  auto& spans = (*state)->spans;
  if (spans.contains(span.name.span)) return {};
  if (spans.size() >= trace_spans_max) {
    all_.reject("trace " + span.name.trace + " has more than " + std::to_string(trace_spans_max) +
                " spans that become records");
    return {};
  }
  auto facts = facts_of(all_.key, span);
  if (auto named = name_response(span.name, facts); !named) return named;
  for (auto const& id : earlier_ids(facts)) {
    if (auto const response = all_.named_response(id); !response) return response.error();
  }
  all_.write_name(trace_ref(span.name.trace), [&] { return trace_record(span.name.trace); });
  for (auto const& id : named_calls_of(facts)) {
    all_.write_name(named_call_ref(all_.key, id), [&] { return named_call_record(all_.key, id); });
  }
  if (facts.kind == Kind::call && !facts.answer_hash.empty()) {
    all_.write_name(named_answer_ref(facts.answer_hash), [&] { return named_answer_record(facts.answer_hash); });
  }
  bool const is_logged = std::ranges::any_of(
      (*state)->logs, [&](auto const& each) { return each.second.is_output && each.second.span == span.name.span; });
  if (is_logged) all_.answered.insert(span.name);
  if (facts.remote) remote_records_.emplace(span.name, all_.out.records.size());
  all_.write(span_record(all_.key, span.name, span.title, facts));
  spans.emplace(span.name.span, std::move(facts));
  all_.fresh.emplace(span.name, &span);
  if (span.kind != Kind::tool) {  // of tools it has to be known first what they are within
    for (auto& record : records_of(all_.key, span, models_)) all_.write(std::move(record));
  }
  for (auto const& evaluation : span.evaluations) {
    if (auto added = add_log(span.name, facts_of(all_.key, evaluation)); !added) return added;
  }
  return {};
}

Result<void> Arrivals::add_messages(Captured const& captured) {
  using When = std::tuple<SpanName, Nanos, bool>;
  std::set<std::string> traces;
  std::map<When, std::uint32_t> behind;
  for (auto const& said : captured.messages) {
    auto const state = all_.state_of(said.of.trace);
    if (!state) return state.error();
    if (!traces.insert(said.of.trace).second) continue;
    for (auto const& [id, log] : (*state)->logs) {
      if (!log.message || log.is_numbered) continue;
      auto& place = behind[{{said.of.trace, log.span}, log.time, log.is_output}];
      place = std::max(place, log.place + 1);
    }
  }
  for (auto const& said : captured.messages) {
    auto facts = facts_of(all_.key, said);
    auto const before = behind.find({said.of, said.time, said.is_output});
    if (!said.is_numbered && before != behind.end()) facts.place += before->second;
    if (auto added = add_log(said.of, std::move(facts)); !added) return added;
  }
  return {};
}

Result<void> Arrivals::add_log(SpanName const& of, LogFacts facts) {
  std::vector<std::map<std::string, LogFacts>*> places;
  if (!of.trace.empty()) {
    auto const state = all_.state_of(of.trace);
    if (!state) return state.error();
    places.push_back(&(*state)->logs);
  }
  if (facts.evaluation && !facts.evaluation->response_id.empty()) {
    auto const response = all_.named_response(facts.evaluation->response_id);
    if (!response) return response.error();
    places.push_back(&(*response)->ratings);
  }
  auto const is_known = [&](auto const* logs) { return logs->contains(facts.id); };
  if (std::ranges::any_of(places, is_known)) return {};
  if (std::ranges::any_of(places, [](auto const* logs) { return logs->size() >= trace_logs_max; })) {
    all_.reject((of.trace.empty() ? "response " + facts.evaluation->response_id : "trace " + of.trace) +
                " has more than " + std::to_string(trace_logs_max) + " messages and ratings in log records");
    return {};
  }
  if (!of.trace.empty()) {
    all_.write_name(trace_ref(of.trace), [&] { return trace_record(of.trace); });
    all_.touched.insert(of);
    if (facts.is_output) all_.answered.insert(of);
  }
  if (facts.message) {
    for (auto const& result : facts.message->results) {
      bool const is_named = !result.id.empty() && result.text == facts.message->text;
      if (is_named)
        all_.write_name(named_call_ref(all_.key, result.id), [&] { return named_call_record(all_.key, result.id); });
    }
  }
  if (facts.is_output) {
    auto const hash = answer_hash(all_.key, facts.message->text);
    all_.write_name(named_answer_ref(hash), [&] { return named_answer_record(hash); });
  }
  all_.write(log_record(all_.key, of.trace, facts));
  for (auto* const logs : places) logs->emplace(facts.id, facts);
  return {};
}

Result<void> Arrivals::add_plain(std::span<Captured const* const> captured) {
  std::vector<SpanName> parents;
  for (auto const* const each : captured) {
    for (auto const& span : each->plain) {
      plain_.add(span);
      auto const ref = span_ref(span.name);
      if (all_.snapshot.find(ref.type, ref.id)) parents.push_back(span.name);  // something below it came before
    }
  }
  for (auto const& [name, span] : all_.fresh) {
    if (!span->parent.empty()) parents.push_back({name.trace, span->parent});
  }
  while (!parents.empty()) {
    auto const name = std::move(parents.back());
    parents.pop_back();
    auto const* const plain = plain_.find(name);
    auto const state = all_.state_of(name.trace);
    if (!state) return state.error();
    if (plain == nullptr || (*state)->spans.contains(name.span)) continue;
    kept_plain_.push_back({.name = plain->name,
                           .parent = plain->parent,
                           .title = plain->title,
                           .start = plain->start,
                           .end = plain->end,
                           .own = plain->own});
    auto const& kept = kept_plain_.back();
    if (!kept.parent.empty()) parents.push_back({name.trace, kept.parent});
    if (auto added = add_span(kept); !added) return added;
  }
  return {};
}

void Arrivals::answer_remote() {
  std::vector<SpanName> answered;
  for (auto const& [trace, state] : all_.states) {
    std::set<std::string_view> said;
    for (auto const& [id, log] : state.logs) {
      if (log.is_output) said.insert(log.span);
    }
    for (auto const span : said) {
      auto const found = state.spans.find(std::string(span));
      bool const is_asked = found != state.spans.end() && found->second.kind == Kind::chain && found->second.remote;
      if (is_asked) answered.push_back({trace, std::string(span)});
    }
  }
  for (auto const& name : answered) {
    auto& facts = all_.states.at(name.trace).spans.at(name.span);
    kept_plain_.push_back(remote_call(name, facts));
    auto remote = std::move(facts.remote);
    facts = facts_of(all_.key, kept_plain_.back());
    facts.remote = std::move(remote);
    all_.fresh[name] = &kept_plain_.back();
    auto record = span_record(all_.key, name, facts.remote->title, facts);
    if (auto const place = remote_records_.find(name); place != remote_records_.end()) {
      all_.out.records[place->second].record = std::move(record);
    } else {
      all_.write(std::move(record));
    }
  }
}

void Arrivals::mention_others() {
  std::set<SpanName> mentioned;
  auto const mention = [&](SpanName const& name) {
    auto const ref = span_ref(name);
    if (all_.find(name) != nullptr || all_.snapshot.find(ref.type, ref.id) || !mentioned.insert(name).second) return;
    all_.write(mentioned_span(name));
  };
  for (auto const& [name, span] : all_.fresh) {
    auto const* const facts = all_.find(name);
    if (!facts->parent.empty()) mention({name.trace, facts->parent});
    for (auto const& link : facts->links) mention(link);
  }
}

}  // namespace whence::net::capture
