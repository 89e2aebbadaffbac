// Events of the past per second to one subscriber: Whence from its log, a bare Beast server that sends the same
// messages (the limit), and JetStream's replay of as many messages of the size of an event (the peer).

#include "tools/bench/engine_fixture.hpp"
#include "tools/bench/live/beast.hpp"
#include "tools/bench/live/events.hpp"
#include "tools/bench/live/nats.hpp"
#include "tools/bench/live/parts.hpp"
#include "tools/bench/live/writer.hpp"
#include "tools/bench/wire/servers.hpp"

#include <algorithm>
#include <optional>
#include <stdexcept>

namespace whence::bench {
namespace {

constexpr double rate_expected = 1'000'000;

std::string replay_request(EventForm form) {
  return request("subscribe", R"({"since":0,"include":[")" + std::string(name(form)) + R"("]})");
}

/// Every message of a replay, the answer first and `$/caught_up` last.
std::vector<std::string> recorded(std::uint16_t port, EventForm form) {
  LiveSocket socket(port);
  std::vector<std::string> messages;
  socket.send(replay_request(form));
  do {
    socket.receive([&](std::string_view message) { messages.emplace_back(message); });
  } while (!is_notification(messages.back(), "$/caught_up"));
  return messages;
}

/// From the request to `$/caught_up`. The same client for all servers.
double replay_rate(std::uint16_t port, EventForm form, std::uint32_t events) {
  LiveSocket socket(port);
  EventCounter counter;
  Stopwatch const watch;
  socket.send(replay_request(form));
  while (!counter.is_caught_up()) socket.receive([&](std::string_view message) { counter.take(message); });
  double const seconds = watch.seconds();
  if (counter.events() != events) throw std::runtime_error("replay: not every event came once");
  return events / seconds;
}

std::size_t bytes_of(std::vector<std::string> const& messages) {
  std::size_t bytes = 0;
  for (std::string const& message : messages) bytes += message.size();
  return bytes;
}

void compare(Options const& options, EventForm form) {
  std::uint32_t const events = options.events / 100 * 100;
  Scratch const scratch(options.directory + "/live");
  write_history(scratch.file("whence"), form, events);
  ServerProcess const whence([&](Listening const& listening) { serve_whence(scratch.file("whence"), listening); });
  std::vector<std::string> const messages = recorded(whence.port(), form);
  std::size_t const event_bytes = bytes_of(messages) / events;
  ServerProcess const beast([&](Listening const& listening) { serve_beast_messages(messages, listening); });
  std::optional<NatsPeer> nats;
  if (NatsPeer::is_installed()) nats.emplace(scratch.file("nats"), events, event_bytes);

  std::vector<double> ours, beasts, natses;
  for (unsigned i = 0; i < options.repeats; ++i) {
    ours.push_back(replay_rate(whence.port(), form, events));
    beasts.push_back(replay_rate(beast.port(), form, events));
    if (nats) natses.push_back(nats->replay_rate());
  }
  double const expected = std::min(rate_expected, median(beasts) / 2);
  Row row{.figure = "include " + std::string(name(form)) + ", " + std::to_string(event_bytes) + " bytes an event",
          .unit = "events/s",
          .better = Better::higher,
          .whence = median(ours),
          .others = {{"bare Beast, same messages (limit)", median(beasts)}, {"expected at least", expected}},
          .note = verdict(median(ours) >= expected) + "; " + std::to_string(messages.size()) + " messages"};
  if (nats) row.others.emplace_back("NATS JetStream (peer)", median(natses));
  print(row);
}

}  // namespace

void run_live_replay(Options const& options) {
  print_title("Replay, loopback, " + shown(options.events) +
              " events in transactions of 100 to one subscriber on the same machine");
  for (EventForm const form : {EventForm::edges, EventForm::record}) compare(options, form);
}

}  // namespace whence::bench
