// Requests of one user that wait are derived and written as one batch. Where that is refused each is written by itself,
// then trace by trace, then half by half, so that only what is wrong is rejected. A large one is written in pieces.

#include "net/capture/capture.hpp"

#include "net/base/errors.hpp"
#include "net/capture/derivation/derivation.hpp"
#include "net/capture/spans/mapping.hpp"
#include "schema/base/text.hpp"
#include "schema/json/writer.hpp"

#include <algorithm>
#include <exception>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <utility>

namespace whence::net::capture {

namespace {

constexpr std::size_t queue_max = 256;   ///< requests that wait; their memory is claimed by their connections
constexpr std::size_t kinds_max = 256;   ///< reported; further ones are only counted
constexpr std::size_t example_max = 60;  ///< bytes of a name in an answer
constexpr std::size_t group_max = 32;    ///< requests written together
constexpr std::string_view actor = "otlp";

std::size_t count_of(Captured const& captured) noexcept {
  return captured.spans.size() + captured.messages.size() + captured.evaluations.size() + captured.beside.size();
}

/// What is captured of each trace, in one value each; ratings without one by the response's id.
std::map<std::string, Captured> split(Captured const& captured) {
  std::map<std::string, Captured> traces;
  for (auto const& span : captured.spans) traces[span.name.trace].spans.push_back(span);
  for (auto const& span : captured.plain) traces[span.name.trace].plain.push_back(span);
  for (auto const& said : captured.messages) traces[said.of.trace].messages.push_back(said);
  for (auto const& said : captured.beside) traces[said.of.trace].beside.push_back(said);
  for (auto const& evaluation : captured.evaluations) {
    auto const& trace = evaluation.of.trace;
    traces[trace.empty() ? evaluation.response_id : trace].evaluations.push_back(evaluation);
  }
  return traces;
}

/// How often a request is divided to find what is wrong in it: each attempt costs as much as what it writes.
constexpr std::size_t refusals_max = 64;

/// Takes the second half of the spans, with what came apart from them.
Captured second_half(Captured& part) {
  Captured second;
  auto const middle = part.spans.begin() + static_cast<std::ptrdiff_t>(part.spans.size() / 2);
  second.spans.assign(std::make_move_iterator(middle), std::make_move_iterator(part.spans.end()));
  part.spans.erase(middle, part.spans.end());
  second.messages = std::exchange(part.messages, {});
  second.evaluations = std::exchange(part.evaluations, {});
  second.beside = std::exchange(part.beside, {});
  return second;
}

constexpr std::size_t piece_texts_max = std::size_t{1} << 20;  ///< bytes of texts, and
constexpr std::size_t piece_count_max = 128;  ///< spans and records of a piece, if it has several traces

std::size_t texts_of(CapturedSpan const& span) noexcept {
  auto bytes = span.prompt.size() + span.reasoning.size() + span.answer.size() + span.question.size();
  for (auto const& message : span.input) bytes += message.text.size();
  for (auto const& passage : span.passages) bytes += passage.content.size();
  return bytes + span.arguments.size();
}

std::size_t texts_of(Captured const& captured) noexcept {
  std::size_t bytes = 0;
  for (auto const& span : captured.spans) bytes += texts_of(span);
  for (auto const& said : captured.messages) bytes += said.message.text.size();
  return bytes;
}

bool is_large(Captured const& captured) noexcept {
  return count_of(captured) > 2 * piece_count_max || texts_of(captured) > 2 * piece_texts_max;
}

/// Takes what is captured apart into whole traces, in the order of their begin.
std::vector<Captured> take_traces(Captured& captured) {
  std::map<std::string, std::size_t> places;
  std::vector<std::pair<Nanos, Captured>> traces;
  auto const of = [&](std::string const& trace) -> std::pair<Nanos, Captured>& {
    auto const [found, is_new] = places.emplace(trace, traces.size());
    if (is_new) traces.emplace_back(std::numeric_limits<Nanos>::max(), Captured{.who = captured.who});
    return traces[found->second];
  };
  for (auto& span : captured.spans) {
    auto& [begin, trace] = of(span.name.trace);
    begin = std::min(begin, span.start);
    trace.spans.push_back(std::move(span));
  }
  for (auto& span : captured.plain) of(span.name.trace).second.plain.push_back(std::move(span));
  for (auto& said : captured.messages) of(said.of.trace).second.messages.push_back(std::move(said));
  for (auto& said : captured.beside) of(said.of.trace).second.beside.push_back(std::move(said));
  // Those that name a response alone come last: it may be in any trace.
  for (auto& rating : captured.evaluations) of(rating.of.trace).second.evaluations.push_back(std::move(rating));
  std::ranges::stable_sort(traces, {}, [](auto const& each) { return each.first; });
  std::vector<Captured> ordered;
  for (auto& each : traces) ordered.push_back(std::move(each.second));
  return ordered;
}

void append(Captured& to, Captured from) {
  auto const move = [](auto& target, auto& source) {
    target.insert(target.end(), std::make_move_iterator(source.begin()), std::make_move_iterator(source.end()));
  };
  move(to.spans, from.spans);
  move(to.plain, from.plain);
  move(to.messages, from.messages);
  move(to.evaluations, from.evaluations);
  move(to.beside, from.beside);
}

/// The same in pieces that take little time each, the last first. A trace is in one piece.
std::vector<Captured> take_pieces(Captured& captured) {
  std::vector<Captured> pieces;
  std::size_t texts = 0;
  for (auto& trace : take_traces(captured)) {
    auto const more = texts_of(trace);
    bool const has_room = !pieces.empty() && texts + more <= piece_texts_max &&
                          count_of(pieces.back()) + count_of(trace) <= piece_count_max;
    texts = has_room ? texts + more : more;
    if (has_room) {
      append(pieces.back(), std::move(trace));
    } else {
      pieces.push_back(std::move(trace));
    }
  }
  std::ranges::reverse(pieces);
  return pieces;
}

/// A request that is written piece by piece, each of which waits for its turn as a request of its own: others, of the
/// same client too, go on meanwhile.
struct LargeRequest : std::enable_shared_from_this<LargeRequest> {
  std::vector<Captured> pieces;  ///< the next last
  std::string told;
  CaptureDone done;
  PartialSuccess all;
  std::function<bool(Captured&, std::string, CaptureDone)> push;  ///< whether there is a place

