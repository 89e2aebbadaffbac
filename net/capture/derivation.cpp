// See README.md. In words: new spans join what is known of their traces; each new span makes its own records; then
// every response that may have gained something is made again from all that is known of it.

#include "net/capture/derivation.hpp"

#include "graph/snapshot/records.hpp"
#include "net/capture/record_texts.hpp"
#include "net/capture/sources.hpp"
#include "net/capture/span_records.hpp"
#include "net/capture/trace_state.hpp"
#include "net/plain_text/sought_texts.hpp"
#include "schema/base/limits.hpp"
#include "schema/base/text.hpp"
#include "schema/json/json.hpp"
#include "schema/records/context/records.hpp"
#include "schema/types/edge_type.hpp"

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include <boost/json/object.hpp>

namespace whence::net::capture {

namespace {

namespace json = boost::json;
namespace limits = schema::limits;
using schema::Basis;
using schema::NodeRef;
using schema::RecordType;

/// How many spans that an id or a text leads to are asked.
constexpr std::size_t users_max = 64;

/// Answers of a trace that are sought within later prompts.
constexpr std::size_t answers_max = 256;

/// Bytes of an answer that joins calls of different traces without a conversation, or is within a text: shorter ones
/// are said by many.
constexpr std::size_t joining_min = 16;

/// A span among the others of its trace, in an order that nothing can lead back in.
struct Place {
  Nanos start = 0;
  SpanName name = {};

  friend auto operator<=>(Place const&, Place const&) = default;
};

class Derivation {
 public:
  Derivation(graph::Snapshot const& snapshot, schema::RecordReader const& reader, schema::EmbeddingModels const& models,
             PlainSpans& plain, std::function<bool()> const& must_end)
      : snapshot_(snapshot), reader_(reader), models_(models), plain_(plain), must_end_(must_end) {}

  Result<Derived> run(std::span<Captured const* const> captured) {
    for (auto const* const each : captured) {
      for (auto const& span : each->spans) {
        if (must_end()) return ended();
        if (auto const added = add_span(span); !added) return added.error();
      }
      for (auto const& said : each->messages) {
        if (auto added = add_log(said.of, facts_of(said)); !added) return added.error();
      }
      for (auto const& evaluation : each->evaluations) {
        if (auto added = add_log(evaluation.of, facts_of(evaluation)); !added) return added.error();
      }
    }
    if (auto const linked = add_plain(captured); !linked) return linked.error();
    if (auto const found = find_users(); !found) return found.error();
    if (auto const linked = find_linkers(); !linked) return linked.error();
    mention_others();
    if (auto const found = find_repeated(); !found) return found.error();
    for (auto const& [name, facts] : states_) {
      for (auto const& [span, own] : facts.spans) {
        if (own.kind != Kind::call) continue;
        if (must_end()) return ended();
        if (auto const made = make_response({name, span}, own); !made) return made.error();
      }
    }
    if (auto const removed = remove_units(); !removed) return removed.error();
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

  [[nodiscard]] bool must_end() const { return must_end_ && must_end_(); }
  static Error ended() { return {.code = Errc::busy, .message = "the server stops"}; }

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
    for (auto const& id : named_calls_of(facts)) {
      auto const ref = named_call_ref(id);
      if (!snapshot_.find(ref.type, ref.id) && tool_calls_.insert(id).second) write(named_call_record(id));
    }
    if (facts.kind == Kind::call && !facts.answer_hash.empty()) {
      auto const ref = named_answer_ref(facts.answer_hash);
      if (!snapshot_.find(ref.type, ref.id) && answers_.insert(facts.answer_hash).second)
        write(named_answer_record(facts.answer_hash));
    }
    write(span_record(span.name, span.title, facts));
    spans.emplace(span.name.span, std::move(facts));
    fresh_.emplace(span.name, &span);
    if (span.kind == Kind::tool) tool_records_.emplace(span.name, out_.records.size());
    for (auto& record : records_of(span, models_)) write(std::move(record));
    for (auto const& evaluation : span.evaluations) {
      if (auto added = add_log(span.name, facts_of(evaluation)); !added) return added;
    }
    return {};
  }

  static std::vector<std::string> named_calls_of(SpanFacts const& facts) {
    auto ids = facts.results;
    if (!facts.call_id.empty()) ids.push_back(facts.call_id);
    return ids;
  }

  /// Plain spans that something of ours is below: of these requests, and of earlier ones.
  Result<void> add_plain(std::span<Captured const* const> captured) {
    std::vector<SpanName> parents;
    for (auto const* const each : captured) {
      for (auto const& span : each->plain) {
        plain_.add(span);
        auto const ref = span_ref(span.name);
        if (snapshot_.find(ref.type, ref.id)) parents.push_back(span.name);  // something below it came before
      }
    }
    for (auto const& [name, span] : fresh_) {
      if (!span->parent.empty()) parents.push_back({name.trace, span->parent});
    }
    while (!parents.empty()) {
      auto const name = std::move(parents.back());
      parents.pop_back();
      auto const* const plain = plain_.find(name);
      auto const state = state_of(name.trace);
      if (!state) return state.error();
      if (plain == nullptr || (*state)->spans.contains(name.span)) continue;
      kept_plain_.push_back({.name = plain->name,
                             .parent = plain->parent,
                             .title = plain->title,
                             .start = plain->start,
                             .end = plain->end});
      auto const& kept = kept_plain_.back();
      if (!kept.parent.empty()) parents.push_back({name.trace, kept.parent});
      if (auto added = add_span(kept); !added) return added;
    }
    return {};
  }

