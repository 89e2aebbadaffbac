// See README.md. In words: new spans join what is known of their traces; each new span makes its own records; then
// every response that may have gained something is made again from all that is known of it.

#include "net/capture/derivation.hpp"

#include "graph/snapshot/records.hpp"
#include "net/capture/span_records.hpp"
#include "net/capture/trace_state.hpp"
#include "schema/base/digest.hpp"
#include "schema/base/limits.hpp"
#include "schema/base/text.hpp"
#include "schema/json/json.hpp"
#include "schema/records/context/records.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include <boost/json/object.hpp>

namespace whence::net::capture {

namespace {

namespace json = boost::json;
namespace limits = schema::limits;
using schema::NodeRef;
using schema::RecordType;

/// Whether what ended at `end` ended before `call` began, as far as its clock tells. OpenTelemetry's SDK for JavaScript
/// cuts the start of a span to milliseconds and adds a finer duration to it: then the call began at some time in its
/// millisecond. What ended after the call itself was not before it.
bool may_have_ended_before(Nanos end, SpanFacts const& call) {
  constexpr Nanos millisecond = 1'000'000;
  bool const is_cut = call.start % millisecond == 0;
  return end <= call.start || (is_cut && end < call.start + millisecond && end <= call.end);
}

/// A span among the others of its trace, in an order that nothing can lead back in.
struct Place {
  Nanos start = 0;
  SpanName name = {};

  friend auto operator<=>(Place const&, Place const&) = default;
};

class Derivation {
 public:
  Derivation(graph::Snapshot const& snapshot, schema::RecordReader const& reader, schema::EmbeddingModels const& models)
      : snapshot_(snapshot), reader_(reader), models_(models) {}

  Result<Derived> run(std::span<Captured const* const> captured) {
    for (auto const* const each : captured) {
      for (auto const& span : each->spans) {
        if (auto const added = add_span(span); !added) return added.error();
      }
      for (auto const& said : each->messages) {
        if (auto added = add_log(said.of, facts_of(said)); !added) return added.error();
      }
      for (auto const& evaluation : each->evaluations) {
        if (auto added = add_log(evaluation.of, facts_of(evaluation)); !added) return added.error();
      }
    }
    if (auto const linked = find_linkers(); !linked) return linked.error();
    mention_others();
    if (auto const found = find_repeated(); !found) return found.error();
    for (auto const& [name, facts] : states_) {
      for (auto const& [span, own] : facts.spans) {
        if (own.kind != Kind::call) continue;
        if (auto const made = make_response({name, span}, own); !made) return made.error();
      }
    }
    make_ratings();
    for (auto& [id, unit] : units_) {
      if (auto const added = add_unit(std::move(unit)); !added) return added.error();
    }
    return std::move(out_);
  }

 private:
  Result<TraceState*> state_of(std::string const& trace) {
    auto const found = states_.find(trace);
    if (found != states_.end()) return &found->second;
    auto state = read_trace(trace, snapshot_, reader_);
    if (!state) return state.error();
    return &states_.emplace(trace, std::move(*state)).first->second;
  }

  void write(schema::Record record) { out_.records.push_back({.record = std::move(record)}); }

  void reject(std::string why) {
    ++out_.rejected;
    if (out_.why.empty()) out_.why = std::move(why);
  }

  Result<void> add_trace(std::string const& trace) {
    auto const ref = trace_ref(trace);
    if (!snapshot_.find(ref.type, ref.id) && traces_.insert(trace).second) write(trace_record(trace));
    return {};
  }

  Result<void> add_span(CapturedSpan const& span) {
    auto const state = state_of(span.name.trace);
    if (!state) return state.error();
    auto& spans = (*state)->spans;
    if (spans.contains(span.name.span)) return {};
    if (spans.size() >= trace_spans_max) {
      reject("trace " + span.name.trace + " has more than " + std::to_string(trace_spans_max) +
             " spans that become records");
      return {};
    }
    auto facts = facts_of(span);
    if (auto named = name_response(span.name, facts); !named) return named;
    if (auto added = add_trace(span.name.trace); !added) return added;
    write(span_record(span.name, span.title, facts));
    spans.emplace(span.name.span, std::move(facts));
    fresh_.emplace(span.name, &span);
    for (auto& record : records_of(span, models_)) write(std::move(record));
    for (auto const& evaluation : span.evaluations) {
      if (!evaluation.score) continue;
      if (auto added = add_log(span.name, facts_of(evaluation)); !added) return added;
    }
    return {};
  }

