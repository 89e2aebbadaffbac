#pragma once
// Spans and log records of OpenTelemetry as values, whatever the form in which they came (OTLP 1.x, protobuf or JSON).

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

namespace whence::net::capture {

/// Attribute values by name: texts, booleans, numbers, lists and objects. Bytes are base64 text. Of a name that comes
/// twice the last value counts. Every text is UTF-8: U+FFFD is where bytes were none.
using AttributeMap = boost::json::object;

/// What a request becomes, counted while it becomes so. Where there is no room for more, nothing more is made of it:
/// the size of a compressed body, or of one that is full of empty parts, says little of that.
class Growth {
 public:
  /// `may_hold`: whether there is room for so many bytes in all; empty: there is.
  explicit Growth(std::function<bool(std::size_t bytes)> may_hold = {}) : may_hold_(std::move(may_hold)) {}

  /// Counts `bytes` more. False from the moment on at which there is no room. It is asked in steps.
  bool add(std::size_t bytes) {
    held_ += bytes;
    if (held_ <= granted_ || is_refused_) return !is_refused_;
    granted_ = held_ + step;
    is_refused_ = may_hold_ && !may_hold_(granted_);
    return !is_refused_;
  }
  [[nodiscard]] bool is_refused() const noexcept { return is_refused_; }
  [[nodiscard]] std::size_t held() const noexcept { return held_; }
  /// What was last asked for.
  [[nodiscard]] std::size_t asked() const noexcept { return granted_; }

 private:
  static constexpr std::size_t step = std::size_t{256} << 10;
  std::function<bool(std::size_t)> may_hold_;
  std::size_t held_ = 0;
  std::size_t granted_ = 0;
  bool is_refused_ = false;
};

/// A moment, in nanoseconds since the epoch; 0: not given.
using Nanos = std::uint64_t;

inline constexpr std::size_t links_max = 128;  ///< of a span; further ones are not taken

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
  std::string clock = {};                             ///< whose times these are: `clock_of` its resource
  std::shared_ptr<AttributeMap const> resource = {};  ///< all that its resource says; may be null
};

/// What says why something failed, in an event of its span or in a log record, whatever that is called.
inline constexpr std::array<std::string_view, 2> exception_attributes = {"exception.type", "exception.message"};

struct LogRecord {
  SpanName name = {};  ///< of the span that it belongs to; empty texts where it has none
  std::string event = {};
  Nanos time = 0;
  boost::json::value body = {};
  AttributeMap attributes = {};
};

/// Whether a log record says why something failed.
[[nodiscard]] inline bool is_exception(LogRecord const& log) {
  return log.attributes.contains(exception_attributes[0]) || log.attributes.contains(exception_attributes[1]);
}

/// What was left out of spans and log records that were taken: ill-formed, or nested too deeply.
struct LeftOut {
  std::uint64_t count = 0;
  std::string first = {};  ///< the name of the first

  void add(std::string_view name) {
    if (count++ == 0) first = name;
  }
};

/// What one request brought.
struct Telemetry {
  std::vector<Span> spans = {};
  std::vector<LogRecord> logs = {};
  std::uint64_t empty_logs = 0;  ///< without the name of an event: nothing is known of them
  LeftOut left_out = {};
};

/// What a request sends.
enum class Signal : std::uint8_t {
  traces,
  logs,
  metrics,  ///< taken and dropped: exporters send them by default, and a refusal fills their logs
};

}  // namespace whence::net::capture