  /// Calls, of any trace, that may be made from what is new: whose prompt has the result of a new call of a tool, or
  /// says what a new response answered.
  Result<void> find_users() {
    auto const touch = [&](SpanName const& name) -> Result<void> {
      if (auto const state = state_of(name.trace); !state) return state.error();
      touched_.insert(name);
      return {};
    };
    auto const fresh = fresh_;
    for (auto const& [name, span] : fresh) {
      auto ids = named_calls_of(*find(name));
      if (span->kind == Kind::call) {  // who has the results has the message that asked for them
        auto const asked = comparable(span->answer).calls;
        ids.insert(ids.end(), asked.begin(), asked.end());
      }
      for (auto const& id : ids) {
        auto const ref = named_call_ref(id);
        auto const vertex = snapshot_.find(ref.type, ref.id);
        if (!vertex) continue;
        auto const around = snapshot_.relations_to(*vertex);
        for (std::size_t i = 0; i < std::min(around.size(), users_max); ++i) {
          auto const other = span_of_ref(snapshot_.id(around.vertices[i]));
          if (!other) continue;
          if (auto done = touch(*other); !done) return done;
        }
      }
      if (span->kind != Kind::call || span->answer.empty()) continue;
      auto units = answer_units(span->answer);
      for (auto const above : spans_above(states_.at(name.trace), name.span)) {  // whose result the answer may be
        auto const* const tool = find({name.trace, std::string(above)});
        if (tool == nullptr || tool->call_id.empty()) continue;
        for (auto const* const role : {"tool", "user", "function"})
          units.push_back(unit_of(result_message(role, tool->call_id, span->answer), 0).id);
      }
      for (auto const& unit : units) {
        auto const vertex = snapshot_.find(RecordType::context_unit, unit);
        if (!vertex) continue;
        auto const effects = snapshot_.effects(*vertex);
        for (std::size_t i = 0; i < std::min(effects.size(), users_max); ++i) {
          auto const id = snapshot_.id(effects.vertices[i]);
          auto const other = call_of_response(id);
          if (!other) continue;
          if (auto done = touch(*other); !done) return done;
        }
      }
    }
    return {};
  }

  /// The units that a message with this text may be.
  static std::vector<std::string> answer_units(std::string const& answer) {
    std::vector<std::string> ids;
    for (auto const* const role : {"assistant", "user", "model", "ai", "system", "tool"}) {
      ids.push_back(unit_of({.role = role, .text = answer}, 0).id);
    }
    return ids;
  }

  static Message result_message(std::string role, std::string const& call_id, std::string const& text) {
    return {.role = std::move(role), .text = text, .results = {{call_id, text}}};
  }

  static std::optional<SpanName> call_of_response(std::string_view id) {
    if (!id.starts_with("resp_") || id.size() != 54 || id[37] != '_') return std::nullopt;
    return SpanName{std::string(id.substr(5, 32)), std::string(id.substr(38))};
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
      if (facts.is_output) answered_.insert(of);
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
      std::set<SpanName> outer(wrappers_);
      for (auto const& [name, inner] : repeated_) outer.insert(name);
      for (auto const& name : outer) {
        if (!settled.insert(name).second) continue;
        if (auto removed = remove_response(name); !removed) return removed;
      }
    }
    return {};
  }

  /// The hash of what a call answered, as its span or else log records say; empty: neither does.
  std::string const& hash_of_answer(std::string const& trace, std::string const& span, SpanFacts const& facts) {
    if (!facts.answer_hash.empty()) return facts.answer_hash;
    auto const [at, is_new] = logged_.try_emplace(trace);
    if (is_new) {
      std::map<std::string_view, std::vector<LogFacts const*>> said;
      for (auto const& [id, log] : states_.at(trace).logs) {
        if (log.is_output) said[log.span].push_back(&log);
      }
      for (auto& [of, logs] : said) {
        std::ranges::sort(logs, {}, [](LogFacts const* log) { return std::tuple{log->time, log->place, log->id}; });
        std::vector<Message> output;
        output.reserve(logs.size());
        for (auto const* const log : logs) output.push_back(*log->message);
        auto text = joined(output);
        if (!text.empty()) at->second.emplace(of, Logged{.text = text, .hash = answer_hash(text)});
      }
    }
    static std::string const none;
    auto const found = at->second.find(span);
    return found == at->second.end() ? none : found->second.hash;
  }