  /// What is known by a response's id, and of the traces of the calls that gave it.
  Result<NamedResponse*> named_response(std::string const& id) {
    auto const found = named_.find(id);
    if (found != named_.end()) return &found->second;
    auto response = read_named_response(id, snapshot_, reader_);
    if (!response) return response.error();
    for (auto const& call : response->calls) {
      if (auto const state = state_of(call.trace); !state) return state.error();
    }
    auto const ref = named_response_ref(id);
    if (!snapshot_.find(ref.type, ref.id)) write(named_response_record(id));
    return &named_.emplace(id, std::move(*response)).first->second;
  }

  /// Joins a call to those that gave a response of the same id.
  Result<void> name_response(SpanName const& call, SpanFacts& facts) {
    if (facts.response_id.empty()) return {};
    auto const response = named_response(facts.response_id);
    if (!response) return response.error();
    if ((*response)->calls.size() >= calls_of_response_max) {
      facts.response_id.clear();
    } else {
      (*response)->calls.insert(call);
    }
    return {};
  }

  Result<void> add_log(SpanName const& of, LogFacts facts) {
    std::vector<std::map<std::string, LogFacts>*> places;
    if (!of.trace.empty()) {
      auto const state = state_of(of.trace);
      if (!state) return state.error();
      places.push_back(&(*state)->logs);
    }
    if (facts.evaluation && !facts.evaluation->response_id.empty()) {
      auto const response = named_response(facts.evaluation->response_id);
      if (!response) return response.error();
      places.push_back(&(*response)->ratings);
    }
    auto const is_known = [&](auto const* logs) { return logs->contains(facts.id); };
    if (std::ranges::any_of(places, is_known)) return {};
    if (std::ranges::any_of(places, [](auto const* logs) { return logs->size() >= trace_logs_max; })) {
      reject((of.trace.empty() ? "response " + facts.evaluation->response_id : "trace " + of.trace) +
             " has more than " + std::to_string(trace_logs_max) + " messages and ratings in log records");
      return {};
    }
    if (!of.trace.empty()) {
      if (auto added = add_trace(of.trace); !added) return added;
      touched_.insert(of);
    }
    write(log_record(of.trace, facts));
    for (auto* const logs : places) logs->emplace(facts.id, facts);
    return {};
  }

  /// Spans of other traces, or of earlier requests, that name a new span as a link: their responses gain a cause.
  Result<void> find_linkers() {
    std::vector<SpanName> linkers;
    for (auto const& [name, span] : fresh_) {
      auto const ref = span_ref(name);
      auto const vertex = snapshot_.find(ref.type, ref.id);
      if (!vertex) continue;
      auto const around = snapshot_.relations_to(*vertex);
      for (std::size_t i = 0; i < around.size(); ++i) {
        if (snapshot_.type(around.edges[i]) != schema::EdgeType::prov_alternate_of) continue;
        if (auto const linker = span_of_ref(snapshot_.id(around.vertices[i]))) linkers.push_back(*linker);
      }
    }
    for (auto const& linker : linkers) {
      if (auto const state = state_of(linker.trace); !state) return state.error();
      touched_.insert(linker);
    }
    for (auto const& [name, span] : fresh_) {  // and what the new ones link
      for (auto const& link : span->links) {
        if (auto const state = state_of(link.trace); !state) return state.error();
      }
    }
    for (auto const& name : touched_) {
      auto const* const facts = find(name);
      if (facts == nullptr) continue;
      auto const links = facts->links;
      for (auto const& link : links) {
        if (auto const state = state_of(link.trace); !state) return state.error();
      }
    }
    return {};
  }

  [[nodiscard]] SpanFacts const* find(SpanName const& name) const {
    auto const state = states_.find(name.trace);
    if (state == states_.end()) return nullptr;
    auto const found = state->second.spans.find(name.span);
    return found == state->second.spans.end() ? nullptr : &found->second;
  }

  /// Parents and links that are not known get a record without content, so that relations can lead to them.
  void mention_others() {
    std::set<SpanName> mentioned;
    auto const mention = [&](SpanName const& name) {
      auto const ref = span_ref(name);
      if (find(name) != nullptr || snapshot_.find(ref.type, ref.id) || !mentioned.insert(name).second) return;
      write(mentioned_span(name));
    };
    for (auto const& [name, span] : fresh_) {
      auto const* const facts = find(name);
      if (!facts->parent.empty()) mention({name.trace, facts->parent});
      for (auto const& link : facts->links) mention(link);
    }
  }

