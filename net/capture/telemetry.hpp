#pragma once
// Spans and log records of OpenTelemetry as values, whatever the form in which they came (OTLP 1.x, protobuf or JSON).

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

namespace whence::net::capture {

/// Attribute values by name: texts, booleans, numbers, lists and objects. Bytes are base64 text. Of a name that comes
/// twice the last value counts. Every text is UTF-8: U+FFFD is where bytes were none.
using AttributeMap = boost::json::object;

/// A moment, in nanoseconds since the epoch; 0: not given.
using Nanos = std::uint64_t;

/// A span of some trace.
struct SpanName {
  std::string trace = {};  ///< 32 lower-case hex digits
  std::string span = {};   ///< 16 lower-case hex digits

  friend auto operator<=>(SpanName const&, SpanName const&) = default;
};

struct SpanEvent {
  Nanos time = 0;
  std::string name = {};
  AttributeMap attributes = {};
};

struct Span {
  SpanName name = {};
  std::string parent = {};  ///< 16 hex digits; empty: a root
  std::string title = {};   ///< the span's own name, "chat gpt-4"
  bool is_client = false;   ///< of kind CLIENT: what is below it, if anything, is another process
  Nanos start = 0;
  Nanos end = 0;
  AttributeMap attributes = {};
  std::vector<SpanEvent> events = {};
  std::vector<SpanName> links = {};
  std::string service = {};                           ///< `service.name` of its resource
  std::shared_ptr<AttributeMap const> resource = {};  ///< all that its resource says; may be null
};

struct LogRecord {
  SpanName name = {};  ///< of the span that it belongs to; empty texts where it has none
  std::string event = {};
  Nanos time = 0;
  boost::json::value body = {};
  AttributeMap attributes = {};
};

/// What one request brought.
struct Telemetry {
  std::vector<Span> spans = {};
  std::vector<LogRecord> logs = {};
};

/// What a request sends.
enum class Signal : std::uint8_t {
  traces,
  logs,
  metrics,  ///< taken and dropped: exporters send them by default, and a refusal fills their logs
};

}  // namespace whence::net::capture
