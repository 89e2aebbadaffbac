// Formatting log lines.

#include "tools/cli/serve/log.hpp"

#include "net/plain_text/shown.hpp"
#include "schema/json/json.hpp"
#include "schema/json/writer.hpp"

#include <cerrno>
#include <cstddef>
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
  writer.member("level", schema::name_of(event.level))
      .member("component", event.component)
      .member("event", event.event);
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
  if (event.level != net::LogLevel::info) line += " level=" + std::string{schema::name_of(event.level)};
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

/// Returns how many bytes were written; where these are not all, `errno` says why.
std::size_t write_to(int file, std::string_view text) {
  std::size_t written = 0;
  while (written < text.size()) {
    auto const count = ::write(file, text.data() + written, text.size() - written);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    written += static_cast<std::size_t>(count);
  }
  return written;
}

}  // namespace

Result<void> ServeLog::open(std::string const& file) {
  // Opened without waiting: it may be a pipe that no program reads. What is written then waits.
  store::Descriptor opened{
      ::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK, S_IRUSR | S_IWUSR)};
  if (opened.get() < 0 || ::fcntl(opened.get(), F_SETFL, O_APPEND) != 0) {
    auto const text = std::generic_category().message(errno);
    return Error{.code = Errc::invalid_params, .message = "log file " + file + " cannot be opened: " + text};
  }
  std::scoped_lock const lock{mutex_};
  file_ = std::move(opened);
  is_torn_ = false;
  return {};
}

void ServeLog::write(std::string_view event, std::span<LogValue const> values, std::string_view namespace_name) {
  net::LogEvent line{.component = "server", .event = event, .data = {}};
  schema::json::Writer data{line.data};
  data.begin_object();
  for (LogValue const& value : values) {
    data.key(value.name);
    value.is_number ? data.raw(value.value) : data.value(value.value);
  }
  data.end_object();
  write(line, namespace_name);
}

bool ServeLog::write(net::LogEvent const& event, std::string_view namespace_name) {
  return write(event, namespace_name, clock_.now());
}

bool ServeLog::write(net::LogEvent const& event, std::string_view namespace_name, schema::Time at) {
  return write_line(line_of(event, namespace_name, at));
}

std::string ServeLog::line_of(net::LogEvent const& event, std::string_view namespace_name, schema::Time at) const {
  auto line = form_ == LogForm::json ? json_line(at, event, namespace_name) : text_line(at, event, namespace_name);
  line += '\n';
  return line;
}

/// One write per line, so that lines of several threads, or of several processes on one terminal, do not mix.
bool ServeLog::write_line(std::string line) {
  std::scoped_lock const lock{mutex_};
  if (file_.get() < 0) return static_cast<bool>(out_ << line << std::flush);
  if (is_torn_) line.insert(0, 1, '\n');
  auto const written = write_to(file_.get(), line);
  is_torn_ = written == 0 ? is_torn_ : written < line.size();
  bool const is_whole = written == line.size();
  if (!is_whole && !is_failing_) {
    auto const why = std::generic_category().message(errno);
    out_ << line_of({.level = net::LogLevel::error, .component = "server", .event = "log_failed", .error = why}, {},
                    clock_.now())
         << std::flush;
  }
  is_failing_ = !is_whole;
  return is_whole;
}

}  // namespace whence::tools
