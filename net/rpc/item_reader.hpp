#pragma once
// A run of items from page to page: how far it has been read, and the runs that wait for their readers' next page.

#include "net/work/alarms.hpp"
#include "net/work/memory_budget.hpp"
#include "queries/render/item_run.hpp"
#include "schema/base/error.hpp"
#include "schema/base/interrupt.hpp"
#include "schema/json/writer.hpp"

#include <chrono>
#include <cstddef>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace whence::net {

/// Reads a run in order. One thread at a time.
class ItemReader {
 public:
  /// The items before `position` have been given already: they are made again and thrown away. What the run holds is
  /// counted in `memory`.
  ItemReader(std::unique_ptr<queries::ItemRun> run, std::size_t position, std::shared_ptr<PeerMemory> memory)
      : run_(std::move(run)), position_(position), left_out_(position), memory_(std::move(memory)) {}

  /// Whether there is an item at the position; it is made where it has not been. Fails as the run does.
  [[nodiscard]] Result<bool> has_next(schema::Interrupt const& interrupt);
  /// The item at the position, where there is one; the position is behind it then.
  [[nodiscard]] std::string take();
  [[nodiscard]] std::size_t position() const noexcept { return position_; }
  void write_members(schema::json::Writer& out) const { run_->write_members(out); }
  /// Counts what the run holds now. False: there is no room for it.
  [[nodiscard]] bool count_memory() noexcept;

 private:
  std::unique_ptr<queries::ItemRun> run_;
  std::size_t position_;
  std::size_t left_out_;              ///< items still to be thrown away
  std::optional<std::string> ahead_;  ///< the item at the position, once it has been made
  bool is_at_end_ = false;
  MemoryClaim memory_;
};

/// Runs whose readers may ask for another page: at most `readers_max`, each for `kept_for`, the oldest dropped first.
/// They only save work: a run that is not here begins again. Each is used once: two readers of one cursor are not in
/// step. Any thread may call any member.
class KeptReaders : public std::enable_shared_from_this<KeptReaders> {
 public:
  static constexpr std::size_t readers_max = 32;
  static constexpr std::chrono::seconds kept_for{60};

  explicit KeptReaders(std::shared_ptr<Alarms> alarms) : alarms_(std::move(alarms)) {}

  /// The reader that was kept under `key` at `position`, or null. It is here no longer.
  [[nodiscard]] std::unique_ptr<ItemReader> take(std::string const& key, std::size_t position);
  /// Keeps a reader where there is memory for it. `owner`: whose end is its end too, or null.
  void keep(std::string key, std::unique_ptr<ItemReader> reader, PeerMemory const* owner);
  /// Drops what is of that owner.
  void drop(PeerMemory const* owner);
  /// Drops everything, and keeps nothing from now on.
  void stop();

 private:
  struct Kept {
    std::string key;
    std::unique_ptr<ItemReader> reader;
    PeerMemory const* owner;
    Moment until;
  };

  void wake_for_oldest();
  void drop_old(Moment now);

  std::shared_ptr<Alarms> const alarms_;
  std::mutex mutex_;      // guards all below
  std::list<Kept> kept_;  ///< oldest first
  bool has_alarm_ = false;
  bool is_stopped_ = false;
};

}  // namespace whence::net
