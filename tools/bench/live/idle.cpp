// The cost of idle subscriptions: commits timed with a thousand subscriptions that they do not affect.

#include "tools/bench/engine_fixture.hpp"
#include "tools/bench/live/parts.hpp"
#include "tools/bench/live/socket.hpp"
#include "tools/bench/live/writer.hpp"
#include "tools/bench/wire/servers.hpp"

#include <array>
#include <list>

namespace whence::bench {
namespace {

constexpr std::uint32_t subscriptions = 1'000;
constexpr std::uint32_t connections = 4;
constexpr std::array<std::uint32_t, 2> batches{1, 100};
constexpr std::uint32_t commits_a_round = 100;
constexpr std::uint32_t untouched_uses = 10;    ///< earlier uses of each watched unit
constexpr std::uint32_t unwatched_units = 100;  ///< numbered after those; used by the timed commits

/// The subscribers' connections, which stay open between rounds.
class Standing {
 public:
  explicit Standing(std::uint16_t port) {
    for (std::uint32_t i = 0; i < connections; ++i) sockets_.emplace_back(port);
  }

  /// Each subscription watches everything downstream of its own unit.
  void subscribe() {
    std::uint32_t unit = 0;
    for (LiveSocket& socket : sockets_) {
      for (std::uint32_t i = 0; i < subscriptions / connections; ++i) {
        std::string const answer =
            socket.ask(request("subscribe", R"({"match":{"downstream_of":"ContextUnit:)" + unit_id(unit++) + R"("}})"));
        ids_.emplace_back(&socket, id_in(answer));
      }
    }
  }

  void unsubscribe() {
    for (auto const& [socket, id] : ids_) (void)socket->ask(request("unsubscribe", R"({"sub":")" + id + R"("})"));
    ids_.clear();
  }

 private:
  static std::string id_in(std::string const& answer) {
    constexpr std::string_view member = R"("sub":")";
    std::size_t const begin = answer.find(member) + member.size();
    return answer.substr(begin, answer.find('"', begin) - begin);
  }

  std::list<LiveSocket> sockets_;
  std::vector<std::pair<LiveSocket*, std::string>> ids_;
};

/// Writes responses, each of which uses one unit.
class ResponseWriter {
 public:
  explicit ResponseWriter(std::uint16_t port) : socket_(port) {}

  /// `count` in one transaction, using `units` units from `first_unit` on in turn. Returns the milliseconds from the
  /// request to its answer.
  double write(std::uint32_t count, std::uint32_t first_unit, std::uint32_t units) {
    std::string records;
    for (std::uint32_t i = 0; i < count; ++i, ++written_) {
      records += records.empty() ? R"({"$type$":"Response","id":")" : R"(,{"$type$":"Response","id":")";
      records += response_id(written_);
      records += R"(","timestamp":"2023-11-14T22:13:20Z","agent":"bench:agent","model":"bench-model-1",)";
      records += R"("context_units":[{"context_unit_id":")" + unit_id(first_unit + written_ % units);
      records += R"(","weight":1}]})";
    }
    std::string const write = request("records.write", R"({"records":[)" + records + "]}");
    Stopwatch const watch;
    (void)socket_.ask(write);
    return watch.seconds() * 1e3;
  }

  /// Median over a round of transactions of `count` responses that match no subscription.
  double commit_ms(std::uint32_t count) {
    std::vector<double> ms;
    for (std::uint32_t i = 0; i < commits_a_round; ++i) ms.push_back(write(count, subscriptions, unwatched_units));
    return median(ms);
  }

 private:
  LiveSocket socket_;
  std::uint32_t written_ = 0;
};

}  // namespace

void run_live_idle(Options const& options) {
  Scratch const scratch(options.directory + "/live");
  write_history(scratch.file("whence"), EventForm::record, subscriptions + unwatched_units);
  ServerProcess const whence([&](Listening const& listening) { serve_whence(scratch.file("whence"), listening); });
  print_title("Commits with " + shown(subscriptions) + " idle downstream_of subscriptions on " +
              std::to_string(connections) + " connections, alternating with none");
  Standing standing(whence.port());
  ResponseWriter writer(whence.port());
  for (std::uint32_t i = 0; i < untouched_uses; ++i) writer.write(subscriptions, 0, subscriptions);
  std::array<std::vector<double>, batches.size()> beside, without;
  for (unsigned i = 0; i < options.repeats; ++i) {
    for (std::size_t b = 0; b < batches.size(); ++b) without[b].push_back(writer.commit_ms(batches[b]));
    standing.subscribe();
    for (std::size_t b = 0; b < batches.size(); ++b) beside[b].push_back(writer.commit_ms(batches[b]));
    standing.unsubscribe();
  }
  for (std::size_t b = 0; b < batches.size(); ++b) {
    print({.figure = "commit of " + std::to_string(batches[b]) + ", median",
           .unit = "ms",
           .better = Better::lower,
           .whence = median(beside[b]),
           .others = {{"no subscription", median(without[b])}}});
  }
}

}  // namespace whence::bench
