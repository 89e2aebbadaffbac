// The progress bar.

#include "tools/cli/output/progress.hpp"

#include <algorithm>
#include <ostream>
#include <string>

namespace whence::tools {
namespace {

constexpr std::chrono::milliseconds redraw_after{100};
constexpr std::size_t bar_columns = 30;

std::string bar(std::uint64_t bytes, std::uint64_t total) {
  std::uint64_t const part = std::min(bytes, total);
  auto const filled = static_cast<std::size_t>(part * bar_columns / total);
  return "[" + std::string(filled, '#') + std::string(bar_columns - filled, ' ') + "] " +
         std::to_string(part * 100 / total) + "%  ";
}

}  // namespace

Progress::Progress(Io& io, std::uint64_t bytes_total)
    : io_(io), bytes_total_(bytes_total), start_(std::chrono::steady_clock::now()), last_shown_(start_) {}

Progress::~Progress() {
  clear();
}

bool Progress::is_due() {
  auto const now = std::chrono::steady_clock::now();
  if (!io_.is_talk_terminal || now - last_shown_ < redraw_after) return false;
  last_shown_ = now;
  return true;
}

void Progress::draw(std::string_view text) {
  is_visible_ = true;
  io_.talk << "\r\x1b[K" << text << std::flush;
}

void Progress::show(std::uint64_t bytes, std::uint64_t records) {
  if (!is_due()) return;
  draw((bytes_total_ > 0 ? bar(bytes, bytes_total_) : std::string{}) + std::to_string(records) + " records  " +
       std::to_string(rate(records, seconds())) + "/s");
}

void Progress::show_part(std::uint64_t done, std::uint64_t total, std::string_view what) {
  if (total == 0 || !is_due()) return;
  std::string text = bar(done, total) + std::to_string(done) + " of " + std::to_string(total);
  if (!what.empty()) text.append(" ").append(what);
  draw(text);
}

store::Advance Progress::advance() {
  if (!is_shown()) return {};
  return [this](std::uint64_t done, std::uint64_t total, char const* what) { show_part(done, total, what); };
}

void Progress::clear() {
  if (!is_visible_) return;
  io_.talk << "\r\x1b[K" << std::flush;
  is_visible_ = false;
}

double Progress::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

std::uint64_t rate(std::uint64_t items, double seconds) {
  return seconds > 0 ? static_cast<std::uint64_t>(static_cast<double>(items) / seconds) : 0;
}

}  // namespace whence::tools
