// Counting, and what the machine has.

#include "net/work/memory_budget.hpp"

#include <algorithm>
#include <chrono>
#include <fstream>
#include <limits>
#include <string>

#include <sys/resource.h>
#include <unistd.h>

namespace whence::net {

namespace {

constexpr std::size_t default_bytes_min = std::size_t{64} << 20;
constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max();

/// The number in a file of one; `unlimited` where there is none (cgroup v2 writes "max").
std::size_t number_in(std::string const& path) {
  std::ifstream file{path};
  std::size_t value = 0;
  return file >> value ? value : unlimited;
}

/// Of this process's control group and those above it. The lines of /proc/self/cgroup are `N:controllers:PATH`; version
/// 2 has no controllers.
std::size_t limit_of_groups() {
  std::ifstream file{"/proc/self/cgroup"};
  std::size_t least = unlimited;
  for (std::string line; std::getline(file, line);) {
    auto const first = line.find(':');
    auto const second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    auto const controllers = line.substr(first + 1, second - first - 1);
    bool const is_version_2 = controllers.empty();
    if (!is_version_2 && controllers.find("memory") == std::string::npos) continue;
    std::string const root = is_version_2 ? "/sys/fs/cgroup" : "/sys/fs/cgroup/memory";
    std::string const name = is_version_2 ? "/memory.max" : "/memory.limit_in_bytes";
    auto path = line.substr(second + 1);
    for (;;) {
      least = std::min(least, number_in(std::string{root}.append(path).append(name)));
      auto const slash = path.rfind('/');
      if (slash == std::string::npos || path.empty()) break;
      path.erase(slash);
    }
  }
  return least;
}

std::size_t limit_of_address_space() {
  rlimit limit{};
  bool const is_limited = ::getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
  return is_limited ? static_cast<std::size_t>(limit.rlim_cur) : unlimited;
}

std::size_t memory_of_machine() {
  auto const pages = ::sysconf(_SC_PHYS_PAGES);
  auto const page_bytes = ::sysconf(_SC_PAGESIZE);
  if (pages <= 0 || page_bytes <= 0) return unlimited;
  return static_cast<std::size_t>(pages) * static_cast<std::size_t>(page_bytes);
}

}  // namespace

std::size_t MemoryBudget::default_bytes() {
  return std::max(default_bytes_min, memory_of_process() / 4);
}

std::size_t MemoryBudget::memory_of_process() {
  return std::min({memory_of_machine(), limit_of_groups(), limit_of_address_space()});
}

void MemoryBudget::adapt(std::size_t process_bytes) noexcept {
  if (process_max_ == 0) return;
  std::size_t const others = process_bytes - std::min(process_bytes, used());
  std::size_t const left = process_max_ - std::min(process_max_, others);
  bytes_max_.store(std::min(bytes_most_, std::max(default_bytes_min, left)), std::memory_order_relaxed);
}

void MemoryBudget::adapt() {
  if (process_max_ == 0) return;
  std::ifstream file{"/proc/self/statm"};
  std::size_t all = 0;
  std::size_t resident = 0;
  std::size_t shared = 0;
  if (!(file >> all >> resident >> shared)) return;
  adapt((resident - std::min(resident, shared)) * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)));
}

bool MemoryBudget::take_trim() noexcept {
  auto const given_back = given_back_.load(std::memory_order_relaxed);
  if (given_back < trim_rest_bytes) return false;
  std::int64_t const now =
      std::chrono::duration_cast<std::chrono::seconds>(std::chrono::steady_clock::now().time_since_epoch()).count();
  auto const trimmed = trimmed_s_.load(std::memory_order_relaxed);
  if (now - trimmed < (given_back < trim_bytes ? trim_rest_s : 1)) return false;
  trimmed_s_.store(now, std::memory_order_relaxed);
  given_back_.store(0, std::memory_order_relaxed);
  return true;
}

bool PeerMemory::has_room(std::size_t bytes) const noexcept {
  auto const all = budget_->bytes_max();
  auto const own = used() + bytes;
  if (bytes > all || own > bytes_max()) return false;
  bool const is_little = own <= all / little_share;
  auto const left_to_others = is_little ? 0 : all / share;
  return budget_->used() + bytes <= all - left_to_others;
}

bool MemoryClaim::try_set(std::size_t bytes) noexcept {
  bool const is_more = bytes > bytes_;
  bool const is_small = is_more && bytes <= small_bytes && peer_->used() + (bytes - bytes_) <= peer_->bytes_max();
  if (is_more && !is_small && !peer_->has_room(bytes - bytes_)) return false;
  set(bytes);
  return true;
}

void MemoryClaim::set(std::size_t bytes) noexcept {
  // Unsigned arithmetic: the difference may be below zero.
  std::size_t const more = bytes - bytes_;
  peer_->used_.fetch_add(more, std::memory_order_relaxed);
  peer_->budget_->used_.fetch_add(more, std::memory_order_relaxed);
  if (bytes < bytes_) peer_->budget_->given_back_.fetch_add(bytes_ - bytes, std::memory_order_relaxed);
  bytes_ = bytes;
}

}  // namespace whence::net