  /// Calls whose answer a call within them gives too: instrumentations of a framework and of the client below it both
  /// report one. What follows from one may bring in further traces, whose own are then found too.
  Result<void> find_repeated() {
    std::set<std::string> searched;
    std::set<SpanName> settled;
    for (std::size_t before = 0; before != states_.size();) {
      before = states_.size();
      for (auto const& [trace, state] : states_) {
        if (searched.insert(trace).second) note_repeated(trace, state);
      }
      for (auto const& [outer, inner] : repeated_) {
        if (!settled.insert(outer).second) continue;
        if (auto const removed = remove_response(outer); !removed) return removed;
      }
    }
    return {};
  }

  void note_repeated(std::string const& trace, TraceState const& state) {
    std::map<std::string, std::vector<std::string>> by_answer;
    for (auto const& [span, facts] : state.spans) {
      if (!facts.answer_hash.empty()) by_answer[facts.answer_hash].push_back(span);
    }
    for (auto const& [answer, spans] : by_answer) {
      for (std::size_t i = 0; spans.size() > 1 && i < spans.size(); ++i) note_outer(trace, state, spans[i], answer);
    }
  }

  /// The response of a call that an inner one repeats goes, where there is one. Whoever had it as a cause through a
  /// link, or rated it by its id, has the inner one now.
  Result<void> remove_response(SpanName const& outer) {
    auto const ref = *record_ref(outer, Kind::call);
    if (!snapshot_.find(ref.type, ref.id)) return {};
    out_.deletes.push_back(ref);
    deleted_.insert(schema::format_ref(ref));
    auto const& response_id = find(outer)->response_id;
    if (!response_id.empty()) {
      if (auto const response = named_response(response_id); !response) return response.error();
    }
    auto const known = span_ref(outer);
    auto const vertex = snapshot_.find(known.type, known.id);
    auto const around = vertex ? snapshot_.relations_to(*vertex) : graph::Neighbours{};
    for (std::size_t i = 0; i < around.size(); ++i) {
      if (snapshot_.type(around.edges[i]) != schema::EdgeType::prov_alternate_of) continue;
      auto const linker = span_of_ref(snapshot_.id(around.vertices[i]));
      if (!linker) continue;
      if (auto const state = state_of(linker->trace); !state) return state.error();
      touched_.insert(*linker);
    }
    return {};
  }

  void note_outer(std::string const& trace, TraceState const& state, std::string const& inner,
                  std::string const& answer) {
    auto at = state.spans.find(inner);
    for (std::size_t steps = 0; steps < trace_spans_max && at != state.spans.end(); ++steps) {
      at = state.spans.find(at->second.parent);
      if (at == state.spans.end() || at->first == inner) return;
      if (at->second.kind != Kind::call || at->second.answer_hash != answer) continue;
      auto& deepest = repeated_[{trace, at->first}];
      if (deepest.span.empty() || is_within(state, inner, deepest.span)) deepest = {trace, inner};
    }
  }

  /// Whether `inner` lies below `outer`.
  static bool is_within(TraceState const& state, std::string const& inner, std::string const& outer) {
    auto at = state.spans.find(inner);
    for (std::size_t steps = 0; steps < trace_spans_max && at != state.spans.end(); ++steps) {
      if (at->second.parent == outer) return true;
      at = state.spans.find(at->second.parent);
    }
    return false;
  }

  /// What a link to `name` leads to, for a call at `place`: a record of a span that began before.
  [[nodiscard]] std::optional<std::string> linked_record(SpanName name, Place const& place) const {
    if (auto const inner = repeated_.find(name); inner != repeated_.end()) name = inner->second;
    auto const* const facts = find(name);
    if (facts == nullptr || Place{facts->start, name} >= place) return std::nullopt;
    auto const ref = record_ref(name, facts->kind);
    return ref ? std::optional{schema::format_ref(*ref)} : std::nullopt;
  }

  /// The retrievals and tool calls of the trace that ended before the call began, the latest `refs_max` of them.
  [[nodiscard]] std::set<std::string> causes_of(SpanName const& name, SpanFacts const& call) const {
    std::set<std::string> causes;
    for (auto const& [span, facts] : states_.at(name.trace).spans) {
      bool const is_source = facts.kind == Kind::retrieval || facts.kind == Kind::tool;
      if (!is_source || !may_have_ended_before(facts.end, call)) continue;
      causes.insert(schema::format_ref(*record_ref({name.trace, span}, facts.kind)));
    }
    for (auto const& link : call.links) {
      if (auto const ref = linked_record(link, {call.start, name})) causes.insert(*ref);
    }
    return causes;
  }

