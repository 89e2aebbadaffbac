#include "graph/columns/dictionary.hpp"

#include <utility>

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

void Dictionary::fill(std::vector<std::string> texts, std::span<std::uint32_t const> rows_of,
                      std::function<std::uint64_t(std::string_view)> const& hash_of) {
  entries_.reserve(texts.size());
  free_.reserve(texts.size());
  numbers_.reserve(texts.size());
  for (std::string& text : texts) {
    auto const number = end();
    entries_.push_back({std::move(text), rows_of[number]});
    std::string& kept = entries_.back().text;
    if (rows_of[number] == 0) {
      kept = {};
      free_.push_back(number);
      continue;
    }
    numbers_.emplace(hash_of(kept), number);
    text_bytes_ += kept.size();
  }
  free_.reserve(entries_.capacity());
}

std::uint64_t Dictionary::bytes() const noexcept {
  constexpr std::size_t node_bytes = 40;  // of the map, with its bucket
  return text_bytes_ + entries_.capacity() * sizeof(Entry) + free_.capacity() * sizeof(std::uint32_t) +
         numbers_.size() * node_bytes;
}

}  // namespace whence::graph::impl
