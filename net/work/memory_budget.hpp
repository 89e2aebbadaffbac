#pragma once
// What requests and answers may hold in memory, in all and for one peer, and who holds how much.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

namespace whence::net {

/// The bytes that all peers may hold together. Any thread may call any member. What is counted is estimated, and what a
/// running evaluation needs is not counted before it ends: it is a bound of what waits, not of the process.
class MemoryBudget {
 public:
  explicit MemoryBudget(std::size_t bytes_max) : bytes_most_(bytes_max), bytes_max_(bytes_max) {}
  /// A quarter of the memory that this process may have; less, but at least 64 MiB, while what else the process holds
  /// would be more than 60 % of it together with that.
  MemoryBudget() : MemoryBudget(default_bytes()) { process_max_ = memory_of_process() / 10 * 6; }
  MemoryBudget(MemoryBudget const&) = delete;
  MemoryBudget& operator=(MemoryBudget const&) = delete;

  [[nodiscard]] std::size_t bytes_max() const noexcept { return bytes_max_.load(std::memory_order_relaxed); }
  [[nodiscard]] std::size_t used() const noexcept { return used_.load(std::memory_order_relaxed); }
  /// Whether little is left, so that those who hold what they could make again should let it go.
  [[nodiscard]] bool is_tight() const noexcept { return used() > bytes_max() / 8 * 5; }

  /// Whether so much was given back since the last time this was true that the allocator should give it to the system.
  /// At most once a second, for little at most every ten: the allocator is held up meanwhile.
  [[nodiscard]] bool take_trim() noexcept;

  /// Leaves to requests what a process that holds `process_bytes` has left of its 60 %. No effect on a budget of a
  /// given size.
  void adapt(std::size_t process_bytes) noexcept;
  /// The same with what this process holds now, without the pages of files.
  void adapt();

  /// A quarter of the memory that this process may have: of the machine, its control group (cgroup v2 or v1) or the
  /// limit of its address space, whichever is least. At least 64 MiB.
  [[nodiscard]] static std::size_t default_bytes();
  /// The memory that this process may have.
  [[nodiscard]] static std::size_t memory_of_process();

 private:
  friend class PeerMemory;
  friend class MemoryClaim;
  static constexpr std::size_t trim_bytes = std::size_t{64} << 20;
  static constexpr std::size_t trim_rest_bytes = std::size_t{1} << 20;
  static constexpr std::int64_t trim_rest_s = 10;
  std::size_t const bytes_most_;
  std::size_t process_max_ = 0;  ///< 0: whatever the process holds
  std::atomic<std::size_t> bytes_max_;
  std::atomic<std::size_t> used_ = 0;
  std::atomic<std::size_t> given_back_ = 0;  ///< since the last trim
  std::atomic<std::int64_t> trimmed_s_ = 0;  ///< when that was
};

/// The part of one peer: at most a quarter of the budget. The last quarter is for peers that hold little together, so
/// that some who hold much, answers that they do not read for example, leave room for others. It keeps the budget: the
/// engine may let a write's callback, which gives back what it holds, go after the service's end. Any thread may call
/// any member.
class PeerMemory {
 public:
  explicit PeerMemory(std::shared_ptr<MemoryBudget> budget) : budget_(std::move(budget)) {}
  PeerMemory(PeerMemory const&) = delete;
  PeerMemory& operator=(PeerMemory const&) = delete;

  [[nodiscard]] MemoryBudget const& budget() const noexcept { return *budget_; }
  [[nodiscard]] std::size_t used() const noexcept { return used_.load(std::memory_order_relaxed); }
  [[nodiscard]] std::size_t bytes_max() const noexcept { return budget_->bytes_max() / share; }
  /// Whether `bytes` more would be within both bounds.
  [[nodiscard]] bool has_room(std::size_t bytes) const noexcept;

 private:
  friend class MemoryClaim;
  static constexpr std::size_t share = 4;
  static constexpr std::size_t little_share = 32;  ///< what a peer may hold where only the last quarter is left
  std::shared_ptr<MemoryBudget> const budget_;
  std::atomic<std::size_t> used_ = 0;
};

/// Bytes that somebody holds, given back at its end. One thread at a time.
class MemoryClaim {
 public:
  /// A claim of no more is refused only to a peer that holds all of its part.
  static constexpr std::size_t small_bytes = std::size_t{64} << 10;

  explicit MemoryClaim(std::shared_ptr<PeerMemory> peer) : peer_(std::move(peer)) {}
  ~MemoryClaim() { set(0); }
  MemoryClaim(MemoryClaim const&) = delete;
  MemoryClaim& operator=(MemoryClaim const&) = delete;

  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
  /// Whether `bytes` are within the part of one peer: more has no room at any time.
  [[nodiscard]] bool may_ever_hold(std::size_t bytes) const noexcept { return bytes <= peer_->bytes_max(); }
  /// Holds `bytes` from now on; false, with nothing changed, where it would be more than before, not small, and there
  /// is no room.
  [[nodiscard]] bool try_set(std::size_t bytes) noexcept;
  /// The same without asking: for what is there already.
  void set(std::size_t bytes) noexcept;

 private:
  std::shared_ptr<PeerMemory> peer_;
  std::size_t bytes_ = 0;
};

}  // namespace whence::net