  /// Whether something new may be a cause of a known response, or say something of it.
  [[nodiscard]] bool may_have_grown(SpanName const& name, SpanFacts const& call) const {
    if (fresh_.contains(name) || touched_.contains(name)) return true;
    for (auto at = fresh_.lower_bound({name.trace, {}}); at != fresh_.end() && at->first.trace == name.trace; ++at) {
      auto const kind = at->second->kind;
      if ((kind == Kind::retrieval || kind == Kind::tool) && may_have_ended_before(at->second->end, call)) return true;
    }
    return std::ranges::any_of(call.links, [&](SpanName const& link) { return fresh_.contains(link); });
  }

  Result<void> make_response(SpanName const& name, SpanFacts const& call) {
    if (!may_have_grown(name, call)) return {};
    if (repeated_.contains(name)) {
      note_messages(name, call);
      return {};
    }
    auto const ref = *record_ref(name, Kind::call);
    auto const fresh = fresh_.find(name);
    std::optional<schema::Response> before;
    if (fresh == fresh_.end()) {
      auto known = read_response(ref);
      if (!known) return known.error();
      if (!*known) return {};  // deleted since: it stays so
      before = **known;
    }
    auto response = before ? *before : response_of(*fresh->second);
    std::set<std::string> refs;
    if (response.prompt_refs) refs.insert(response.prompt_refs->begin(), response.prompt_refs->end());
    for (auto const& deleted : deleted_) refs.erase(deleted);
    refs.merge(causes_of(name, call));
    if (fresh != fresh_.end()) {
      for (auto const& message : fresh->second->input) use(message, call.start, refs);
    }
    add_said(name, call, response, refs);
    response.prompt_refs.reset();
    if (!refs.empty()) {
      auto& all = response.prompt_refs.emplace(refs.begin(), refs.end());
      if (all.size() > limits::refs_max) all.resize(limits::refs_max);
    }
    if (before && *before == response) return {};
    response.flags = {};
    made_.emplace(ref.id, response.timestamp);
    write(std::move(response));
    return {};
  }

  /// The units of what an outer call was given: they would be there had it come before the inner one.
  void note_messages(SpanName const& name, SpanFacts const& call) {
    std::set<std::string> refs;
    if (auto const fresh = fresh_.find(name); fresh != fresh_.end()) {
      for (auto const& message : fresh->second->input) use(message, call.start, refs);
    }
    schema::Response nobodys;
    add_said(name, call, nobodys, refs);
  }

  Result<std::optional<schema::Response>> read_response(NodeRef const& ref) const {
    std::optional<schema::Response> found;
    auto const vertex = snapshot_.find(ref.type, ref.id);
    if (!vertex) return found;
    auto const read =
        graph::read_those_there(snapshot_, reader_, {&*vertex, 1}, [&](std::size_t, schema::Record&& record) {
          found = std::get<schema::Response>(std::move(record));
          return true;
        });
    if (!read) return read.error();
    return found;
  }

  /// What log records say of the call, in the order of their times: the prompt and the answer where its span says none.
  void add_said(SpanName const& name, SpanFacts const& call, schema::Response& response, std::set<std::string>& refs) {
    std::vector<LogFacts const*> said;
    for (auto const& [id, facts] : states_.at(name.trace).logs) {
      if (facts.span == name.span && facts.message) said.push_back(&facts);
    }
    std::ranges::sort(said, {}, [](LogFacts const* each) {
      return std::tuple{each->time, each->place, each->message->role != "system", each->id};
    });
    std::vector<Message> input;
    std::vector<Message> output;
    for (auto const* const each : said) (each->is_output ? output : input).push_back(*each->message);
    if (!call.has_prompt && !input.empty()) {
      for (auto const& message : input) use(message, call.start, refs);
      set_text(response.prompt, response.prompt_blob, content_of(joined(input)));
    }
    if (call.answer_hash.empty() && !output.empty()) {
      set_text(response.content, response.content_blob, content_of(joined(output)));
    }
  }

  /// A long text that is known stays a digest.
  static void set_text(std::optional<std::string>& text, std::optional<schema::Digest>& blob, std::string now) {
    if (blob && *blob == schema::sha256(now)) return;
    blob.reset();
    text = std::move(now);
  }

