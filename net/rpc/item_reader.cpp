// Reading runs of items, and keeping them between two pages.

#include "net/rpc/item_reader.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

namespace whence::net {

Result<bool> ItemReader::has_next(schema::Interrupt const& interrupt) {
  for (; left_out_ > 0 && !is_at_end_; --left_out_) {
    auto const made = run_->next(nullptr, interrupt);
    if (!made) return made.error();
    is_at_end_ = !*made;
  }
  if (ahead_ || is_at_end_) return ahead_.has_value();
  std::string item;
  auto const made = run_->next(&item, interrupt);
  if (!made) return made.error();
  is_at_end_ = !*made;
  if (*made) ahead_ = std::move(item);
  return ahead_.has_value();
}

std::string ItemReader::take() {
  assert(ahead_);
  ++position_;
  std::string item = std::move(*ahead_);
  ahead_.reset();
  return item;
}

bool ItemReader::count_memory() noexcept {
  return memory_.try_set(run_->bytes() + (ahead_ ? ahead_->size() : 0));
}

std::unique_ptr<ItemReader> KeptReaders::take(std::string const& key, std::size_t position) {
  std::lock_guard const lock(mutex_);
  auto const found = std::ranges::find_if(
      kept_, [&](Kept const& each) { return each.reader->position() == position && each.key == key; });
  if (found == kept_.end()) return nullptr;
  auto reader = std::move(found->reader);
  kept_.erase(found);
  return reader;
}

void KeptReaders::keep(std::string key, std::unique_ptr<ItemReader> reader, PeerMemory const* owner) {
  if (!reader->count_memory()) return;
  auto const until = std::chrono::steady_clock::now() + kept_for;
  std::lock_guard const lock(mutex_);
  if (is_stopped_) return;
  kept_.push_back({.key = std::move(key), .reader = std::move(reader), .owner = owner, .until = until});
  if (kept_.size() > readers_max) kept_.pop_front();
  wake_for_oldest();
}

void KeptReaders::drop(PeerMemory const* owner) {
  std::lock_guard const lock(mutex_);
  kept_.remove_if([owner](Kept const& each) { return each.owner == owner; });
}

void KeptReaders::stop() {
  std::lock_guard const lock(mutex_);
  is_stopped_ = true;
  kept_.clear();
}

void KeptReaders::wake_for_oldest() {
  if (has_alarm_ || kept_.empty()) return;
  has_alarm_ = true;
  alarms_->set({.deadline = kept_.front().until}, [weak = weak_from_this()](bool) {
    if (auto const self = weak.lock()) self->drop_old(std::chrono::steady_clock::now());
  });
}

/// Under the mutex to their end: `stop` waits, after which what runs refer to may go.
void KeptReaders::drop_old(Moment now) {
  std::lock_guard const lock(mutex_);
  has_alarm_ = false;
  kept_.remove_if([now](Kept const& each) { return each.until <= now; });
  wake_for_oldest();
}

}  // namespace whence::net
