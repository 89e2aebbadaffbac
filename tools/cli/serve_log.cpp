// Forming log lines.

#include "tools/cli/serve_log.hpp"

#include "schema/json/writer.hpp"
#include "tools/cli/table.hpp"

#include <ostream>
#include <string>

namespace whence::tools {

void ServeLog::write(std::string_view event, std::initializer_list<LogValue> values) {
  std::string const at = schema::format_rfc3339(clock_.now());
  std::string line;
  if (form_ == LogForm::json) {
    schema::json::Writer writer{line};
    writer.begin_object().member("at", at).member("event", event);
    for (LogValue const& value : values) writer.member(value.name, value.value);
    writer.end_object();
  } else {
    line = at + " " + std::string{event};
    for (LogValue const& value : values) line += " " + std::string{value.name} + "=" + shown(value.value);
  }
  // One write per line, so that lines of several processes on one terminal do not mix.
  out_ << (line += '\n') << std::flush;
}

}  // namespace whence::tools
