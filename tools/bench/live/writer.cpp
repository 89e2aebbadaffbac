// A history is written by an engine in this process, in batches of one size. The client sends requests that were made
// before, with a fixed number of them unanswered, and notes when each was sent.

#include "tools/bench/live/writer.hpp"

#include "tools/bench/engine_fixture.hpp"

#include <algorithm>
#include <stdexcept>

namespace whence::bench {
namespace {

constexpr std::uint32_t history_batch = 100;
constexpr schema::Time start{.seconds = 1'700'000'000, .nanos = 0};

schema::ContextUnit unit(std::uint32_t number) {
  return {.id = unit_id(number),
          .type = schema::ContextType::user,
          .source = "memory:project/bench",
          .timestamp = start,
          .version = 1};
}

/// Uses one of the units of the first transaction.
schema::Response response(std::uint32_t number) {
  schema::Response made{.id = response_id(number),
                        .timestamp = start,
                        .agent = "bench:agent",
                        .model = "bench-model-1",
                        .token_count = 1000};
  made.context_units.push_back({unit_id(number * 7919 % history_batch), 1.0});
  return made;
}

}  // namespace

std::string_view name(EventForm form) {
  return form == EventForm::edges ? "edges" : "record";
}

void write_history(std::string const& directory, EventForm form, std::uint32_t events) {
  OpenEngine engine(directory);
  for (std::uint32_t first = 0; first < events; first += history_batch) {
    engine::WriteBatch batch;
    for (std::uint32_t number = first; number < first + history_batch; ++number) {
      bool const is_unit = form == EventForm::record || first == 0;
      if (is_unit) {
        batch.records.push_back({.record = unit(number)});
      } else {
        batch.records.push_back({.record = response(number)});
      }
    }
    engine.write(std::move(batch));
  }
}

std::string write_request(std::uint32_t first, std::uint32_t count) {
  std::string records;
  for (std::uint32_t number = first; number < first + count; ++number) {
    records += records.empty() ? R"({"$type$":"ContextUnit","id":")" : R"(,{"$type$":"ContextUnit","id":")";
    records += unit_id(number);
    records += R"(","type":"User","source":"memory:project/bench","timestamp":"2023-11-14T22:13:20Z","version":1})";
  }
  return request("records.write", R"({"records":[)" + records + "]}");
}

std::vector<std::string> write_requests(std::uint32_t first, std::uint32_t count, std::uint32_t per_batch) {
  std::vector<std::string> requests;
  for (std::uint32_t done = 0; done < count; done += per_batch) {
    requests.push_back(write_request(first + done, std::min(per_batch, count - done)));
  }
  return requests;
}

LiveWriter::LiveWriter(std::uint16_t port, std::vector<std::string> const& requests, unsigned in_flight)
    : socket_(port), requests_(requests), in_flight_(in_flight) {
  sent_at_.reserve(requests.size());
}

void LiveWriter::start() {
  while (sent_at_.size() < std::min<std::size_t>(in_flight_, requests_.size())) send_next();
}

void LiveWriter::receive() {
  socket_.receive([this](std::string_view answer) {
    if (answer.find(R"("result":{"tx":)") == std::string_view::npos)
      throw std::runtime_error("a write was refused: " + std::string(answer));
    ++answered_;
    if (sent_at_.size() < requests_.size()) send_next();
  });
}

void LiveWriter::send_next() {
  sent_at_.push_back(std::chrono::steady_clock::now());
  socket_.send(requests_[sent_at_.size() - 1]);
}

}  // namespace whence::bench