  /// Notes the outer calls of a trace: each that a call below it gives the same answer as, for which the innermost such
  /// call stands, and the wrappers: each that has no answer of its own and a call below. One walk down from the roots.
  void note_repeated(std::string const& trace, TraceState const& state) {
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
      bool has_call_below = false;
    };
    std::map<std::string_view, std::vector<std::size_t>> by_answer;  // places on the path
    std::vector<std::size_t> calls;
    std::vector<Open> path;
    auto const enter = [&](std::string_view span) {
      auto const& facts = state.spans.at(std::string(span));
      path.push_back({.span = span});
      if (facts.kind != Kind::call) return;
      calls.push_back(path.size() - 1);
      auto const& hash = hash_of_answer(trace, std::string(span), facts);
      if (!hash.empty()) by_answer[hash].push_back(path.size() - 1);
    };
    auto const leave_call = [&](Open const& open, SpanFacts const& facts) {
      SpanName const name{trace, std::string(open.span)};
      calls.pop_back();
      if (!calls.empty()) path[calls.back()].has_call_below = true;
      auto const& hash = hash_of_answer(trace, name.span, facts);
      if (!hash.empty()) by_answer[hash].pop_back();
      if (facts.answer_hash.empty() && open.has_call_below) wrappers_.insert(name);
      if (hash.empty() || wrappers_.contains(name)) return;
      auto& same = by_answer[hash];
      if (!open.inner.empty()) repeated_[name] = {trace, std::string(open.inner)};
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
        if (facts.kind == Kind::call) leave_call(Open(open), facts);
        path.pop_back();
      }
    }
  }

  /// Whether a call is no response: an inner one repeats it, or it only wraps one.
  [[nodiscard]] bool is_outer(SpanName const& name) const {
    return repeated_.contains(name) || wrappers_.contains(name);
  }

  /// The response of a call that an inner one repeats goes, where there is one. Whoever had it as a cause through a
  /// link, or rated it by its id, has the inner one now.
  Result<void> remove_response(SpanName const& outer) {
    auto const ref = *record_ref(outer, Kind::call);
    bool const is_there = snapshot_.find(ref.type, ref.id).has_value();
    auto const inner = repeated_.find(outer);
    if (!is_there && (inner == repeated_.end() || !fresh_.contains(inner->second))) return {};
    if (is_there) {
      out_.deletes.push_back(ref);
      deleted_.insert(schema::format_ref(ref));
    }
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

  /// What a link to `name` leads to, for a call at `place`: a record of a span that began before.
  [[nodiscard]] std::optional<std::string> linked_record(SpanName name, Place const& place) const {
    if (auto const inner = repeated_.find(name); inner != repeated_.end()) name = inner->second;
    auto const* const facts = find(name);
    if (facts == nullptr || wrappers_.contains(name) || Place{facts->start, name} >= place) return std::nullopt;
    auto const ref = record_ref(name, facts->kind);
    return ref ? std::optional{schema::format_ref(*ref)} : std::nullopt;
  }

  // --- causes ---

  /// The sources of a trace, read once.
  Result<Sources const*> sources_of(std::string const& trace) {
    auto const known = sources_.find(trace);
    if (known != sources_.end()) return &known->second;
    auto const& state = states_.at(trace);
    Sources sources(state);
    for (auto const& [span, facts] : state.spans) {
      if (facts.kind != Kind::retrieval && facts.kind != Kind::tool) continue;
      SpanName const name{trace, span};
      auto texts = texts_of(name, facts);
      if (!texts) return texts.error();
      sources.add(span, facts, schema::format_ref(*record_ref(name, facts.kind)), *texts);
    }
    sources.settle();
    return &sources_.emplace(trace, std::move(sources)).first->second;
  }

  /// The texts that a source gave, each with the ref of its record.
  Result<std::vector<std::pair<std::string, std::string>>> texts_of(SpanName const& name,
                                                                    SpanFacts const& facts) const {
    std::vector<std::pair<std::string, std::string>> texts;
    if (!facts.has_text) return texts;
    if (auto const fresh = fresh_.find(name); fresh != fresh_.end()) {
      if (facts.kind == Kind::tool) {
        texts.emplace_back(schema::format_ref(*record_ref(name, facts.kind)), fresh->second->answer);
      }
      for (auto& [id, text] : passages_of(*fresh->second)) {
        if (!text.empty()) texts.emplace_back(schema::format_ref(RecordType::retrieved_chunk, id), std::move(text));
      }
      return texts;
    }
    std::vector<schema::VertexId> vertices;
    auto const add = [&](NodeRef const& ref) {
      auto const vertex = snapshot_.find(ref.type, ref.id);
      if (vertex && !snapshot_.gone(*vertex)) vertices.push_back(*vertex);
    };
    if (facts.kind == Kind::tool) add(*record_ref(name, facts.kind));
    for (auto const& id : facts.chunks) add({RecordType::retrieved_chunk, id});
    auto const read = graph::read_those_there(snapshot_, reader_, vertices, [&](std::size_t, schema::Record&& record) {
      if (auto const* const unit = std::get_if<schema::ContextUnit>(&record); unit != nullptr) {
        auto text = unit->content;
        if (!text && unit->content_blob) {
          if (auto kept = reader_.read_blob(*unit->content_blob)) text = std::move(*kept);  // else it is not sought
        }
        if (text) texts.emplace_back(schema::format_ref(RecordType::context_unit, unit->id), std::move(*text));
      } else if (auto const* const chunk = std::get_if<schema::RetrievedChunk>(&record); chunk != nullptr) {
        texts.emplace_back(schema::format_ref(RecordType::retrieved_chunk, chunk->chunk_id), chunk->content);
      }
      return true;
    });
    if (!read) return read.error();
    return texts;
  }

  /// What a call was made from: its sources (`Sources::found_by`), earlier answers that are messages of its prompt, and
  /// what its span links. `known` are its causes so far.
  Result<Causes> causes_of(SpanName const& name, SpanFacts const& call, Prompt const& prompt, Causes const& known) {
    auto const sources = sources_of(name.trace);
    if (!sources) return sources.error();
    auto const& state = states_.at(name.trace);
    bool const is_new = is_new_around(name);
    Causes causes;
    if (auto const joined = add_answers(name, call, prompt, causes); !joined) return joined.error();
    if (auto const joined = add_named(name, call, prompt, causes); !joined) return joined.error();
    for (auto const& link : call.links) {
      if (auto const ref = linked_record(link, {call.start, name})) add_cause(causes, *ref, Basis::given);
    }
    auto const is_evidence = [](auto const& each) { return each.second == Basis::id || each.second == Basis::text; };
    bool const has_evidence = std::ranges::any_of(causes, is_evidence) || std::ranges::any_of(known, is_evidence);
    auto const found = (*sources)->found_by({.call = call,
                                             .above = spans_above(state, name.span),
                                             .prompt = prompt,
                                             .known = known,
                                             .has_evidence = has_evidence,
                                             .moved = is_new ? nullptr : &moved_sources(name.trace)});
    for (auto const& [ref, basis] : found) add_cause(causes, ref, basis);
    return causes;
  }

  /// Earlier answers that are messages of the prompt, byte for byte. Of equal ones that of the call in the same trace
  /// which is nearest to this; else the latest of the same conversation; without a conversation the only one.
  Result<void> add_answers(SpanName const& name, SpanFacts const& call, Prompt const& prompt, Causes& causes) {
    auto const& state = states_.at(name.trace);
    auto const above = spans_above(state, name.span);
    std::set<std::string_view> const around(above.begin(), above.end());
    std::map<std::string_view, std::pair<std::size_t, Place>> nearest;  // by hash: spans around both, and which
    auto const offer = [&](std::string const& span, SpanFacts const& facts, std::string_view hash) {
      Place const earlier{facts.start, {name.trace, span}};
      if (earlier >= Place{call.start, name} || is_outer(earlier.name)) return;
      auto const both = static_cast<std::size_t>(std::ranges::count_if(
          spans_above(state, span), [&](std::string_view each) { return around.contains(each); }));
      auto const [best, is_first] = nearest.try_emplace(hash, both, earlier);
      if (!is_first) best->second = std::max(best->second, {both, earlier});
    };
    for (auto const& [span, facts] : state.spans) {
      if (facts.kind != Kind::call) continue;
      auto const& hash = hash_of_answer(name.trace, span, facts);
      if (!hash.empty() && prompt.answers.contains(hash)) offer(span, facts, hash);
    }
    for (auto const& [hash, bytes] : prompt.answers) {
      std::optional<SpanName> found;
      if (auto const own = nearest.find(hash); own != nearest.end()) {
        found = own->second.second.name;
      } else {
        auto other = answer_of_others(hash, bytes, name, call);
        if (!other) return other.error();
        found = std::move(*other);
      }
      if (!found) continue;
      said_again_.insert(hash);
      add_cause(causes, schema::format_ref(*record_ref(*found, Kind::call)), Basis::text);
    }
    nearest.clear();
    auto const quoted = answers_in(name.trace, prompt);
    if (!quoted) return quoted.error();
    for (auto const& span : *quoted) {
      auto const& facts = state.spans.at(span);
      auto const& hash = hash_of_answer(name.trace, span, facts);
      if (prompt.answers.contains(hash)) continue;
      auto const is_repeated = is_echo({name.trace, span});
      if (!is_repeated) return is_repeated.error();
      if (!*is_repeated) offer(span, facts, hash);
    }
    for (auto const& [hash, found] : nearest)
      add_cause(causes, schema::format_ref(*record_ref(found.second.name, Kind::call)), Basis::text);
    return {};
  }

  /// The answers of a trace's calls that may be within texts of later ones: the latest `answers_max`.
  struct Answers {
    std::vector<std::string> spans = {};
    plain_text::SoughtTexts sought = {};
  };

  /// The calls of a trace whose whole answer, of `joining_min` bytes or more, is in a prompt. What a call only repeated
  /// of its own prompt shows nothing.
  Result<std::vector<std::string>> answers_in(std::string const& trace, Prompt const& prompt) {
    auto const [at, is_new] = quotable_.try_emplace(trace);
    if (is_new) {
      if (auto read = read_answers(trace, at->second); !read) return read.error();
    }
    std::vector<std::string> spans;
    if (at->second.spans.empty()) return spans;
    auto const found = at->second.sought.found_in(prompt.text, {});
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (found[i]) spans.push_back(at->second.spans[i]);
    }
    return spans;
  }

  Result<void> read_answers(std::string const& trace, Answers& answers) {
    std::vector<Place> calls;
    auto const& state = states_.at(trace);
    auto const is_call = [](auto const& each) { return each.second.kind == Kind::call; };
    if (std::ranges::count_if(state.spans, is_call) < 2) return {};
    for (auto const& [span, facts] : state.spans) {
      bool const is_answered = facts.kind == Kind::call && !hash_of_answer(trace, span, facts).empty();
      if (is_answered && !is_outer({trace, span})) calls.push_back({facts.start, {trace, span}});
    }
    std::ranges::sort(calls, std::ranges::greater{});
    if (calls.size() > answers_max) calls.resize(answers_max);
    auto const add = [&](std::string const& span, std::string_view answer) {
      if (answer.size() < joining_min) return;
      answers.spans.push_back(span);
      answers.sought.add(answer);
    };
    for (auto const& [start, name] : calls) {
      auto const answer = answer_text(name);
      if (!answer) return answer.error();
      add(name.span, *answer);
    }
    return {};
  }

  /// What a call answered; empty where it is gone. Fails as `RecordReader::read`.
  Result<std::string> answer_text(SpanName const& name) const {
    auto const fresh = fresh_.find(name);
    if (fresh != fresh_.end() && !fresh->second->answer.empty()) return fresh->second->answer;
    if (auto const trace = logged_.find(name.trace); trace != logged_.end()) {
      if (auto const logged = trace->second.find(name.span); logged != trace->second.end()) return logged->second.text;
    }
    auto const response = read_response(*record_ref(name, Kind::call));
    if (!response) return response.error();
    if (!*response) return std::string{};
    return kept_text((*response)->content, (*response)->content_blob);
  }

  /// Whether a call was given itself what it answered, so that its answer shows nothing where it is found. Read once.
  Result<bool> is_echo(SpanName const& name) {
    if (auto const known = echoes_.find(name); known != echoes_.end()) return known->second;
    auto const answer = answer_text(name);
    if (!answer) return answer.error();
    std::string given;
    if (auto const fresh = fresh_.find(name); fresh != fresh_.end()) {
      given = fresh->second->prompt;
    } else {
      auto const response = read_response(*record_ref(name, Kind::call));
      if (!response) return response.error();
      auto prompt =
          *response ? kept_text((*response)->prompt, (*response)->prompt_blob) : Result<std::string>{std::string{}};
      if (!prompt) return prompt.error();
      given = std::move(*prompt);
    }
    bool const is_repeated = plain_text::folded(given).find(plain_text::folded(*answer)) != std::string::npos;
    echoes_.emplace(name, is_repeated);
    return is_repeated;
  }

  /// A text of a record; empty where it is gone. Fails as `RecordReader::read_blob`.
  Result<std::string> kept_text(std::optional<std::string> const& text,
                                std::optional<schema::Digest> const& blob) const {
    if (text) return *text;
    if (!blob) return std::string{};
    auto kept = reader_.read_blob(*blob);
    if (!kept && kept.error().code == Errc::purged) return std::string{};
    if (!kept) return kept.error();
    return std::move(*kept).value_or(std::string{});
  }

  /// A call of another trace that gave an answer of this hash before `call` began.
  Result<std::optional<SpanName>> answer_of_others(std::string const& hash, std::size_t bytes, SpanName const& name,
                                                   SpanFacts const& call) {
    auto const conversation = belonging_of(call, name).conversation;
    std::optional<Place> latest;  // of the conversation, or the only one
    std::size_t count = 0;
    auto const offer = [&](Place place, std::string const& in) {
      if (place >= Place{call.start, name} || (!conversation.empty() && in != conversation)) return;
      ++count;
      latest = std::max(latest, std::optional{std::move(place)});
    };
    for (auto const& [other, span] : fresh_) {
      if (other.trace == name.trace || span->kind != Kind::call || is_outer(other)) continue;
      auto const& facts = *find(other);
      if (facts.answer_hash == hash) offer({facts.start, other}, belonging_of(facts, other).conversation);
    }
    auto const ref = named_answer_ref(hash);
    auto const vertex = snapshot_.find(ref.type, ref.id);
    auto const around = vertex ? snapshot_.relations_to(*vertex) : graph::Neighbours{};
    for (std::size_t i = around.size(); i > 0 && around.size() - i < users_max; --i) {  // the newest
      auto const other = span_of_ref(snapshot_.id(around.vertices[i - 1]));
      if (!other || other->trace == name.trace || fresh_.contains(*other)) continue;
      auto const known = read_response(*record_ref(*other, Kind::call));
      if (!known) return known.error();
      if (!*known || is_outer(*other)) continue;
      auto const took = static_cast<Nanos>((*known)->latency_ms.value_or(0) * 1e6);
      offer({nanos_of_time((*known)->timestamp) - took, *other}, (*known)->conversation.value_or(std::string{}));
    }
    bool const is_one = !conversation.empty() || (count == 1 && bytes >= joining_min);
    return latest && is_one ? std::optional{latest->name} : std::nullopt;
  }

  /// What a call is part of: of the nearest span that says it, else of its resource.
  [[nodiscard]] Belonging belonging_of(SpanFacts const& call, SpanName const& name) const {
    auto found = call.own;
    auto const& spans = states_.at(name.trace).spans;
    auto const take = [](std::string& to, std::string const& from) {
      if (to.empty()) to = from;
    };
    auto const* at = &call;
    for (std::size_t steps = 0; steps < trace_spans_max; ++steps) {
      if (!found.conversation.empty() && !found.person.empty()) return found;
      auto const parent = spans.find(at->parent);
      if (parent == spans.end()) break;
      at = &parent->second;
      take(found.conversation, at->own.conversation);
      take(found.person, at->own.person);
    }
    take(found.conversation, call.at_resource.conversation);
    take(found.person, call.at_resource.person);
    return found;
  }

  /// Results of tools in other traces, by the ids of their calls: of each id that no span of this trace has and one
  /// span of others.
  Result<void> add_named(SpanName const& name, SpanFacts const& call, Prompt const& prompt, Causes& causes) {
    for (auto const& id : prompt.results) {
      if (!sources_.at(name.trace).tools_of(id).empty()) continue;
      std::set<SpanName> tools;
      for (auto const& [other, span] : fresh_) {
        if (span->kind == Kind::tool && span->call_id == id) tools.insert(other);
      }
      auto const ref = named_call_ref(id);
      auto const vertex = snapshot_.find(ref.type, ref.id);
      auto const around = vertex ? snapshot_.relations_to(*vertex) : graph::Neighbours{};
      for (std::size_t i = 0; i < std::min(around.size(), users_max); ++i) {
        auto const other = span_of_ref(snapshot_.id(around.vertices[i]));
        if (!other || other->trace == name.trace) continue;
        if (auto const state = state_of(other->trace); !state) return state.error();
        auto const* const facts = find(*other);
        if (facts != nullptr && facts->kind == Kind::tool && facts->call_id == id) tools.insert(*other);
      }
      if (tools.size() != 1 || find(*tools.begin())->start > call.start + ahead_max) continue;
      if (!is_telling_id(id)) {  // until another one comes: its text has to say that it is this
        auto const is_same = has_text_in(*tools.begin(), prompt);
        if (!is_same) return is_same.error();
        if (!*is_same) continue;
      }
      given_back_.insert(id);
      add_cause(causes, schema::format_ref(*record_ref(*tools.begin(), Kind::tool)), Basis::id);
    }
    return {};
  }

  /// Whether a text of a source is in the prompt.
  Result<bool> has_text_in(SpanName const& name, Prompt const& prompt) const {
    auto const texts = texts_of(name, *find(name));
    if (!texts) return texts.error();
    plain_text::SoughtTexts sought;
    for (auto const& [ref, text] : *texts) sought.add(as_sent(text));
    return std::ranges::count(sought.found_in(prompt.text, prompt.messages), true) > 0;
  }

  /// The agent of the nearest run around a call, its own name first; else the service.
  [[nodiscard]] std::string agent_of(SpanName const& name, SpanFacts const& call) const {
    auto const& spans = states_.at(name.trace).spans;
    auto const* at = &call;
    for (std::size_t steps = 0; steps < trace_spans_max; ++steps) {
      if (!at->agent.empty()) return at->agent;
      auto const parent = spans.find(at->parent);
      if (parent == spans.end()) break;
      at = &parent->second;
    }
    return call.service;
  }

  /// The sources of a trace that are new, or of which it is new what they are within.
  [[nodiscard]] std::set<std::string> const& moved_sources(std::string const& trace) {
    auto const [at, is_new] = moved_.try_emplace(trace);
    if (!is_new) return at->second;
    auto const& state = states_.at(trace);
    for (auto const& [span, facts] : state.spans) {
      if (facts.kind != Kind::retrieval && facts.kind != Kind::tool) continue;
      auto const is_fresh = [&](std::string_view each) { return fresh_.contains({trace, std::string(each)}); };
      if (is_fresh(span) || std::ranges::any_of(spans_above(state, span), is_fresh)) at->second.insert(span);
    }
    return at->second;
  }

  /// Whether a call, a span around it or something that names it is new, so that all of its causes are asked for.
  [[nodiscard]] bool is_new_around(SpanName const& name) const {
    if (fresh_.contains(name) || touched_.contains(name)) return true;
    return std::ranges::any_of(spans_above(states_.at(name.trace), name.span), [&](std::string_view each) {
      return fresh_.contains({name.trace, std::string(each)});
    });
  }

  /// Whether something new may be a cause of a known response, or say something of it.
  [[nodiscard]] bool may_have_grown(SpanName const& name, SpanFacts const& call) {
    if (is_new_around(name)) return true;
    auto const& spans = states_.at(name.trace).spans;
    bool const has_source = std::ranges::any_of(moved_sources(name.trace), [&](std::string const& each) {
      return may_have_ended_before(spans.at(each).end, call);
    });
    auto const& earlier = earliest_answer(name.trace);
    bool const has_answer = earlier && *earlier < Place{call.start, name};
    return has_source || has_answer ||
           std::ranges::any_of(call.links, [&](SpanName const& link) { return fresh_.contains(link); });
  }

  /// The first call of a trace whose answer is new.
  std::optional<Place> const& earliest_answer(std::string const& trace) {
    auto const [at, is_new] = earliest_.try_emplace(trace);
    if (!is_new) return at->second;
    for (auto const& [span, facts] : states_.at(trace).spans) {
      SpanName const name{trace, span};
      auto const fresh = fresh_.find(name);
      bool const is_said = fresh != fresh_.end() && !fresh->second->answer.empty();
      if (facts.kind != Kind::call || !(is_said || answered_.contains(name))) continue;
      Place const place{facts.start, name};
      if (!at->second || place < *at->second) at->second = place;
    }
    return at->second;
  }

  struct Said {
    std::vector<Message> input = {};
    std::vector<Message> output = {};
  };

  Result<void> make_response(SpanName const& name, SpanFacts const& call) {
    if (!may_have_grown(name, call)) return {};
    if (is_outer(name)) {
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
    response.agent = agent_text(agent_of(name, call));
    auto belonging = belonging_of(call, name);
    auto const set_name = [](std::optional<std::string>& to, std::string const& text) {
      if (!text.empty()) to = name_text(text, limits::id_bytes_max);
    };
    set_name(response.conversation, belonging.conversation);
    set_name(response.person, belonging.person);
    auto refs = known_causes(response);
    for (auto const& deleted : deleted_) refs.erase(deleted);
    auto const said = said_of(name, call);
    said_again_.clear();
    given_back_.clear();
    auto const kept = before ? kept_messages(refs) : Result<KeptMessages>{KeptMessages{}};
    if (!kept) return kept.error();
    auto const read = prompt_of(name, call, response, refs, said, *kept);
    if (!read) return read.error();
    auto const& prompt = *read;
    auto causes = causes_of(name, call, prompt, refs);
    if (!causes) return causes.error();
    std::vector<Message> messages;
    if (fresh != fresh_.end()) messages = fresh->second->input;
    for (auto const& [unit, message] : *kept) messages.push_back(message);
    if (auto filled = fill_results(name, messages); !filled) return filled;
    if (fresh != fresh_.end()) use_all(name.trace, fresh->second->input, call.start, *causes, refs);
    refs.merge(*causes);  // an edge stays as it came
    if (auto added = add_said(name, call, said, response, refs); !added) return added;
    std::map<std::string, Basis> dropped;
    for (auto const& [unit, message] : *kept) {
      if (!is_of_source(name.trace, message, refs)) continue;
      auto const node = refs.extract(unit);
      if (!node.empty()) dropped.emplace(unit, node.mapped());
    }
    set_causes(refs, response);
    if (before && *before == response) return {};
    response.flags = {};
    made_.emplace(ref.id, response.timestamp);
    for (auto const& [unit, basis] : dropped) dropped_[unit].emplace(out_.records.size(), basis);
    write(std::move(response));
    return {};
  }

  /// The messages that units of `refs` keep, by the ref of each: those that telemetry made.
  using KeptMessages = std::map<std::string, Message>;

  Result<KeptMessages> kept_messages(Causes const& refs) {
    std::vector<schema::VertexId> vertices;
    for (auto const& [text, basis] : refs) {
      auto const ref = schema::parse_ref(text);
      if (!ref || ref->type != RecordType::context_unit || messages_.contains(text)) continue;
      auto const vertex = snapshot_.find(ref->type, ref->id);
      if (!vertex || snapshot_.gone(*vertex)) continue;
      messages_.emplace(text, std::nullopt);
      vertices.push_back(*vertex);
    }
    auto const read = graph::read_those_there(snapshot_, reader_, vertices, [&](std::size_t, schema::Record&& record) {
      auto const* const unit = std::get_if<schema::ContextUnit>(&record);
      if (unit == nullptr) return true;
      auto text = unit->content;
      if (!text && unit->content_blob) {
        if (auto blob = reader_.read_blob(*unit->content_blob)) text = std::move(*blob);  // else it is not compared
      }
      if (text) messages_[schema::format_ref(RecordType::context_unit, unit->id)] = kept_message(*unit, *text);
      return true;
    });
    if (!read) return read.error();
    KeptMessages kept;
    for (auto const& [text, basis] : refs) {
      auto const found = messages_.find(text);
      if (found != messages_.end() && found->second) kept.emplace(text, *found->second);
    }
    return kept;
  }

  /// Units of messages whose own sources came later go, where no response needs them any more. Elsewhere the edges
  /// stay, and so does what the records say.
  Result<void> remove_units() {
    for (auto const& [unit, places] : dropped_) {
      auto const is_free = is_needed_by_none(unit, places);
      if (!is_free) return is_free.error();
      if (*is_free) {
        out_.deletes.push_back(*schema::parse_ref(unit));
        continue;
      }
      for (auto const& [place, basis] : places) {
        auto& response = std::get<schema::Response>(out_.records[place].record);
        auto refs = known_causes(response);
        refs.emplace(unit, basis);
        set_causes(refs, response);
      }
    }
    return {};
  }

  /// Whether nothing but the responses at `places`, and those that have said so before, was made from a unit.
  Result<bool> is_needed_by_none(std::string const& unit, std::map<std::size_t, Basis> const& places) const {
    auto const ref = *schema::parse_ref(unit);
    auto const vertex = snapshot_.find(ref.type, ref.id);
    if (!vertex || units_.contains(ref.id) || snapshot_.relations_to(*vertex).size() > 0) return false;
    auto const effects = snapshot_.effects(*vertex);
    if (effects.size() > users_max) return false;
    std::set<std::string> dropping;
    for (auto const& [place, basis] : places)
      dropping.insert(std::get<schema::Response>(out_.records[place].record).id);
    for (std::size_t i = 0; i < effects.size(); ++i) {
      std::string const id{snapshot_.id(effects.vertices[i])};
      if (dropping.contains(id) || deleted_.contains(schema::format_ref(RecordType::response, id))) continue;
      auto const call = call_of_response(id);
      bool const is_prompt = schema::named_type(snapshot_.type(effects.edges[i])) == schema::EdgeType::prompted;
      if (!call || !is_prompt) return false;
      auto const response = read_response(*record_ref(*call, Kind::call));
      if (!response) return response.error();
      if (!*response || known_causes(**response).contains(unit)) return false;
    }
    return true;
  }

  static Causes known_causes(schema::Response const& response) {
    Causes known;
    if (!response.prompt_refs) return known;
    for (std::size_t i = 0; i < response.prompt_refs->size(); ++i) {
      bool const has_basis = response.prompt_basis && i < response.prompt_basis->size();
      known.emplace((*response.prompt_refs)[i], has_basis ? (*response.prompt_basis)[i] : Basis::given);
    }
    return known;
  }

  static void set_causes(Causes const& causes, schema::Response& response) {
    response.prompt_refs.reset();
    response.prompt_basis.reset();
    if (causes.empty()) return;
    auto& refs = response.prompt_refs.emplace();
    std::vector<Basis> bases;
    bool are_given = true;
    for (auto const& [ref, basis] : causes) {
      if (refs.size() == limits::refs_max) break;
      refs.push_back(ref);
      bases.push_back(basis);
      are_given = are_given && basis == Basis::given;
    }
    if (!are_given) response.prompt_basis = std::move(bases);
  }

  /// The prompt of a call, of its span or as the record and what followed keep it, and of log records.
  Result<Prompt> prompt_of(SpanName const& name, SpanFacts const& call, schema::Response const& response,
                           Causes const& refs, Said const& said, KeptMessages const& messages) const {
    Prompt prompt;
    if (auto const fresh = fresh_.find(name); fresh != fresh_.end()) {
      for (auto const& message : fresh->second->input) prompt.add(message);
    } else {
      prompt.results.insert(call.results.begin(), call.results.end());
      std::optional<std::string> text = response.prompt;
      if (call.has_prompt && !text && response.prompt_blob) {
        auto kept = reader_.read_blob(*response.prompt_blob);
        if (!kept && kept.error().code != Errc::purged) return kept.error();
        if (kept) text = std::move(*kept);
      }
      if (call.has_prompt && text) {
        prompt.text = plain_text::folded(*text);
        prompt.messages.push_back(prompt.text);
        prompt.messages.insert(prompt.messages.end(), call.brief.begin(), call.brief.end());
      }
      for (auto const& [unit, message] : messages) {
        auto const compared = comparable(message.text);
        prompt.answers.emplace(hash_of_comparable(compared.text), compared.telling);
      }
      note_answers(refs, prompt);
    }
    for (auto const& message : said.input) prompt.add(message);
    return prompt;
  }

  /// Whether a message is one of the causes already, as the result of a tool, a passage or an earlier answer.
  [[nodiscard]] bool is_of_source(std::string const& trace, Message const& message, Causes const& causes) const {
    if (said_again_.contains(answer_hash(message.text))) return true;
    auto const& sources = sources_.at(trace);
    if (message.results.size() == 1 && message.text == message.results.front().text) {
      auto const& id = message.results.front().id;
      bool const is_named = std::ranges::any_of(sources.tools_of(id), [&](std::string_view span) {
        return causes.contains(schema::format_ref(*record_ref({trace, std::string(span)}, Kind::tool)));
      });
      if (given_back_.contains(id) || is_named) return true;
    }
    auto const source = sources.source_of(plain_text::folded(message.text));
    return !source.empty() && causes.contains(std::string(source));
  }

  /// Of a prompt that is not at hand: which new answers are messages of it, by the units that it uses.
  void note_answers(Causes const& refs, Prompt& prompt) const {
    for (auto const& [name, span] : fresh_) {
      if (span->kind != Kind::call || span->answer.empty()) continue;
      for (auto const& unit : answer_units(span->answer)) {
        if (refs.contains(schema::format_ref(RecordType::context_unit, unit)))
          prompt.answers.emplace(answer_hash(span->answer), comparable(span->answer).telling);
      }
    }
  }

  /// A tool's span that does not say its result has it in the next prompt.
  Result<void> fill_results(SpanName const& name, std::vector<Message> const& input) {
    for (auto const& message : input) {
      for (auto const& result : message.results) {
        if (result.id.empty() || result.text.empty()) continue;
        for (auto const span : sources_.at(name.trace).tools_of(result.id)) {
          SpanName const tool{name.trace, std::string(span)};
          if (find(tool)->has_text) continue;
          if (auto filled = fill_result(tool, result.text); !filled) return filled;
        }
      }
    }
    return {};
  }

  Result<void> fill_result(SpanName const& tool, std::string const& text) {
    if (auto const fresh = tool_records_.find(tool); fresh != tool_records_.end()) {
      auto& unit = std::get<schema::ContextUnit>(out_.records[fresh->second].record);
      if (!unit.content) unit.content = content_of(text);
      return {};
    }
    auto const vertex = snapshot_.find(RecordType::context_unit, record_ref(tool, Kind::tool)->id);
    if (!vertex || snapshot_.gone(*vertex)) return {};
    std::optional<schema::ContextUnit> known;
    auto const read =
        graph::read_those_there(snapshot_, reader_, {&*vertex, 1}, [&](std::size_t, schema::Record&& record) {
          known = std::get<schema::ContextUnit>(std::move(record));
          return true;
        });
    if (!read) return read.error();
    if (!known || known->content || known->content_blob || !filled_.insert(tool).second) return {};
    known->content = content_of(text);
    known->flags = {};
    write(std::move(*known));
    return {};
  }

  /// The units of what an outer call was given: they would be there had it come before the inner one.
  void note_messages(SpanName const& name, SpanFacts const& call) {
    Causes refs;
    auto const fresh = fresh_.find(name);
    auto const messages = call.has_prompt && fresh != fresh_.end() ? fresh->second->input : said_of(name, call).input;
    for (auto const& message : messages) {
      for (auto const& part : parts_of(message)) use(part, call.start, refs);
    }
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

  /// What log records say of the call, in the order of their times, of one time in that of their request; before it the
  /// instructions that its span says.
  [[nodiscard]] Said said_of(SpanName const& name, SpanFacts const& call) const {
    std::vector<LogFacts const*> said;
    for (auto const& [id, facts] : states_.at(name.trace).logs) {
      if (facts.span == name.span && facts.message) said.push_back(&facts);
    }
    std::ranges::sort(said, {}, [](LogFacts const* each) {
      return std::tuple{each->time, each->place, each->message->role != "system", each->id};
    });
    Said result;
    if (!said.empty() && !call.instructions.empty())
      result.input.push_back({.role = "system", .text = call.instructions});
    for (auto const* const each : said) {
      auto& to = each->is_output ? result.output : result.input;
      bool const is_known =
          !each->is_output && each->message->role == "system" && each->message->text == call.instructions;
      if (!is_known) to.push_back(*each->message);
    }
    return result;
  }

  /// What log records say of the prompt and the answer, joined with what the call's span says.
  Result<void> add_said(SpanName const& name, SpanFacts const& call, Said const& said, schema::Response& response,
                        Causes& refs) {
    if (!said.input.empty()) {
      auto own = call.has_prompt ? own_messages(name, response) : Result<std::vector<Message>>{std::vector<Message>{}};
      if (!own) return own.error();
      auto const all = call.has_prompt ? merged(*own, said.input) : said.input;
      if (!call.has_prompt || all.size() > own->size()) {
        auto const causes = refs;
        use_all(name.trace, said.input, call.start, causes, refs);
        set_prompt(all, response);
      }
    }
    if (said.output.empty()) return {};
    auto const answer = joined(said.output);
    bool const is_more = response.content && !response.content_blob &&
                         comparable(answer).text.find(comparable(*response.content).text) != std::string::npos;
    if (call.answer_hash.empty() || (is_more && answer.size() > response.content->size()))
      set_text(response.content, response.content_blob, content_of(answer));
    set_reasoning(joined_reasoning(said.output), response);
    return {};
  }

  /// The messages of a prompt that the call's span says. Fails as `RecordReader::read_blob`.
  Result<std::vector<Message>> own_messages(SpanName const& name, schema::Response const& response) const {
    if (auto const fresh = fresh_.find(name); fresh != fresh_.end()) return fresh->second->input;
    auto const text = kept_text(response.prompt, response.prompt_blob);
    if (!text) return text.error();
    return text->empty() ? std::vector<Message>{} : messages_of_prompt(*text, response);
  }

  /// Notes the units of what messages were made from, but for what a source of `causes` said.
  void use_all(std::string const& trace, std::vector<Message> const& messages, Nanos time, Causes const& causes,
               Causes& refs) {
    for (auto const& message : messages) {
      for (auto const& part : parts_of(message)) {
        if (!is_of_source(trace, part, causes)) use(part, time, refs);
      }
    }
  }

  /// Notes the unit of a message, with the earliest time at which it was said. A unit that a client made from others is
  /// none of the causes: it might have been made from the response itself.
  void use(Message const& message, Nanos time, Causes& refs) {
    auto unit = unit_of(message, time);
    auto const known = snapshot_.find(RecordType::context_unit, unit.id);
    if (known && !snapshot_.causes(*known).empty()) return;
    refs.emplace(schema::format_ref(RecordType::context_unit, unit.id), basis_of(message));
    auto const [at, is_first] = units_.try_emplace(unit.id, unit);
    if (!is_first) at->second.timestamp = std::min(at->second.timestamp, unit.timestamp);
  }

  /// A known unit changes only where it was said earlier than it was known, and no client wrote it.
  Result<void> add_unit(schema::ContextUnit unit) {
    auto const vertex = snapshot_.find(RecordType::context_unit, unit.id);
    if (vertex) {
      bool is_there = false;  // one whose text is gone is given again
      bool is_later = false;
      auto const read =
          graph::read_those_there(snapshot_, reader_, {&*vertex, 1}, [&](std::size_t, schema::Record&& record) {
            auto const& known = std::get<schema::ContextUnit>(record);
            is_there = true;
            is_later = known.attributes == unit.attributes && known.timestamp > unit.timestamp;
            return true;
          });
      if (!read) return read.error();
      if (is_there && !is_later) return {};
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

  /// A rating of an agent's run, or of a span around one, is of the call that gave its answer; else of the only call
  /// below it.
  [[nodiscard]] SpanName rated(SpanName const& of) const {
    auto const* const run = find(of);
    if (run == nullptr || (run->kind == Kind::call && !wrappers_.contains(of))) return of;
    auto const& state = states_.at(of.trace);
    std::vector<SpanName> below;
    std::optional<SpanName> same;
    for (auto const& [span, facts] : state.spans) {
      SpanName const name{of.trace, span};
      if (facts.kind != Kind::call || is_outer(name)) continue;
      auto const chain = spans_above(state, span);
      if (std::ranges::find(chain, std::string_view{of.span}) == chain.end()) continue;
      below.push_back(name);
      bool const is_same = !run->answer_hash.empty() && facts.answer_hash == run->answer_hash;
      if (is_same && (!same || find(*same)->end < facts.end)) same = name;
    }
    if (same) return *same;
    return below.size() == 1 ? below.front() : of;
  }

  void make_rating(SpanName of, LogFacts const& facts) {
    of = rated(of);
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
    json::object own{{"name", facts.evaluation->name}, {"label", facts.evaluation->label}};
    if (!facts.evaluation->score) own["score"] = "none given";
    feedback.attributes = schema::Attributes{schema::json::to_canonical_text(json::value(own))};
    write(std::move(feedback));
  }

  graph::Snapshot const& snapshot_;
  schema::RecordReader const& reader_;
  schema::EmbeddingModels const& models_;
  PlainSpans& plain_;
  std::function<bool()> const& must_end_;
  struct Logged {
    std::string text = {};
    std::string hash = {};
  };
  std::map<std::string, std::map<std::string, Logged>> logged_;  // by trace and span: answers in log records
  std::map<std::string, Answers> quotable_;                      // by trace
  std::map<std::string, std::optional<Place>> earliest_;         // by trace: of the calls whose answer is new
  std::set<SpanName> answered_;                                  // calls of which a log record's answer is new
  std::map<SpanName, bool> echoes_;                              // whether a call was given what it answered
  std::deque<CapturedSpan> kept_plain_;  // links in the chain of parents, which `fresh_` leads to
  Derived out_;
  std::map<std::string, Sources> sources_;              // by trace
  std::map<std::string, std::set<std::string>> moved_;  // by trace
  std::set<std::string> said_again_;                    // hashes of answers that the call in hand was made from
  std::set<std::string> given_back_;                    // ids of calls in other traces whose results it was made from
  std::set<std::string> answers_;                       // hashes whose own record is new
  std::set<std::string> tool_calls_;                    // ids whose own record is new
  std::map<SpanName, std::size_t> tool_records_;        // places of the records of new tools
  std::set<SpanName> filled_;                           // known tools whose result a prompt gave
  std::map<std::string, TraceState> states_;            // with what is new
  std::map<std::string, NamedResponse> named_;          // by the response's id, with what is new
  std::set<std::string> traces_;                        // whose own record is new
  std::map<SpanName, CapturedSpan const*> fresh_;
  std::set<SpanName> touched_;                              // calls of which something else became known
  std::set<SpanName> wrappers_;                             // calls without an answer that have a call below
  std::map<SpanName, SpanName> repeated_;                   // an outer call, the innermost that gives the same answer
  std::set<std::string> deleted_;                           // refs of responses that go
  std::set<std::string> rated_;                             // ids of feedback written here
  std::map<std::string, schema::Time> made_;                // responses written here
  std::map<std::string, schema::ContextUnit> units_;        // of messages
  std::map<std::string, std::optional<Message>> messages_;  // that known units keep, by ref
  std::map<std::string, std::map<std::size_t, Basis>> dropped_;  // by ref: places of responses that had the unit
};

}  // namespace

void PlainSpans::add(PlainSpan span) {
  auto const name = span.name;
  if (!spans_.emplace(name, std::move(span)).second) return;
  order_.push_back(name);
  if (order_.size() <= spans_max) return;
  spans_.erase(order_.front());
  order_.pop_front();
}

PlainSpan const* PlainSpans::find(SpanName const& name) const {
  auto const found = spans_.find(name);
  return found == spans_.end() ? nullptr : &found->second;
}

Result<Derived> derive(std::span<Captured const* const> captured, graph::Snapshot const& snapshot,
                       schema::RecordReader const& reader, schema::EmbeddingModels const& models, PlainSpans& plain,
                       std::function<bool()> const& must_end) {
  return Derivation(snapshot, reader, models, plain, must_end).run(captured);
}

}  // namespace whence::net::capture
