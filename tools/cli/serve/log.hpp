#pragma once
// The server's log, as text or as JSON lines, on a stream or in a file that may be rotated.

#include "net/base/log.hpp"
#include "schema/base/error.hpp"
#include "schema/base/time.hpp"
#include "store/files/files.hpp"

#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace whence::tools {

enum class LogForm : std::uint8_t { text, json };

/// One named value of a log line.
struct LogValue {
  std::string_view name;
  std::string_view value;
  bool is_number = false;  ///< the text of a number
};

/// Writes `TIME EVENT name=value ...`, or one JSON object a line: `timestamp`, `request_id`, `level`, `component`,
/// `event`, `data`, `error`, and `namespace` where it is of one. From any thread.
class ServeLog {
 public:
  /// `out` and `clock` outlive the log.
  ServeLog(std::ostream& out, LogForm form, schema::Clock const& clock) : out_(out), form_(form), clock_(clock) {}

  /// Goes on in `file`, appending to it; made (private) where there is none. Again, or with a file that was renamed or
  /// removed meanwhile: opens it anew. Where that fails the log goes on where it was; the error names the file.
  [[nodiscard]] Result<void> open(std::string const& file);

  /// An event of the server itself.
  void write(std::string_view event, std::span<LogValue const> values, std::string_view namespace_name = {});
  void write(std::string_view event, std::initializer_list<LogValue> values = {}) {
    write(event, std::span{values.begin(), values.size()});
  }
  /// Of a namespace; the name is empty where it is the root or the process. False where the file takes no line, for
  /// want of room on the disk: of such in a row the first is said where the log was before.
  bool write(net::LogEvent const& event, std::string_view namespace_name = {});
  /// The same of what happened at `at`.
  bool write(net::LogEvent const& event, std::string_view namespace_name, schema::Time at);

  /// Logs what a thread could not do; outlived by the log.
  [[nodiscard]] schema::TroubleReport trouble_report(std::string name = {}) {
    return net::trouble_report([this, name = std::move(name)](net::LogEvent const& event) { write(event, name); });
  }

 private:
  [[nodiscard]] std::string line_of(net::LogEvent const& event, std::string_view namespace_name, schema::Time at) const;
  bool write_line(std::string line);

  std::mutex mutex_;
  std::ostream& out_;       // guarded by mutex_, as what follows
  store::Descriptor file_;  // instead of `out_` once it is open
  bool is_failing_ = false;
  bool is_torn_ = false;  // the last line has no end
  LogForm form_;
  schema::Clock const& clock_;
};

}  // namespace whence::tools
