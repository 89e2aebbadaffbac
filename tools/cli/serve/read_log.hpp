#pragma once
// Lines about who read what, written by a thread of their own so that no read waits for a disk.

#include "net/base/log.hpp"
#include "schema/base/error.hpp"
#include "schema/base/time.hpp"
#include "tools/cli/serve/log.hpp"

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

namespace whence::tools {

/// The value of `--audit-reads` that is no file.
inline constexpr std::string_view reads_in_log = "log";

/// The lines of `--audit-reads`: in a file of their own, as JSON, or among those of the server's log. Where lines come
/// quicker than they are written, or cannot be written, the next one that is says how many before it were not
/// (`untold_before`); that a line cannot be written is said in the log (`reads_not_logged`). From any thread.
class ReadLog {
 public:
  static constexpr std::size_t waiting_max = 10'000;  ///< lines; a read's has about a kilobyte at most

  /// Into `log`, which outlives it, while no file is open.
  ReadLog(ServeLog& log, std::ostream& unused, schema::Clock const& clock);
  /// Writes what waits.
  ~ReadLog();
  ReadLog(ReadLog const&) = delete;
  ReadLog& operator=(ReadLog const&) = delete;

  /// As `ServeLog::open`.
  [[nodiscard]] Result<void> open(std::string const& file);
  /// Never waits for a disk.
  void add(net::LogEvent const& event, std::string_view namespace_name);

 private:
  struct Line {
    schema::Time at;
    net::LogEvent event;
    std::string namespace_name;
    std::uint64_t untold_before = 0;
  };
  void run();
  void write(Line const& line);
  void note_untold(std::uint64_t count);

  ServeLog& log_;
  ServeLog file_;
  bool has_file_ = false;    ///< set before the first line
  bool is_failing_ = false;  ///< of the thread that writes
  schema::Clock const& clock_;
  std::mutex mutex_;
  std::condition_variable woken_;
  std::deque<Line> waiting_ = {};  ///< guarded by mutex_, as what follows
  std::uint64_t untold_ = 0;
  bool is_ending_ = false;
  std::jthread thread_;  ///< last: joined before what it uses goes
};

}  // namespace whence::tools
