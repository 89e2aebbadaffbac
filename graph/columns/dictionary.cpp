#include "graph/columns/dictionary.hpp"

namespace whence::graph::impl {

std::optional<std::uint32_t> Dictionary::find(std::uint64_t hash, std::string_view text) const {
  auto const [first, last] = numbers_.equal_range(hash);
  for (auto each = first; each != last; ++each) {
    if (entries_[each->second].text == text) return each->second;
  }
  return std::nullopt;
}

std::optional<std::uint32_t> Dictionary::take(std::uint64_t hash, std::string_view text, Room const& room) {
  if (auto const known = find(hash, text)) {
    ++entries_[*known].rows;
    return known;
  }
  if (numbers_.size() >= room.texts || text_bytes_ + text.size() > room.bytes) return std::nullopt;
  std::uint32_t number = end();
  if (free_.empty()) {
    entries_.push_back({std::string(text), 1});
    free_.reserve(entries_.capacity());  // so that `release` cannot fail
  } else {
    number = free_.back();
    entries_[number] = {std::string(text), 1};
    free_.pop_back();
  }
  numbers_.emplace(hash, number);
  text_bytes_ += text.size();
  return number;
}

void Dictionary::release(std::uint32_t number, std::uint64_t hash) {
  Entry& entry = entries_[number];
  if (--entry.rows > 0) return;
  auto const [first, last] = numbers_.equal_range(hash);
  for (auto each = first; each != last; ++each) {
    if (each->second != number) continue;
    numbers_.erase(each);
    break;
  }
  text_bytes_ -= entry.text.size();
  entry.text = {};
  free_.push_back(number);
}

std::uint64_t Dictionary::bytes() const noexcept {
  constexpr std::size_t node_bytes = 40;  // of the map, with its bucket
  return text_bytes_ + entries_.capacity() * sizeof(Entry) + free_.capacity() * sizeof(std::uint32_t) +
         numbers_.size() * node_bytes;
}

}  // namespace whence::graph::impl
