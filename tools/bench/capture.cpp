// Telemetry: spans per second from OTLP's protobuf form to a durable store, beside reading the same bytes alone and
// beside writing the records that they become.

#include "net/capture/capture.hpp"

#include "graph/snapshot/records.hpp"
#include "net/capture/otlp.hpp"
#include "tools/bench/engine_fixture.hpp"
#include "tools/bench/parts.hpp"

#include <algorithm>
#include <bit>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace whence::bench {
namespace {

namespace capture = net::capture;

constexpr std::size_t traces_per_request = 100;
constexpr std::size_t spans_per_trace = 2;
constexpr std::size_t in_flight = 8;  ///< requests, as of so many exporters

/// A protobuf message that is written field by field.
class Message {
 public:
  Message& bytes(unsigned field, std::string_view value) {
    varint(field << 3U | 2U);
    varint(value.size());
    out_ += value;
    return *this;
  }
  Message& fixed64(unsigned field, std::uint64_t value) {
    varint(field << 3U | 1U);
    for (unsigned i = 0; i < 64; i += 8) out_ += static_cast<char>(value >> i & 0xffU);
    return *this;
  }
  /// A KeyValue with a text.
  Message& attribute(unsigned field, std::string_view key, std::string_view value) {
    return bytes(field, Message{}.bytes(1, key).bytes(2, Message{}.bytes(1, value).text()).text());
  }
  [[nodiscard]] std::string const& text() const noexcept { return out_; }

 private:
  void varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7U) out_ += static_cast<char>((value & 0x7fU) | 0x80U);
    out_ += static_cast<char>(value);
  }

  std::string out_;
};

/// An id of `size` bytes.
std::string raw_id(std::uint64_t number, std::size_t size) {
  std::string id(size, '\1');
  for (std::size_t i = 0; i < 8; ++i) id[size - 1 - i] = static_cast<char>(number >> (8 * i) & 0xffU);
  return id;
}

std::string span_of(std::uint64_t trace, std::uint64_t number, std::string_view title, std::uint64_t start,
                    std::vector<std::pair<std::string, std::string>> const& attributes) {
  constexpr std::uint64_t second = 1'000'000'000;
  Message span;
  span.bytes(1, raw_id(trace + 1, 16)).bytes(2, raw_id(number, 8)).bytes(5, title);
  span.fixed64(7, (1'760'000'000 + start) * second).fixed64(8, (1'760'000'001 + start) * second);
  for (auto const& [key, value] : attributes) span.attribute(9, key, value);
  return span.text();
}

/// A retrieval of three passages and the call of a model after it.
void append_trace(Message& scope, std::uint64_t trace) {
  auto const number = std::to_string(trace);
  std::vector<std::pair<std::string, std::string>> found{{"openinference.span.kind", "RETRIEVER"},
                                                         {"input.value", "What does case " + number + " say?"}};
  for (std::uint64_t i = 0; i < 3; ++i) {
    auto const at = "retrieval.documents." + std::to_string(i) + ".document.";
    found.emplace_back(at + "content", "Passage " + std::to_string(trace * 3 + i) + std::string(400, 'x'));
    found.emplace_back(at + "metadata", R"({"source":"file_)" + std::to_string(trace % 500) + R"(.md","score":0.8})");
  }
  scope.bytes(2, span_of(trace, 1, "retrieve", 0, found));
  scope.bytes(
      2, span_of(trace, 2, "chat m", 2,
                 {{"gen_ai.operation.name", "chat"},
                  {"gen_ai.request.model", "m"},
                  {"gen_ai.input.messages",
                   R"([{"role":"user","parts":[{"type":"text","content":"What does case )" + number + R"( say?"}]}])"},
                  {"gen_ai.output.messages", R"([{"role":"assistant","parts":[{"type":"text","content":"It says )" +
                                                 number + std::string(300, 'y') + R"("}]}])"}}));
}

std::vector<std::string> make_bodies(std::size_t traces) {
  std::vector<std::string> bodies;
  for (std::size_t begin = 0; begin < traces; begin += traces_per_request) {
    Message scope;
    for (std::size_t i = begin; i < std::min(traces, begin + traces_per_request); ++i) append_trace(scope, i);
    bodies.push_back(Message{}.bytes(1, Message{}.bytes(2, scope.text()).text()).text());
  }
  return bodies;
}