  /// Notes the unit of a message, with the earliest time at which it was said. A unit that a client made from others is
  /// none of the causes: it might have been made from the response itself.
  void use(Message const& message, Nanos time, std::set<std::string>& refs) {
    auto unit = unit_of(message, time);
    auto const known = snapshot_.find(RecordType::context_unit, unit.id);
    if (known && !snapshot_.causes(*known).empty()) return;
    refs.insert(schema::format_ref(RecordType::context_unit, unit.id));
    auto const [at, is_first] = units_.try_emplace(unit.id, unit);
    if (!is_first) at->second.timestamp = std::min(at->second.timestamp, unit.timestamp);
  }

  /// A known unit changes only where it was said earlier than it was known, and no client wrote it.
  Result<void> add_unit(schema::ContextUnit unit) {
    auto const vertex = snapshot_.find(RecordType::context_unit, unit.id);
    if (vertex) {
      bool is_later = false;
      auto const read =
          graph::read_those_there(snapshot_, reader_, {&*vertex, 1}, [&](std::size_t, schema::Record&& record) {
            auto const& known = std::get<schema::ContextUnit>(record);
            is_later = known.attributes == unit.attributes && known.timestamp > unit.timestamp;
            return true;
          });
      if (!read) return read.error();
      if (!is_later) return {};
    }
    write(std::move(unit));
    return {};
  }

  void make_ratings() {
    for (auto const& [trace, state] : states_) {
      for (auto const& [id, facts] : state.logs) {
        if (facts.evaluation) make_rating({trace, facts.span}, facts);
      }
    }
    for (auto const& [response, known] : named_) {
      for (auto const& [id, facts] : known.ratings) {
        for (auto const& call : known.calls) make_rating(call, facts);
      }
    }
  }

  void make_rating(SpanName of, LogFacts const& facts) {
    if (auto const inner = repeated_.find(of); inner != repeated_.end()) of = inner->second;
    auto const* const call = find(of);
    if (call == nullptr || call->kind != Kind::call) return;
    auto const ref = *record_ref(of, Kind::call);
    bool const is_there = made_.contains(ref.id) || snapshot_.find(ref.type, ref.id);
    bool const is_of_trace = states_.at(of.trace).logs.contains(facts.id);
    auto const id = "fb_" + facts.id + "_" + (is_of_trace ? "" : of.trace + "_") + of.span;
    if (!is_there || snapshot_.find(RecordType::feedback_record, id) || !rated_.insert(id).second) return;
    schema::FeedbackRecord feedback{.id = id,
                                    .response_id = ref.id,
                                    .timestamp = time_of_nanos(std::max(facts.time, call->end)),
                                    .score = std::clamp(facts.evaluation->score.value_or(0), -1.0, 1.0)};
    auto text = facts.evaluation->text;
    if (text.empty()) text = facts.evaluation->label;
    if (!text.empty()) feedback.feedback_text = schema::cut(text, limits::feedback_text_max - 3);
    json::object const own{{"name", facts.evaluation->name}, {"label", facts.evaluation->label}};
    feedback.attributes = schema::Attributes{schema::json::to_canonical_text(json::value(own))};
    write(std::move(feedback));
  }

  graph::Snapshot const& snapshot_;
  schema::RecordReader const& reader_;
  schema::EmbeddingModels const& models_;
  Derived out_;
  std::map<std::string, TraceState> states_;    // with what is new
  std::map<std::string, NamedResponse> named_;  // by the response's id, with what is new
  std::set<std::string> traces_;                // whose own record is new
  std::map<SpanName, CapturedSpan const*> fresh_;
  std::set<SpanName> touched_;                        // calls of which something else became known
  std::map<SpanName, SpanName> repeated_;             // an outer call, the innermost that gives the same answer
  std::set<std::string> deleted_;                     // refs of responses that go
  std::set<std::string> rated_;                       // ids of feedback written here
  std::map<std::string, schema::Time> made_;          // responses written here
  std::map<std::string, schema::ContextUnit> units_;  // of messages
};

}  // namespace

Result<Derived> derive(std::span<Captured const* const> captured, graph::Snapshot const& snapshot,
                       schema::RecordReader const& reader, schema::EmbeddingModels const& models) {
  return Derivation(snapshot, reader, models).run(captured);
}

}  // namespace whence::net::capture
