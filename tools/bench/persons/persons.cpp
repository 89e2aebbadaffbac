// Erasing one of many persons: how long it takes, and how long others wait meanwhile. A tenth of the responses' number
// are persons; each says a text of its own in each of ten turns.

#include "tools/bench/engine_fixture.hpp"
#include "tools/bench/live/socket.hpp"
#include "tools/bench/parts.hpp"
#include "tools/bench/wire/servers.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <stdexcept>
#include <thread>

namespace whence::bench {
namespace {

constexpr std::uint32_t turns = 10;
constexpr unsigned erased_in_a_row = 1'000;  ///< without a pause
constexpr std::uint32_t documents = 1'000;
constexpr std::uint32_t responses_per_batch = 2'000;
constexpr double seconds_max = 5;
constexpr double waiting_max = 5;  ///< times the quiet 99th percentile
constexpr std::chrono::milliseconds between_questions{1};

std::string person_id(std::uint32_t person) {
  return "person_" + std::to_string(person);
}

std::string turn_id(std::uint32_t turn) {
  return "resp_" + std::to_string(turn);
}

void append_turn(std::uint32_t turn, std::uint32_t persons, std::vector<schema::IncomingRecord>& out) {
  auto const person = person_id(turn % persons);
  auto const number = std::to_string(turn);
  schema::Time const time{1'767'225'600 + turn, 0};
  schema::ContextReference said{.context_unit_id = {}, .weight = 0.5};
  said.type = schema::ContextType::user;
  said.source = "message:user";
  said.content = "Question " + number + " of " + person;
  schema::Response response{.id = turn_id(turn),
                            .timestamp = time,
                            .agent = "bench:agent",
                            .model = "bench-model",
                            .content = "The answer to question " + number};
  response.person = person;
  response.conversation = "chat_" + person;
  response.context_units = {std::move(said), {"cu_doc_" + std::to_string(turn % documents), 0.5}};
  out.push_back({.record = std::move(response)});
  if (turn % turns == 0) {
    out.push_back({.record = schema::FeedbackRecord{
                       .id = "fb_" + number, .response_id = turn_id(turn), .timestamp = time, .score = 1}});
  }
}

void load(std::string const& directory, std::uint32_t responses) {
  OpenEngine const engine(directory);
  engine::WriteBatch first;
  for (std::uint32_t i = 0; i < documents; ++i) {
    schema::ContextUnit passage{.id = "cu_doc_" + std::to_string(i), .source = "file:document" + std::to_string(i)};
    passage.content = "Passage " + std::to_string(i);
    first.records.push_back({.record = std::move(passage)});
  }
  engine.write(std::move(first));
  for (std::uint32_t begin = 0; begin < responses; begin += responses_per_batch) {
    engine::WriteBatch batch;
    for (auto i = begin; i < std::min(responses, begin + responses_per_batch); ++i) {
      append_turn(i, responses / turns, batch.records);
    }
    engine.write(std::move(batch));
  }
}

/// Somebody who asks for one lineage after the other, with a pause between.
class Other {
 public:
  Other(std::uint16_t port, std::uint32_t responses) : socket_(port), responses_(responses) {}

  /// The 99th percentile of the answers' times while `is_over` is false, in milliseconds.
  double p99_ms(std::function<bool()> const& is_over) {
    std::vector<double> waited;
    while (!is_over()) {
      auto const asked = R"({"ref":"Response:)" + turn_id(++asked_ * 7919 % responses_) + R"("})";
      Stopwatch const watch;
      (void)socket_.ask(request("lineage.ancestors", asked));
      waited.push_back(watch.seconds() * 1e3);
      std::this_thread::sleep_for(between_questions);
    }
    std::ranges::sort(waited);
    return waited.empty() ? 0 : waited[waited.size() * 99 / 100];
  }

 private:
  LiveSocket socket_;
  std::uint32_t responses_;
  std::uint32_t asked_ = 0;
};

double seconds_to_erase(LiveSocket& eraser, std::uint32_t person) {
  auto const asked = R"({"person":")" + person_id(person) + R"(","reason":"asked for"})";
  Stopwatch const watch;
  auto const answer = eraser.ask(request("person.erase", asked));
  double const taken = watch.seconds();
  if (answer.find("Response:resp_") == std::string::npos) {
    throw std::runtime_error("not an erasure: " + answer.substr(0, 200));
  }
  return taken;
}

}  // namespace

void run_persons(Options const& options) {
  Scratch const scratch(options.directory + "/persons");
  auto const directory = scratch.file("whence");
  load(directory, options.responses);
  ServerProcess const whence([&](Listening const& listening) { serve_whence(directory, listening); });
  LiveSocket eraser(whence.port());
  Other other(whence.port(), options.responses);
  print_title("Erasing one of " + shown(options.responses / turns) + " persons, with all of " + std::to_string(turns) +
              " turns");
  std::vector<double> seconds, quiet, beside_one, beside_row;
  std::uint32_t person = 0;
  auto const waiting_ms = [&](unsigned erased, double least_seconds) {
    Stopwatch const watch;
    std::atomic<bool> is_done = false;
    std::exception_ptr failure;
    std::jthread thread([&] {
      try {
        for (unsigned i = 0; i < erased; ++i) seconds.push_back(seconds_to_erase(eraser, person++));
      } catch (...) {
        failure = std::current_exception();
      }
      is_done = true;
    });
    double const waited = other.p99_ms([&] { return is_done && watch.seconds() > least_seconds; });
    thread.join();
    if (failure) std::rethrow_exception(failure);
    return waited;
  };
  for (unsigned i = 0; i < options.repeats; ++i) {
    quiet.push_back(waiting_ms(0, 2));
    beside_one.push_back(waiting_ms(1, 1));
    beside_row.push_back(waiting_ms(erased_in_a_row, 0));
  }
  print({.figure = "erasure, acknowledged",
         .unit = "s",
         .better = Better::lower,
         .whence = median(seconds),
         .others = {{"expected under", seconds_max}}});
  auto const print_waiting = [&](std::string const& figure, std::vector<double> const& waited) {
    print({.figure = figure,
           .unit = "ms",
           .better = Better::lower,
           .whence = median(waited),
           .others = {{"quiet", median(quiet)}, {"expected under", waiting_max * median(quiet)}}});
  };
  print_waiting("others' 99th percentile in a second with one erasure", beside_one);
  print_waiting("others' 99th percentile while " + shown(erased_in_a_row) + " are erased in a row", beside_row);
}

}  // namespace whence::bench
