#pragma once
// Threads of the process that take part in long work on the graph while cores are free.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

namespace whence::graph {

/// Reading the lists of so many vertices takes longer than it takes to wake a helper. A walk that meets such a layer is
/// a long one.
inline constexpr std::size_t long_layer_min = 4096;

class Helper;

/// Work that several threads may take parts of at once.
class SharedWork {
 public:
  virtual ~SharedWork() = default;
  /// Called on each helper that joins. Takes one small part after the other as long as there are any and
  /// `helper.may_stay()`.
  virtual void help(Helper& helper) noexcept = 0;
};

/// The helpers: as many as there are cores beside the first, a few at most, started when first asked for.
///
/// Invariants: 1. they are lent to one piece of work at a time. A walk that finds them lent works alone: none waits for
/// a helper but the one that it is helping, and that one only for the end of a part. 2. threads that walk far and
/// helpers are together no more than the cores: a helper leaves when another long walk begins. 3. a helper that had to
/// give its core to some other thread leaves, and for a while none joins, longer each time that happens in a row. They
/// also have a lower priority than threads of short answers. Impact of the hottest of 100,000 responses' units, nothing
/// else on two cores: 2.9 ms on one, 1.9 on both.
class Helpers {
 public:
  static constexpr unsigned helpers_max = 3;

  explicit Helpers(unsigned cores) noexcept;
  ~Helpers();
  Helpers(Helpers const&) = delete;
  Helpers& operator=(Helpers const&) = delete;

  /// Those of this process.
  [[nodiscard]] static Helpers& of_process();
  /// No more join one piece of work.
  [[nodiscard]] unsigned size_max() const noexcept { return std::min(cores_ - 1, helpers_max); }

  /// Says for its lifetime that the calling thread is busy with a long walk.
  class LongWalk {
   public:
    explicit LongWalk(Helpers& helpers) noexcept : helpers_{helpers} { ++helpers_.long_walks_; }
    ~LongWalk() { --helpers_.long_walks_; }
    LongWalk(LongWalk const&) = delete;
    LongWalk& operator=(LongWalk const&) = delete;

   private:
    Helpers& helpers_;
  };

  /// Lends the helpers to `work` for its lifetime, if they are free. The calling thread takes parts, too.
  class Loan {
   public:
    Loan(Helpers& helpers, SharedWork& work) noexcept : helpers_{helpers}, is_lent_{helpers.lend(work)} {}
    ~Loan() {
      wait();
      if (is_lent_) helpers_.give_back();
    }
    Loan(Loan const&) = delete;
    Loan& operator=(Loan const&) = delete;

    [[nodiscard]] bool is_lent() const noexcept { return is_lent_; }
    /// Until those that joined have left; no more will join. What they made on their threads stays until the loan ends.
    void wait() noexcept {
      if (is_lent_) helpers_.wait_for_joined();
    }
    /// The same for a while, for who has to ask meanwhile whether to go on; whether all have left.
    [[nodiscard]] bool wait_for(std::chrono::microseconds most) noexcept {
      return !is_lent_ || helpers_.wait_for_joined(most);
    }

   private:
    Helpers& helpers_;
    bool is_lent_;
  };

 private:
  friend class Helper;
  using Clock = std::chrono::steady_clock;

  [[nodiscard]] bool lend(SharedWork& work) noexcept;
  void wait_for_joined() noexcept;
  [[nodiscard]] bool wait_for_joined(std::chrono::microseconds most) noexcept;
  void give_back() noexcept;
  [[nodiscard]] bool start() noexcept;
  void run() noexcept;
  [[nodiscard]] bool is_crowded() const noexcept { return long_walks_.load() + joined_.load() > cores_; }
  void rest() noexcept;

  unsigned cores_;
  std::atomic<unsigned> long_walks_ = 0;
  std::atomic<unsigned> joined_ = 0;  ///< helpers in `help`; grows under the mutex only
  std::mutex mutex_;
  std::condition_variable wanted_;
  std::condition_variable left_;
  // Under the mutex.
  SharedWork* work_ = nullptr;
  std::uint64_t loan_ = 0;  ///< number of the last loan
  unsigned places_ = 0;     ///< how many more may join it
  bool is_ending_ = false;
  bool has_joined_ = false;    ///< a helper came to this loan
  bool is_disturbed_ = false;  ///< a helper of this loan had to give up its core
  std::chrono::milliseconds rest_;
  Clock::time_point rest_until_ = {};
  std::vector<std::thread> threads_;
};

/// A helper that has joined, as its work sees it.
class Helper {
 public:
  explicit Helper(Helpers& helpers) noexcept;
  /// Whether its core is still free.
  [[nodiscard]] bool may_stay() noexcept;

 private:
  Helpers& helpers_;
  std::int64_t switches_;  ///< how often the thread had to leave a core before it joined
};

}  // namespace whence::graph
