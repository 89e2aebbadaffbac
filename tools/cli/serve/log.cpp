// Formatting log lines.

#include "tools/cli/serve/log.hpp"

#include "net/plain_text/shown.hpp"
#include "schema/json/json.hpp"
#include "schema/json/writer.hpp"

#include <cerrno>
#include <ostream>
#include <string>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace whence::tools {
namespace {

/// RFC 3339 with milliseconds, always three digits.
std::string stamp(schema::Time now) {
  std::string const whole = schema::format_rfc3339({now.seconds, 0});
  std::string const ms = std::to_string(1000 + now.nanos / 1'000'000);
  return whole.substr(0, whole.size() - 1) + "." + ms.substr(1) + "Z";
}

std::string json_line(schema::Time now, net::LogEvent const& event, std::string_view namespace_name) {
  std::string line;
  schema::json::Writer writer{line};
  writer.begin_object().member("timestamp", stamp(now)).key("request_id");
  event.request_id.empty() ? writer.null() : writer.value(event.request_id);
  writer.member("level", name_of(event.level)).member("component", event.component).member("event", event.event);
  writer.key("data").raw(event.data).key("error");
  event.error.empty() ? writer.null() : writer.value(event.error);
  if (!namespace_name.empty()) writer.member("namespace", namespace_name);
  writer.end_object();
  return line;
}

std::string shown_value(boost::json::value const& value) {
  return value.is_string() ? net::plain_text::shown(std::string_view{value.get_string()})
                           : schema::json::to_text(value);
}

std::string text_line(schema::Time now, net::LogEvent const& event, std::string_view namespace_name) {
  std::string line = stamp(now) + " " + std::string{event.event};
  if (event.level != net::LogLevel::info) line += " level=" + std::string{name_of(event.level)};
  if (!namespace_name.empty()) line.append(" namespace=").append(namespace_name);
  if (!event.request_id.empty()) line += " request_id=" + net::plain_text::shown(event.request_id);
  auto const data = schema::json::parse(event.data);
  if (data && data->value.is_object()) {
    for (auto const& member : data->value.get_object()) {
      line += " " + std::string{member.key()} + "=" + shown_value(member.value());
    }
  }
  if (!event.error.empty()) line += " error=" + net::plain_text::shown(event.error);
  return line;
}

}  // namespace

Result<void> ServeLog::open(std::string const& file) {
  // Made here, because a stream would make it with the umask's mode. Without waiting: it may be a pipe that no program
  // reads.
  int const made = ::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK, S_IRUSR | S_IWUSR);
  int const why = errno;
  std::ofstream opened;
  if (made >= 0) {
    ::close(made);
    opened.open(file, std::ios::app);
  }
  if (!opened.is_open()) {
    auto const text = std::generic_category().message(why);
    return Error{.code = Errc::invalid_params, .message = "log file " + file + " cannot be opened: " + text};
  }
  std::scoped_lock const lock{mutex_};
  file_ = std::move(opened);
  return {};
}

void ServeLog::write(std::string_view event, std::span<LogValue const> values, std::string_view namespace_name) {
  net::LogEvent line{.component = "server", .event = event, .data = {}};
  schema::json::Writer data{line.data};
  data.begin_object();
  for (LogValue const& value : values) data.member(value.name, value.value);
  data.end_object();
  write(line, namespace_name);
}

void ServeLog::write(net::LogEvent const& event, std::string_view namespace_name) {
  write(event, namespace_name, clock_.now());
}

void ServeLog::write(net::LogEvent const& event, std::string_view namespace_name, schema::Time at) {
  write_line(form_ == LogForm::json ? json_line(at, event, namespace_name) : text_line(at, event, namespace_name));
}

/// One write per line, so that lines of several threads, or of several processes on one terminal, do not mix.
void ServeLog::write_line(std::string line) {
  line += '\n';
  std::scoped_lock const lock{mutex_};
  file_.clear();  // a disk that was full may have room again
  std::ostream& out = file_.is_open() ? file_ : out_;
  out << line << std::flush;
}

}  // namespace whence::tools
