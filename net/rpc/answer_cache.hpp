#pragma once
// Evaluated answers kept for their next page, the least recently used dropped first. Only saves work: an answer that
// is not here is evaluated again on its snapshot.

#include "net/rpc/page.hpp"

#include <cstddef>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

namespace whence::net {

/// Every member may be called from any thread.
class AnswerCache {
 public:
  explicit AnswerCache(std::size_t bytes_max) : bytes_max_(bytes_max) {}

  /// The answer kept under `key`, or null.
  [[nodiscard]] std::shared_ptr<PagedAnswer const> find(std::string const& key);
  /// Keeps `answer` in the place of what was under `key`. One that is heavier than the whole cache is not kept.
  void keep(std::string key, std::shared_ptr<PagedAnswer const> answer);

 private:
  struct Entry {
    std::string key;
    std::shared_ptr<PagedAnswer const> answer;
    std::size_t weight;
  };
  using Entries = std::list<Entry>;

  void drop(Entries::iterator entry, Entries& dropped);

  std::size_t const bytes_max_;
  std::mutex mutex_;  // guards all below
  Entries entries_;   ///< most recently used first
  std::unordered_map<std::string, Entries::iterator> by_key_;
  std::size_t bytes_ = 0;
};

}  // namespace whence::net
