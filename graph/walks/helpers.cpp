// Lending helpers to one walk at a time.
#include "graph/walks/helpers.hpp"

#include <algorithm>
#include <new>
#include <system_error>

#include <sys/resource.h>
#include <unistd.h>

namespace whence::graph {

namespace {

constexpr int helper_nice = 5;  // that of the server's workers, which they help
constexpr std::chrono::milliseconds rest_min{20};
constexpr std::chrono::milliseconds rest_max{2'560};
constexpr std::chrono::microseconds watched{50};

/// How often the calling thread had to give up its core to another.
std::int64_t involuntary_switches() noexcept {
  rusage usage{};
  ::getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_nivcsw;
}

}  // namespace

Helpers::Helpers(unsigned cores) noexcept : cores_{std::max(cores, 1U)}, rest_{rest_min} {}

Helpers::~Helpers() {
  {
    std::scoped_lock const lock{mutex_};
    is_ending_ = true;
  }
  wanted_.notify_all();
  for (auto& thread : threads_) thread.join();
}

Helpers& Helpers::of_process() {
  static Helpers helpers{std::thread::hardware_concurrency()};
  return helpers;
}

bool Helpers::lend(SharedWork& work) noexcept {
  auto const busy = long_walks_.load();
  if (busy >= cores_) return false;
  {
    std::unique_lock const lock{mutex_, std::try_to_lock};
    if (!lock || work_ != nullptr || Clock::now() < rest_until_ || !start()) return false;
    work_ = &work;
    has_joined_ = false;
    is_disturbed_ = false;
    ++loan_;
    places_ = std::min(cores_ - busy, static_cast<unsigned>(threads_.size()));
  }
  wanted_.notify_all();
  return true;
}

void Helpers::wait_for_joined() noexcept {
  while (!wait_for_joined(std::chrono::seconds{1})) continue;
}

bool Helpers::wait_for_joined(std::chrono::microseconds most) noexcept {
  std::unique_lock lock{mutex_};
  places_ = 0;
  lock.unlock();
  // The end of a part is mostly nearer than a sleep and a waking would be.
  for (auto const until = Clock::now() + watched; joined_.load() != 0 && Clock::now() < until;) continue;
  lock.lock();
  return left_.wait_for(lock, most, [this] { return joined_.load() == 0; });
}

void Helpers::give_back() noexcept {
  std::scoped_lock const lock{mutex_};
  work_ = nullptr;
  // A loan that no helper came to in time says nothing about the cores.
  if (has_joined_) rest_ = is_disturbed_ ? std::min(rest_ * 2, rest_max) : std::max(rest_ / 2, rest_min);
}

/// Whether there are threads.
bool Helpers::start() noexcept {
  if (!threads_.empty()) return true;
  try {
    threads_.reserve(size_max());
    while (threads_.size() < size_max()) threads_.emplace_back([this] { run(); });
  } catch (std::system_error const&) {  // the system has no more threads for us: some or none
  } catch (std::bad_alloc const&) {
  }
  return !threads_.empty();
}

void Helpers::run() noexcept {
  // On Linux a nice value belongs to the thread.
  static_cast<void>(::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), helper_nice));
  std::unique_lock lock{mutex_};
  std::uint64_t last_loan = 0;  // joined once: what was made on this thread stays as it is until the loan ends
  while (true) {
    wanted_.wait(lock, [&] { return is_ending_ || (work_ != nullptr && places_ > 0 && loan_ != last_loan); });
    if (is_ending_) return;
    last_loan = loan_;
    --places_;
    has_joined_ = true;
    ++joined_;
    auto& work = *work_;
    lock.unlock();
    Helper helper{*this};
    work.help(helper);
    lock.lock();
    // From here on the work may be gone.
    if (--joined_ == 0) left_.notify_all();
  }
}

void Helpers::rest() noexcept {
  std::scoped_lock const lock{mutex_};
  is_disturbed_ = true;
  rest_until_ = Clock::now() + rest_;
}

Helper::Helper(Helpers& helpers) noexcept : helpers_{helpers}, switches_{involuntary_switches()} {}

bool Helper::may_stay() noexcept {
  if (helpers_.is_crowded()) return false;
  if (involuntary_switches() == switches_) return true;
  helpers_.rest();
  return false;
}

}  // namespace whence::graph