capture::Telemetry decoded(std::string const& body) {
  std::size_t unnamed = 0;
  auto telemetry = capture::decode_protobuf(body, capture::Signal::traces, unnamed);
  if (!telemetry || unnamed > 0) throw std::runtime_error("the spans of the benchmark are not read");
  return std::move(*telemetry);
}

/// Requests on their way, at most `in_flight` of them.
class Window {
 public:
  void begin() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return running_ < in_flight; });
    ++running_;
  }
  void end(bool is_taken) {
    std::lock_guard const lock(mutex_);
    --running_;
    is_whole_ = is_whole_ && is_taken;
    changed_.notify_all();
  }
  void wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return running_ == 0; });
    if (!is_whole_) throw std::runtime_error("spans of the benchmark are refused");
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t running_ = 0;
  bool is_whole_ = true;
};

double seconds_to_capture(OpenEngine& engine, std::vector<std::string> const& bodies) {
  Stopwatch const watch;
  Window window;
  capture::Capture writer(*engine, {});
  for (auto const& body : bodies) {
    window.begin();
    writer.submit(
        capture::read_telemetry(decoded(body), capture::now_nanos()),
        [&](Result<capture::PartialSuccess> const& taken) { window.end(taken.has_value() && taken->rejected == 0); });
  }
  window.wait();
  return watch.seconds();
}

/// Every record of a store, by the transactions that made them: a record names others of its own or an earlier one.
std::vector<std::vector<schema::Record>> records_of(OpenEngine& engine) {
  auto const snapshot = engine->snapshot();
  std::vector<schema::VertexId> vertices;
  for (std::uint32_t v = 0; v < snapshot.vertex_count(); ++v) vertices.push_back(schema::VertexId{v});
  std::vector<std::vector<schema::Record>> transactions;
  schema::TxId last{};
  auto const read =
      graph::read_those_there(snapshot, engine->records(), vertices, [&](std::size_t at, schema::Record&& record) {
        auto const made_by = snapshot.created(vertices[at]);
        if (made_by != last) transactions.emplace_back();
        last = made_by;
        transactions.back().push_back(std::move(record));
        return true;
      });
  if (!read) throw std::runtime_error(read.error().message);
  return transactions;
}

double seconds_to_write(OpenEngine& engine, std::vector<std::vector<schema::Record>> const& transactions) {
  Stopwatch const watch;
  for (auto const& records : transactions) {
    engine::WriteBatch batch;
    batch.mode = schema::Mode::capture;
    for (auto const& record : records) batch.records.push_back({.record = record});
    engine.write(std::move(batch));
  }
  return watch.seconds();
}

}  // namespace

void run_capture(Options const& options) {
  auto const traces = std::max<std::size_t>(options.responses / 10, traces_per_request);
  auto const spans = static_cast<double>(traces * spans_per_trace);
  auto const bodies = make_bodies(traces);
  Scratch const scratch(options.directory + "/capture");
  std::vector<double> captured, read, understood, written;
  for (unsigned i = 0; i < options.repeats; ++i) {
    {
      Stopwatch const watch;
      for (auto const& body : bodies) static_cast<void>(decoded(body));
      read.push_back(spans / watch.seconds());
    }
    {
      Stopwatch const watch;
      for (auto const& body : bodies) static_cast<void>(capture::read_telemetry(decoded(body), capture::now_nanos()));
      understood.push_back(spans / watch.seconds());
    }
    OpenEngine engine(scratch.file("captured_" + std::to_string(i)));
    captured.push_back(spans / seconds_to_capture(engine, bodies));
    OpenEngine other(scratch.file("written_" + std::to_string(i)));
    written.push_back(spans / seconds_to_write(other, records_of(engine)));
  }
  print_title("Telemetry, " + shown(spans) + " spans: " + shown(static_cast<double>(traces_per_request)) +
              " traces a request");
  print({.figure = "OTLP protobuf to a durable store",
         .unit = "spans/s",
         .better = Better::higher,
         .whence = median(captured),
         .others = {{"the same records in the same transactions", median(written)},
                    {"read and mapped (limit)", median(understood)},
                    {"read (limit)", median(read)}}});
}

}  // namespace whence::bench
