// A queue between the threads that read and the one that writes.

#include "tools/cli/serve/read_log.hpp"

#include <utility>

namespace whence::tools {

ReadLog::ReadLog(ServeLog& log, std::ostream& unused, schema::Clock const& clock)
    : log_(log), file_(unused, LogForm::json, clock), clock_(clock), thread_([this] { run(); }) {}

ReadLog::~ReadLog() {
  {
    std::scoped_lock const lock(mutex_);
    is_ending_ = true;
  }
  woken_.notify_one();
}

Result<void> ReadLog::open(std::string const& file) {
  auto opened = file_.open(file);
  if (opened && !has_file_) has_file_ = true;  // again it is so already, while the thread looks
  return opened;
}

void ReadLog::add(net::LogEvent const& event, std::string_view namespace_name) {
  Line line{.at = clock_.now(), .event = event, .namespace_name = std::string(namespace_name)};
  {
    std::scoped_lock const lock(mutex_);
    if (waiting_.size() == waiting_max) {
      ++untold_;
      return;
    }
    line.untold_before = std::exchange(untold_, 0);
    waiting_.push_back(std::move(line));
  }
  woken_.notify_one();
}

void ReadLog::run() {
  for (;;) {
    std::deque<Line> lines;
    {
      std::unique_lock lock(mutex_);
      woken_.wait(lock, [this] { return is_ending_ || !waiting_.empty(); });
      if (waiting_.empty()) return;
      lines.swap(waiting_);
    }
    for (auto const& line : lines) write(line);
  }
}

void ReadLog::write(Line const& line) {
  auto event = line.event;
  if (line.untold_before > 0) {
    event.data.insert(1, "\"untold_before\":" + std::to_string(line.untold_before) + (event.data == "{}" ? "" : ","));
  }
  bool const is_written = (has_file_ ? file_ : log_).write(event, line.namespace_name, line.at);
  if (!is_written) note_untold(line.untold_before + 1);
  is_failing_ = !is_written;
}

void ReadLog::note_untold(std::uint64_t count) {
  {
    std::scoped_lock const lock(mutex_);
    untold_ += count;
  }
  if (is_failing_) return;
  log_.write(
      {.level = net::LogLevel::error,
       .component = "server",
       .event = "reads_not_logged",
       .error = "the file of --audit-reads takes no line; the next one that it takes says how many are missing"});
}

}  // namespace whence::tools
