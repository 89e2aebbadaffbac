#pragma once
// The server's log, as text or as JSON lines.

#include "net/log.hpp"
#include "schema/base/time.hpp"

#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <mutex>
#include <string_view>

namespace whence::tools {

enum class LogForm : std::uint8_t { text, json };

/// One named value of a log line.
struct LogValue {
  std::string_view name;
  std::string_view value;
};

/// Writes `TIME EVENT name=value ...`, or one JSON object a line: `timestamp`, `request_id`, `level`, `component`,
/// `event`, `data`, `error`. From any thread.
class ServeLog {
 public:
  /// `out` and `clock` outlive the log.
  ServeLog(std::ostream& out, LogForm form, schema::Clock const& clock) : out_(out), form_(form), clock_(clock) {}

  /// An event of the server itself.
  void write(std::string_view event, std::initializer_list<LogValue> values = {});
  void write(net::LogEvent const& event);

 private:
  void write_line(std::string line);

  std::mutex mutex_;
  std::ostream& out_;  // guarded by mutex_
  LogForm form_;
  schema::Clock const& clock_;
};

}  // namespace whence::tools
