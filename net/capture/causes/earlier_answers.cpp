// The messages of a prompt are looked up by the hashes of their texts, in the call's own trace and then in others;
// longer answers of the trace are also sought within its texts. Of several calls of a trace with one answer that counts
// which has most spans around it in common with the call.

#include "net/capture/causes/earlier_answers.hpp"

#include "graph/snapshot/snapshot.hpp"
#include "net/capture/known/known_records.hpp"
#include "net/capture/messages/comparable.hpp"
#include "net/capture/records/span_records.hpp"
#include "net/capture/trace/refs.hpp"
#include "schema/types/ref.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <string_view>
#include <tuple>
#include <utility>

namespace whence::net::capture {

using schema::Basis;

namespace {

/// Answers of a trace that are sought within later prompts.
constexpr std::size_t answers_max = 256;

}  // namespace

Result<void> EarlierAnswers::add_answers(SpanName const& name, SpanFacts const& call, Prompt const& prompt,
                                         Causes const& known, CallCauses& to) {
  auto const equal = equal_ones(name, call, known);
  if (!equal) return equal.error();
  auto answers = prompt.answers;
  for (auto const& [hash, each] : *equal) answers.emplace(hash, each.bytes);
  for (auto const& [hash, bytes] : answers) {
    auto const found = answer_of_hash(hash, bytes, name, call, prompt);
    if (!found) return found.error();
    if (!*found) continue;
    to.said_again.insert(hash);
    add_cause(to.refs, schema::format_ref(*record_ref(**found, Kind::call)), Basis::text);
    if (auto const others = equal->find(hash); others != equal->end())
      to.superseded.insert(others->second.refs.begin(), others->second.refs.end());
  }
  auto const quoted = add_quoted(name, call, prompt, to);
  to.is_cut = to.is_cut || (around_.of(name.trace).clocks.are_several() && order_.has_given_up());
  return quoted;
}

Result<std::map<std::string, EarlierAnswers::Equal>> EarlierAnswers::equal_ones(SpanName const& name,
                                                                                SpanFacts const& call,
                                                                                Causes const& known) {
  std::map<std::string, Equal> found;
  auto const& in_trace = around_.of(name.trace).by_answer;
  auto const conversation = around_.belonging_of(call, name).conversation;
  for (auto const& [ref, basis] : known) {
    auto const node = schema::parse_ref(ref);
    bool const is_answer = basis == Basis::text && node && node->type == schema::RecordType::response;
    auto const other = is_answer ? call_of_response(node->id) : std::nullopt;
    auto const* const facts = other ? all_.find(*other) : nullptr;
    if (facts == nullptr) continue;
    auto const& hash = answers_.hash_of(other->trace, other->span, *facts);
    auto const calls = in_trace.find(hash);
    bool const are_several =
        other->trace == name.trace
            ? calls != in_trace.end() && calls->second.size() > 1
            : !conversation.empty() && new_.content().of_conversation.contains({hash, conversation});
    if (hash.empty() || !are_several) continue;
    auto const [at, is_first] = found.try_emplace(hash);
    at->second.refs.push_back(ref);
    if (!is_first) continue;
    auto const answer = answers_.text_of(*other);
    if (!answer) return answer.error();
    at->second.bytes = comparable(*answer).telling;
  }
  return found;
}

Result<std::optional<SpanName>> EarlierAnswers::answer_of_hash(std::string const& hash, std::size_t bytes,
                                                               SpanName const& name, SpanFacts const& call,
                                                               Prompt const& prompt) {
  auto found = answer_of_trace(hash, bytes, name, call);
  if (found && !*found) found = answer_of_others(hash, bytes, name, call);
  auto const nameless = prompt.nameless.find(hash);
  if (!found || *found || nameless == prompt.nameless.end()) return found;
  if (nameless->second.has_ids) return answer_of_trace(nameless->second.hash, bytes, name, call);
  return named_answer(nameless->second.hash, name, call);
}

Result<std::optional<SpanName>> EarlierAnswers::answer_of_trace(std::string const& hash, std::size_t bytes,
                                                                SpanName const& name, SpanFacts const& call) {
  std::optional<SpanName> found;
  auto const& around = around_.of(name.trace);
  auto const calls = around.by_answer.find(hash);
  if (calls == around.by_answer.end()) return found;
  auto const own = around.tree.find(name.span);
  auto const begin =
      std::ranges::lower_bound(calls->second, Place{call.start, name}, {}, &std::pair<Place, std::size_t>::first);
  std::optional<std::pair<std::size_t, Place>> nearest;
  std::size_t asked = 0;
  for (auto at = begin; at != calls->second.begin() && asked < users_max; ++asked) {
    --at;
    if (!order_.may_precede(at->first.name, name)) continue;
    nearest = std::max(nearest, std::optional{std::pair{around.tree.common(at->second, own), at->first}});
  }
  if (nearest) found = nearest->second.name;
  bool const has_clocks = !found && bytes >= telling_min && around.clocks.are_several();
  for (auto at = begin; has_clocks && at != calls->second.end() && asked < users_max; ++at, ++asked) {
    if (at->first.name == name || !order_.may_precede(at->first.name, name)) continue;
    auto const is_repeated = is_echo(at->first.name);
    if (!is_repeated) return is_repeated.error();
    if (!*is_repeated) return std::optional{at->first.name};
  }
  return found;
}

Result<std::optional<SpanName>> EarlierAnswers::named_answer(std::string const& hash, SpanName const& name,
                                                             SpanFacts const& call) {
  auto const answers = answers_of(name.trace);
  if (!answers) return answers.error();
  std::optional<SpanName> nearest;
  auto const known = (*answers)->nameless.find(hash);
  if (known == (*answers)->nameless.end()) return nearest;
  auto const& around = around_.of(name.trace);
  auto const own = around.tree.find(name.span);
  std::optional<std::pair<std::size_t, Place>> best;
  for (auto const& span : known->second) {
    auto const at = around.tree.find(span);
    Place const place{around.tree.nodes()[at].facts->start, {name.trace, span}};
    if (place >= Place{call.start, name} || !order_.may_precede(place.name, name)) continue;
    best = std::max(best, std::optional{std::pair{around.tree.common(at, own), place}});
  }
  if (best) nearest = best->second.name;
  return nearest;
}

Result<std::optional<SpanName>> EarlierAnswers::answer_of_others(std::string const& hash, std::size_t bytes,
                                                                 SpanName const& name, SpanFacts const& call) {
  auto const conversation = around_.belonging_of(call, name).conversation;
  std::optional<Place> latest;  // of the conversation, or the only one
  std::size_t offered = 0;
  auto const keep = [&](Place place) { latest = std::max(latest, std::optional{std::move(place)}); };
  auto const offer = [&](Place place, std::string const& in) {
    if (place >= Place{call.start, name} || (!conversation.empty() && in != conversation)) return;
    ++offered;
    keep(std::move(place));
  };
  auto const offer_latest = [&](auto const& by_key, auto const& key) {
    auto const known = by_key.find(key);
    if (known == by_key.end()) return;
    auto const end = std::ranges::lower_bound(known->second, Place{call.start, name});
    auto const before = end - known->second.begin();
    offered += static_cast<std::size_t>(before);
    for (auto at = end - std::min<std::ptrdiff_t>(before, static_cast<std::ptrdiff_t>(users_max)); at != end; ++at) {
      if (at->name.trace != name.trace) keep(*at);
    }
  };
  if (conversation.empty()) {
    offer_latest(new_.content().by_answer, std::string_view{hash});
  } else {
    offer_latest(new_.content().of_conversation, std::pair{std::string_view{hash}, conversation});
  }
  auto const offer_logged = [&](SpanName const& other) {
    auto const* const facts = other.trace == name.trace ? nullptr : all_.find(other);
    bool const is_call = facts != nullptr && facts->kind == Kind::call && facts->answer_hash.empty();
    if (is_call && !outer_.is_outer(other) && answers_.hash_of(other.trace, other.span, *facts) == hash)
      offer({facts->start, other}, around_.belonging_of(*facts, other).conversation);
  };
  for (auto const& other : all_.answered) offer_logged(other);
  auto const ref = named_answer_ref(hash);
  auto const vertex = all_.snapshot.find(ref.type, ref.id);
  auto const around = vertex ? all_.snapshot.relations_to(*vertex) : graph::Neighbours{};
  for (std::size_t i = around.size(); i > 0 && around.size() - i < users_max; --i) {  // the newest
    if (is_log_ref(all_.snapshot.id(around.vertices[i - 1]))) {
      auto const answered = answered_in(around.vertices[i - 1], hash);
      if (!answered) return answered.error();
      for (auto const& each : *answered) {
        if (!all_.answered.contains(each)) offer_logged(each);
      }
      continue;
    }
    auto const other = span_of_ref(all_.snapshot.id(around.vertices[i - 1]));
    if (!other || other->trace == name.trace || all_.fresh.contains(*other)) continue;
    auto const known = read_response(all_, *record_ref(*other, Kind::call));
    if (!known) return known.error();
    if (!*known || outer_.is_outer(*other)) continue;
    auto const took = static_cast<Nanos>((*known)->latency_ms.value_or(0) * 1e6);
    offer({nanos_of_time((*known)->timestamp) - took, *other}, (*known)->conversation.value_or(std::string{}));
  }
  bool const is_one = !conversation.empty() || (offered == 1 && bytes >= telling_min);
  return latest && is_one ? std::optional{latest->name} : std::nullopt;
}

Result<std::set<SpanName>> EarlierAnswers::answered_in(schema::VertexId log, std::string const& hash) {
  std::set<SpanName> calls;
  auto const causes = all_.snapshot.causes(log);
  for (std::size_t i = 0; i < causes.size(); ++i) {
    std::string const trace{trace_of_ref(all_.snapshot.id(causes.vertices[i]))};
    if (trace.empty()) continue;
    auto const state = all_.state_of(trace);
    if (!state) return state.error();
    for (auto const& [id, facts] : (*state)->logs) {
      if (facts.is_output && answer_hash(all_.key, facts.message->text) == hash) calls.insert({trace, facts.span});
    }
  }
  return calls;
}

Result<void> EarlierAnswers::add_quoted(SpanName const& name, SpanFacts const& call, Prompt const& prompt,
                                        CallCauses& to) {
  auto const quoted = answers_in(name.trace, prompt);
  if (!quoted) return quoted.error();
  auto const& tree = around_.of(name.trace).tree;
  auto const own = tree.find(name.span);
  using Near = std::tuple<bool, std::size_t, Place>;  // whether it began before, spans around both, which
  std::map<std::string_view, Near> nearest;           // by hash
  for (auto const& span : *quoted) {
    auto const at = tree.find(span);
    auto const& facts = *tree.nodes()[at].facts;
    auto const& hash = answers_.hash_of(name.trace, span, facts);
    Place const earlier{facts.start, {name.trace, span}};
    if (prompt.answers.contains(hash) || span == name.span || !order_.may_precede(earlier.name, name)) continue;
    auto const is_repeated = is_echo(earlier.name);
    if (!is_repeated) return is_repeated.error();
    if (*is_repeated) continue;
    Near const offered{earlier < Place{call.start, name}, tree.common(at, own), earlier};
    auto const [best, is_first] = nearest.try_emplace(hash, offered);
    if (!is_first) best->second = std::max(best->second, offered);
  }
  for (auto const& [hash, found] : nearest)
    add_cause(to.refs, schema::format_ref(*record_ref(std::get<Place>(found).name, Kind::call)), Basis::text);
  return {};
}

Result<EarlierAnswers::Quotable const*> EarlierAnswers::answers_of(std::string const& trace) {
  auto const [at, is_new] = quotable_.try_emplace(trace);
  if (is_new) {
    if (auto read = read_answers(trace, at->second); !read) return read.error();
  }
  return &at->second;
}

Result<std::vector<std::string>> EarlierAnswers::answers_in(std::string const& trace, Prompt const& prompt) {
  auto const answers = answers_of(trace);
  if (!answers) return answers.error();
  std::vector<std::string> spans;
  if ((*answers)->spans.empty()) return spans;
  for (auto const number : (*answers)->sought.found_in(prompt.text, {})) {
    auto const& with_text = (*answers)->spans[number];
    spans.insert(spans.end(), with_text.begin(), with_text.end());
  }
  return spans;
}

Result<void> EarlierAnswers::read_answers(std::string const& trace, Quotable& answers) {
  std::vector<Place> calls;
  auto const& state = all_.states.at(trace);
  auto const is_call = [](auto const& each) { return each.second.kind == Kind::call; };
  if (std::ranges::count_if(state.spans, is_call) < 2) return {};
  for (auto const& [span, facts] : state.spans) {
    bool const is_answered = facts.kind == Kind::call && !answers_.hash_of(trace, span, facts).empty();
    if (is_answered && !outer_.is_outer({trace, span})) calls.push_back({facts.start, {trace, span}});
  }
  std::ranges::sort(calls, std::ranges::greater{});
  if (calls.size() > answers_max) calls.resize(answers_max);
  auto const add = [&](std::string const& span, std::string_view answer) {
    if (answer.size() < telling_min) return;
    auto const number = answers.sought.add(answer);
    answers.spans.resize(std::max(answers.spans.size(), number + 1));
    answers.spans[number].push_back(span);
  };
  for (auto const& [start, name] : calls) {
    auto const answer = answers_.text_of(name);
    if (!answer) return answer.error();
    add(name.span, *answer);
    auto const compared = comparable(*answer);
    if (!compared.calls.empty() && !compared.nameless.empty())
      answers.nameless[hash_of_comparable(all_.key, compared.nameless)].push_back(name.span);
    auto const named = compared.calls.empty() && compared.nameless.empty() ? std::string{} : shortened(*answer);
    if (!named.empty()) answers.nameless[hash_of_comparable(all_.key, named)].push_back(name.span);
  }
  return {};
}

Result<bool> EarlierAnswers::is_echo(SpanName const& name) {
  if (auto const known = echoes_.find(name); known != echoes_.end()) return known->second;
  auto const answer = answers_.text_of(name);
  if (!answer) return answer.error();
  std::string given;
  if (auto const fresh = all_.fresh.find(name); fresh != all_.fresh.end()) {
    given = fresh->second->prompt;
  } else {
    auto const response = read_response(all_, *record_ref(name, Kind::call));
    if (!response) return response.error();
    auto prompt =
        *response ? kept_text(all_, (*response)->prompt, (*response)->prompt_blob) : Result<std::string>{std::string{}};
    if (!prompt) return prompt.error();
    given = std::move(*prompt);
  }
  bool const is_repeated = plain_text::folded(given).find(plain_text::folded(*answer)) != std::string::npos;
  echoes_.emplace(name, is_repeated);
  return is_repeated;
}

std::optional<Place> const& EarlierAnswers::earliest_answer(std::string const& trace) {
  auto const [at, is_new] = earliest_.try_emplace(trace);
  if (!is_new) return at->second;
  auto const& around = around_.of(trace);
  for (auto const& [span, facts] : all_.states.at(trace).spans) {
    SpanName const name{trace, span};
    auto const fresh = all_.fresh.find(name);
    bool const is_said = fresh != all_.fresh.end() && !fresh->second->answer.empty();
    bool const is_moved = around.clocks.are_several() && around.of[around.tree.find(span)].is_new;
    if (facts.kind != Kind::call || !(is_said || is_moved || all_.answered.contains(name))) continue;
    Place const place{facts.start, name};
    if (!at->second || place < *at->second) at->second = place;
  }
  return at->second;
}

}  // namespace whence::net::capture