  void go_on() {
    auto piece = std::move(pieces.back());
    pieces.pop_back();
    auto const taken = [self = shared_from_this()](Result<PartialSuccess> result) { self->take(std::move(result)); };
    if (!push(piece, pieces.empty() ? std::move(told) : std::string{}, taken))
      done(busy_error("too much waits to be written"));
  }

  void take(Result<PartialSuccess> result) {
    if (!result) return done(result.error());
    all.rejected += result->rejected;
    if (all.message.empty()) all.message = std::move(result->message);
    if (pieces.empty()) return done(std::move(all));
    go_on();
  }
};

std::string first_reason(Error const& error) {
  return error.message.empty() ? std::string{name_of(error.code)} : error.message;
}

}  // namespace

Capture::Capture(engine::Engine& engine, LogSink log)
    : engine_(engine),
      log_(std::move(log)),
      queue_(
          {.waiting_max = queue_max, .group_max = group_max}, [this](auto& group) { process(group); },
          [](std::vector<Waiting>& group) {
            for (auto& each : group) each.done(busy_error("the server stops"));
          },
          trouble_report(log_)) {}

void Capture::submit(Captured captured, CaptureDone done, std::string const& client) {
  std::string told;
  {
    std::lock_guard const lock(mutex_);
    counts_.spans_dropped += captured.plain.size();
    counts_.logs_dropped += captured.dropped_logs;
    counts_.unknown_attributes += captured.unknown_attributes;
    counts_.left_out += captured.left_out.count;
    told = tell_of(captured);
  }
  if (count_of(captured) == 0 && captured.plain.empty()) return done(PartialSuccess{.message = std::move(told)});
  auto const push = [this, client](Captured& piece, std::string words, CaptureDone then) {
    Waiting waiting{std::move(piece), std::move(then), std::move(words)};
    return queue_.push(waiting, client);
  };
  if (!is_large(captured)) {
    if (!push(captured, std::move(told), done)) done(busy_error("too much waits to be written"));
    return;
  }
  auto const large = std::make_shared<LargeRequest>();
  large->pieces = take_pieces(captured);
  large->told = std::move(told);
  large->done = std::move(done);
  large->push = push;
  large->go_on();
}

CaptureCounts Capture::counts() const {
  std::lock_guard const lock(mutex_);
  return counts_;
}

std::map<std::string, std::uint64_t> Capture::not_understood() const {
  std::lock_guard const lock(mutex_);
  return not_understood_;
}

void Capture::tell(std::string_view name, std::string_view example) const {
  if (!log_) return;
  LogEvent event{.level = LogLevel::info, .component = "capture", .event = name, .data = {}};
  schema::json::Writer data{event.data};
  data.begin_object().member("example", example).end_object();
  log_(event);
}

/// Under the lock.
std::string Capture::tell_of(Captured const& captured) {
  if (!captured.plain.empty() && !std::exchange(has_told_spans_, true)) tell("spans_dropped", captured.dropped_example);
  if (captured.unknown_attributes > 0 && !std::exchange(has_told_attributes_, true)) {
    std::string name;
    for (auto const& span : captured.spans) {
      if (name.empty() && !span.rest.empty()) name = std::string(span.rest.begin()->key());
    }
    tell("unknown_attributes", name);
  }
  std::string told;
  if (auto const& left = captured.left_out; left.count > 0) {
    if (!std::exchange(has_told_left_out_, true)) tell("left_out", left.first);
    told = std::to_string(left.count) + (left.count == 1 ? " value was" : " values were") +
           " left out, ill-formed, beyond a bound or nested too deeply; the first of `" +
           schema::cut(schema::to_utf8(left.first), example_max) + "`";
  }
  for (auto const& [kind, count] : captured.not_understood) {
    auto known = not_understood_.find(kind);
    bool const is_new = known == not_understood_.end();
    if (is_new && not_understood_.size() == kinds_max) continue;
    if (is_new) known = not_understood_.emplace(kind, 0).first;
    known->second += count;
    if (!is_new) continue;
    tell("not_understood", kind);
    told += (told.empty() ? "" : "; ") + std::to_string(count) + (kind.starts_with(event_prefix) ? " event" : " span") +
            (count == 1 ? "" : "s") + " of a kind that is not understood: " + kind;
  }
  return told;
}

void Capture::process(std::vector<Waiting>& group) {
  std::vector<Captured const*> all;
  all.reserve(group.size());
  for (auto const& each : group) all.push_back(&each.captured);
  std::vector<Result<PartialSuccess>> answers;
  try {
    bool const is_of_one = std::ranges::all_of(all, [&](auto const* each) { return each->who == all.front()->who; });
    auto const together =
        group.size() > 1 && is_of_one ? write(all) : Result<PartialSuccess>{PartialSuccess{.rejected = 1}};
    bool const is_whole = together && together->rejected == 0;
    for (auto const* const each : all) {  // what was written together is known by now
      answers.push_back(is_whole ? together : write({each}));
      bool const is_refused = !answers.back() && !is_of_environment(answers.back().error().code);
      if (is_refused) answers.back() = write_by_trace(*each);
    }
  } catch (std::bad_alloc const&) {
    answers.assign(group.size(), busy_error(no_memory_for_request));
  } catch (std::exception const& failure) {
    answers.assign(group.size(), Error{.code = Errc::internal_error, .message = failure.what()});
  }
  {
    std::lock_guard const lock(mutex_);
    for (std::size_t i = 0; i < group.size(); ++i) {
      if (!answers[i]) continue;
      counts_.rejected += answers[i]->rejected;
      counts_.spans_taken += group[i].captured.spans.size();
      counts_.logs_taken += count_of(group[i].captured) - group[i].captured.spans.size();
    }
  }
  for (std::size_t i = 0; i < group.size(); ++i) {
    if (answers[i] && answers[i]->message.empty()) answers[i]->message = std::move(group[i].told);
    group[i].done(std::move(answers[i]));
  }
}

Result<PartialSuccess> Capture::write(std::vector<Captured const*> const& captured) {
  auto const snapshot = engine_.snapshot();
  auto derived = derive(captured, snapshot, engine_.records(), engine_.config().embeddings,
                        engine_.check_context({}).id_key, plain_, [this] { return queue_.is_stopping(); });
  if (!derived) return derived.error();
  if (!derived->records.empty()) {  // deletions come of spans, which are records
    engine::WriteBatch batch;
    batch.records = std::move(derived->records);
    batch.deletes = std::move(derived->deletes);
    batch.renews = std::move(derived->renews);
    batch.mode = schema::Mode::capture;
    batch.grows_captured = true;
    batch.actor = actor;
    batch.who = captured.front()->who;
    auto const written = engine_.write(std::move(batch));
    if (!written) return written.error();
  }
  return PartialSuccess{.rejected = derived->rejected, .message = std::move(derived->why)};
}

/// After a refusal: what is all right is written, span by span where it must be; the rest is rejected.
Result<PartialSuccess> Capture::write_by_trace(Captured const& captured) {
  PartialSuccess all;
  std::vector<std::pair<std::string, Captured>> parts;  // the next last
  for (auto& [trace, part] : split(captured)) parts.emplace_back(trace, std::move(part));
  std::ranges::reverse(parts);
  for (std::size_t refusals = 0; !parts.empty();) {
    if (queue_.is_stopping()) return busy_error("the server stops");
    auto [trace, part] = std::move(parts.back());
    parts.pop_back();
    part.who = captured.who;
    auto const one = write({&part});
    if (!one && is_of_environment(one.error().code)) return one.error();
    if (!one && part.spans.size() > 1 && ++refusals <= refusals_max) {
      auto second = second_half(part);
      parts.emplace_back(trace, std::move(second));
      parts.emplace_back(trace, std::move(part));
      continue;
    }
    all.rejected += one ? one->rejected : count_of(part);
    auto const why = one ? one->message : "trace " + trace + ": " + first_reason(one.error());
    if (all.message.empty()) all.message = why;
  }
  return all;
}

}  // namespace whence::net::capture
