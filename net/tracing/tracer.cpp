// Samples, queues, and sends.

#include "net/tracing/tracer.hpp"

#include "engine/values/priority.hpp"
#include "net/base/errors.hpp"
#include "net/base/version.hpp"
#include "net/tracing/post.hpp"
#include "schema/encoding/hex.hpp"
#include "schema/json/writer.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <exception>
#include <random>
#include <utility>

namespace whence::net {

namespace {

constexpr std::chrono::seconds send_interval{1};
constexpr std::chrono::seconds send_patience{10};
constexpr std::chrono::seconds last_patience{1};
constexpr int sender_nice = 10;

std::mt19937_64& randomness() {
  thread_local std::mt19937_64 source{std::random_device{}()};
  return source;
}

/// 16 hex digits, not all 0.
std::string random_id() {
  std::uint64_t value = 0;
  while (value == 0) value = randomness()();
  std::array<std::uint8_t, 8> bytes{};
  std::memcpy(bytes.data(), &value, bytes.size());
  return schema::to_hex(bytes);
}

bool is_chosen(double share) {
  return share >= 1 || (share > 0 && std::generate_canonical<double, 53>(randomness()) < share);
}

void write_text(schema::json::Writer& out, std::string_view key, std::string_view value) {
  out.begin_object().member("key", key).key("value").begin_object().member("stringValue", value).end_object();
  out.end_object();
}

}  // namespace

Result<TraceTarget> parse_trace_target(std::string_view url) {
  auto const wrong = [&](std::string_view why) {
    return Error{.code = Errc::invalid_params,
                 .message = "\"" + std::string{url} + "\" is not http://HOST[:PORT]/v1/traces: " + std::string{why}};
  };
  constexpr std::string_view scheme = "http://";
  if (url.starts_with("https://")) return wrong("https is not spoken; send to a collector on this machine, which does");
  if (!url.starts_with(scheme)) return wrong("it begins otherwise");
  auto rest = url.substr(scheme.size());
  TraceTarget target;
  auto const path = rest.find('/');
  if (path != std::string_view::npos && path + 1 < rest.size()) target.path = rest.substr(path);
  auto authority = rest.substr(0, path);
  bool const is_literal = authority.starts_with('[');
  auto const host_end = is_literal ? authority.find(']') : authority.find(':');
  if (is_literal && host_end == std::string_view::npos) return wrong("the address has no ]");
  target.host = is_literal ? authority.substr(1, host_end - 1) : authority.substr(0, host_end);
  auto const after =
      is_literal ? authority.substr(host_end + 1) : authority.substr(std::min(host_end, authority.size()));
  if (target.host.empty()) return wrong("there is no host");
  if (url.find_first_of(" \t\r\n?#@") != std::string_view::npos) return wrong("a character that has no place there");
  if (after.empty()) return target;
  auto const digits = after.substr(1);
  auto const read = std::from_chars(digits.data(), digits.data() + digits.size(), target.port);
  bool const is_port = after.front() == ':' && read.ec == std::errc{} && read.ptr == digits.data() + digits.size();
  return is_port && target.port != 0 ? Result<TraceTarget>{std::move(target)} : wrong("the port is none");
}

Tracer::Tracer(TraceTarget target, LogSink log)
    : target_{std::move(target)},
      log_{std::move(log)},
      thread_{trouble_report(log_), "traces", "spans are lost, requests go on"} {
  auto const work = [this](std::stop_token const& stop) {
    for (auto batch = take_batch(); !batch.empty(); batch = take_batch()) {
      send(batch, stop);
      if (batch.size() < batch_max) break;
    }
    return schema::WokenThread::Sleep{.most = send_interval};
  };
  thread_.start(work, [] { engine::work_behind_others(sender_nice); });
}

Tracer::~Tracer() {
  thread_.stop();
  std::stop_source ending;
  ending.request_stop();
  auto const end = std::chrono::steady_clock::now() + last_patience;
  for (bool is_left = true; is_left && std::chrono::steady_clock::now() < end;) {
    is_left = false;
    thread_.run([&] {
      auto const batch = take_batch();
      is_left = !batch.empty() && send(batch, ending.get_token());
    });
  }
}

void Tracer::note(TracedRequest const& request, std::optional<TraceContext> const& context) noexcept try {
  if (context ? !context->is_sampled : !is_chosen(target_.sample)) return;
  using std::chrono::duration_cast;
  using std::chrono::nanoseconds;
  auto const end_ns = duration_cast<nanoseconds>(std::chrono::system_clock::now().time_since_epoch()).count();
  Span span{.trace = context ? context->trace : random_id() + random_id(),
            .span = random_id(),
            .parent = context ? context->parent : std::string{},
            .system = request.system,
            .method = request.method,
            .namespace_name = std::string{request.namespace_name},
            .error = request.error,
            .failure = request.failure,
            .begin_ns = end_ns - duration_cast<nanoseconds>(request.taken).count(),
            .end_ns = end_ns};
  bool is_batch = false;
  {
    std::lock_guard const lock(mutex_);
    if (waiting_.size() >= queue_max) {
      ++counts_.dropped;
      return;
    }
    waiting_.push_back(std::move(span));
    is_batch = waiting_.size() == batch_max;
  }
  if (is_batch) thread_.wake();
} catch (std::exception const&) {  // no memory: the request goes on without its span
}

TraceCounts Tracer::counts() const {
  std::lock_guard const lock(mutex_);
  return counts_;
}

std::deque<Tracer::Span> Tracer::take_batch() {
  std::lock_guard const lock(mutex_);
  std::deque<Span> batch;
  if (waiting_.size() <= batch_max) {
    batch.swap(waiting_);
  } else {
    auto const end = waiting_.begin() + static_cast<std::ptrdiff_t>(batch_max);
    std::move(waiting_.begin(), end, std::back_inserter(batch));
    waiting_.erase(waiting_.begin(), end);
  }
  return batch;
}

bool Tracer::send(std::deque<Span> const& batch, std::stop_token const& stop) {
  std::string failure;
  try {
    failure = post_json({.host = target_.host,
                         .port = target_.port,
                         .path = target_.path,
                         .patience = send_patience,
                         .last_patience = last_patience},
                        text_of(batch), stop);
  } catch (std::exception const& failed) {
    failure = failed.what();
  }
  {
    std::lock_guard const lock(mutex_);
    (failure.empty() ? counts_.sent : counts_.failed) += batch.size();
  }
  bool const is_taken = failure.empty();
  if (is_taken != is_losing_) return is_taken;
  is_losing_ = !is_taken;
  if (!log_) return is_taken;
  LogEvent event{.level = is_losing_ ? LogLevel::warning : LogLevel::info,
                 .component = "server",
                 .event = is_losing_ ? "traces_lost" : "traces_sent",
                 .data = {}};
  schema::json::Writer data{event.data};
  data.begin_object().member("host", target_.host).member("port", std::uint64_t{target_.port}).end_object();
  event.error = failure;
  log_(event);
  return is_taken;
}

/// ExportTraceServiceRequest in the JSON form of OTLP 1.x.
std::string Tracer::text_of(std::deque<Span> const& batch) {
  std::string text;
  schema::json::Writer out{text};
  out.begin_object().key("resourceSpans").begin_array().begin_object();
  out.key("resource").begin_object().key("attributes").begin_array();
  write_text(out, "service.name", "whence");
  write_text(out, "service.version", version());
  out.end_array().end_object();
  out.key("scopeSpans").begin_array().begin_object();
  out.key("scope").begin_object().member("name", "whence").member("version", version()).end_object();
  out.key("spans").begin_array();
  for (auto const& span : batch) {
    out.begin_object().member("traceId", span.trace).member("spanId", span.span);
    if (!span.parent.empty()) out.member("parentSpanId", span.parent);
    constexpr std::uint64_t kind_server = 2;
    bool const is_bolt = span.system == TracedSystem::bolt;
    out.member("name", is_bolt ? "Bolt " + std::string{span.method} : std::string{span.method});
    out.member("kind", kind_server);
    out.member("startTimeUnixNano", std::to_string(span.begin_ns));
    out.member("endTimeUnixNano", std::to_string(span.end_ns));
    out.key("attributes").begin_array();
    write_text(out, "rpc.system", is_bolt ? "bolt" : "jsonrpc");
    write_text(out, "rpc.method", span.method);
    if (!span.namespace_name.empty()) write_text(out, "whence.namespace", span.namespace_name);
    if (span.error) {
      out.begin_object().member("key", "rpc.jsonrpc.error_code").key("value").begin_object();
      out.member("intValue", std::to_string(wire_code(*span.error))).end_object().end_object();
    }
    if (span.failure) write_text(out, "db.response.status_code", *span.failure);
    out.end_array();
    if (span.error || span.failure) {
      constexpr std::uint64_t status_error = 2;
      auto const message = span.error ? name_of(*span.error) : *span.failure;
      out.key("status").begin_object().member("code", status_error).member("message", message).end_object();
    }
    out.end_object();
  }
  out.end_array().end_object().end_array().end_object().end_array().end_object();
  return text;
}

}  // namespace whence::net
