// Keeping and dropping evaluated answers.

#include "net/rpc/answer_cache.hpp"

namespace whence::net {

std::shared_ptr<PagedAnswer const> AnswerCache::find(std::string const& key) {
  std::lock_guard const lock(mutex_);
  auto const found = by_key_.find(key);
  if (found == by_key_.end()) return nullptr;
  entries_.splice(entries_.begin(), entries_, found->second);
  return found->second->answer;
}

void AnswerCache::keep(std::string key, std::shared_ptr<PagedAnswer const> answer) {
  std::size_t const weight = answer->weight() + 2 * key.size();
  if (weight > bytes_max_) return;
  Entries dropped;  // large answers are freed after the mutex is released
  std::lock_guard const lock(mutex_);
  if (auto const old = by_key_.find(key); old != by_key_.end()) drop(old->second, dropped);
  entries_.push_front({std::move(key), std::move(answer), weight});
  by_key_.emplace(entries_.front().key, entries_.begin());
  bytes_ += weight;
  while (bytes_ > bytes_max_) drop(std::prev(entries_.end()), dropped);
}

void AnswerCache::drop(Entries::iterator entry, Entries& dropped) {
  bytes_ -= entry->weight;
  by_key_.erase(entry->key);
  dropped.splice(dropped.end(), entries_, entry);
}

}  // namespace whence::net
