// The events of one author are written many at a time, and halved where that is refused; those of a long request with
// others between them. Readings that got another name
// are deleted first, in a transaction of their own.

#include "net/openlineage/intake.hpp"

#include "net/base/errors.hpp"

#include <algorithm>
#include <exception>
#include <functional>
#include <iterator>
#include <memory>
#include <string_view>
#include <utility>

namespace whence::net::openlineage {

namespace {

constexpr std::size_t queue_max = 256;     ///< requests that wait; their memory is claimed by their connections
constexpr std::size_t group_max = 32;      ///< requests written together
constexpr std::size_t together_max = 500;  ///< events of one transaction
constexpr std::string_view actor = "openlineage";

/// A request of many events, which is written transaction by transaction: others have their turn between them.
struct LongRequest : std::enable_shared_from_this<LongRequest> {
  std::vector<Event> events;
  std::size_t next = 0;
  Outcome outcome;
  IntakeDone done;
  std::function<bool(std::vector<Event>&, IntakeDone)> push;  ///< whether there is a place

  void go_on() {
    auto const begin = events.begin() + static_cast<std::ptrdiff_t>(next);
    next = std::min(next + together_max, events.size());
    auto const end = events.begin() + static_cast<std::ptrdiff_t>(next);
    std::vector<Event> part(std::make_move_iterator(begin), std::make_move_iterator(end));
    auto const taken = [self = shared_from_this()](Result<Outcome> result) { self->take(std::move(result)); };
    if (!push(part, taken)) done(busy_error("too much waits to be written"));
  }

  void take(Result<Outcome> result) {
    if (!result) return done(result.error());
    std::ranges::move(*result, std::back_inserter(outcome));
    if (next == events.size()) return done(std::move(outcome));
    go_on();
  }
};

}  // namespace

Intake::Intake(engine::Engine& engine, LogSink const& log)
    : engine_(engine),
      queue_(
          {.waiting_max = queue_max, .group_max = group_max}, [this](auto& group) { write_group(group); },
          [](std::vector<Waiting>& group) {
            for (auto& each : group) each.done(busy_error("the server stops"));
          },
          trouble_report(log)) {}

void Intake::submit(std::vector<Event> events, std::string who, IntakeDone done, std::string const& client) {
  auto const push = [this, who = std::move(who), client](std::vector<Event>& part, IntakeDone then) {
    Waiting waiting{std::move(part), who, std::move(then)};
    return queue_.push(waiting, client);
  };
  if (events.size() <= together_max) {
    if (!push(events, done)) done(busy_error("too much waits to be written"));
    return;
  }
  auto const request = std::make_shared<LongRequest>();
  request->events = std::move(events);
  request->done = std::move(done);
  request->push = push;
  request->go_on();
}

/// A transaction has one author: what follows from one is written together.
void Intake::write_group(std::vector<Waiting>& group) {
  for (auto begin = group.begin(); begin != group.end();) {
    auto const end = std::find_if(begin, group.end(), [&](Waiting const& each) { return each.who != begin->who; });
    write_requests({begin, end});
    begin = end;
  }
}

/// Requests of one author.
void Intake::write_requests(std::span<Waiting> requests) {
  std::vector<Event const*> all;
  for (auto const& each : requests) {
    for (auto const& event : each.events) all.push_back(&event);
  }
  Result<Outcome> outcome = Outcome{};
  try {
    outcome = write_events(all, requests.front().who);
  } catch (std::bad_alloc const&) {
    outcome = busy_error(no_memory_for_request);
  } catch (std::exception const& failure) {
    outcome = Error{.code = Errc::internal_error, .message = failure.what()};
  }
  if (!outcome) {
    for (auto& each : requests) each.done(outcome.error());
    return;
  }
  auto const refused = static_cast<std::uint64_t>(
      std::ranges::count_if(*outcome, [](auto const& each) { return each.refused.has_value(); }));
  refused_ += refused;
  taken_ += all.size() - refused;
  auto at = outcome->begin();
  for (auto& each : requests) {
    auto const end = at + static_cast<std::ptrdiff_t>(each.events.size());
    each.done(Outcome(at, end));
    at = end;
  }
}

/// Many together; where that is refused, half of them and the other half: an event that breaks a rule refuses itself
/// only, and an event is derived as often as its group can be halved.
Result<Outcome> Intake::write_events(std::vector<Event const*> const& events, std::string const& who) {
  Outcome outcome(events.size());
  std::vector<std::pair<std::size_t, std::size_t>> parts;  // the first is the last
  for (std::size_t end = events.size(); end > 0; end = (end - 1) / together_max * together_max)
    parts.emplace_back((end - 1) / together_max * together_max, end);
  while (!parts.empty()) {
    auto const [begin, end] = parts.back();
    parts.pop_back();
    if (queue_.is_stopping()) return busy_error("the server stops");
    auto written = write({events.data() + begin, end - begin}, who);
    if (written) {
      for (auto& [place, what] : *written) outcome[begin + place].left_out.push_back(std::move(what));
      continue;
    }
    if (is_of_environment(written.error().code)) return written.error();
    if (end - begin == 1) {
      outcome[begin].refused = written.error();
      continue;
    }
    auto const middle = begin + (end - begin) / 2;
    parts.emplace_back(middle, end);
    parts.emplace_back(begin, middle);
  }
  return outcome;
}

Result<LeftOut> Intake::write(std::span<Event const* const> events, std::string const& who) {
  auto derived = derive(events, engine_.snapshot(), engine_.records(), cache_);
  if (!derived) return derived.error();
  if (!derived->deletes.empty()) {
    engine::WriteBatch batch;
    batch.deletes = std::move(derived->deletes);
    batch.actor = actor;
    batch.who = who;
    auto const written = engine_.write(std::move(batch));
    if (!written && written.error().code != Errc::not_found) return written.error();
  }
  if (derived->records.empty()) return std::move(derived->left_out);
  engine::WriteBatch batch;
  batch.records = std::move(derived->records);
  batch.mode = schema::Mode::capture;
  batch.grows_captured = true;
  batch.actor = actor;
  batch.who = who;
  auto const written = engine_.write(std::move(batch));
  if (!written) return written.error();
  return std::move(derived->left_out);
}

}  // namespace whence::net::openlineage
