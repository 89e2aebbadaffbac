#pragma once
// The server's log: few lines, for people or for programs.

#include "schema/time.hpp"

#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <string_view>

namespace whence::tools {

enum class LogForm : std::uint8_t { text, json };

/// One named value of a log line.
struct LogValue {
  std::string_view name;
  std::string_view value;
};

/// Writes `TIME EVENT name=value ...` or `{"at":...,"event":...,...}`. One thread at a time.
class ServeLog {
 public:
  /// `out` and `clock` outlive the log.
  ServeLog(std::ostream& out, LogForm form, schema::Clock const& clock) : out_(out), form_(form), clock_(clock) {}

  void write(std::string_view event, std::initializer_list<LogValue> values = {});

 private:
  std::ostream& out_;
  LogForm form_;
  schema::Clock const& clock_;
};

}  // namespace whence::tools
