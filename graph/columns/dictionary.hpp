#pragma once
// The values of one column, each once, with how many rows have it.

#include "graph/storage/id_table.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace whence::graph::impl {

/// Numbers of texts. A text that no row has any more is forgotten, and its number is given to another.
///
/// Texts are found by their SipHash under the graph's key, so that a client cannot slow it down by its choice of
/// values. Not for several threads.
class Dictionary {
 public:
  /// How much it may hold, at the number of rows of its column.
  struct Room {
    std::size_t texts;
    std::size_t bytes;
  };

  [[nodiscard]] std::optional<std::uint32_t> find(std::uint64_t hash, std::string_view text) const;
  /// The number of `text` for one more row; nothing where there is no room for a new one. May allocate.
  [[nodiscard]] std::optional<std::uint32_t> take(std::uint64_t hash, std::string_view text, Room const& room);
  /// One row less has the text of that number.
  void release(std::uint32_t number, std::uint64_t hash);

  /// Begins with `texts`, of which each has its number and `rows_of` it; those of no row are free.
  void fill(std::vector<std::string> texts, std::span<std::uint32_t const> rows_of,
            std::function<std::uint64_t(std::string_view)> const& hash_of);

  /// Numbers are below this.
  [[nodiscard]] std::uint32_t end() const noexcept { return static_cast<std::uint32_t>(entries_.size()); }
  /// Whether a row has the text of that number.
  [[nodiscard]] bool is_used(std::uint32_t number) const noexcept { return entries_[number].rows > 0; }
  [[nodiscard]] std::string const& text(std::uint32_t number) const noexcept { return entries_[number].text; }
  [[nodiscard]] std::size_t size() const noexcept { return numbers_.size(); }  ///< texts that rows have
  /// Memory, about.
  [[nodiscard]] std::uint64_t bytes() const noexcept;

 private:
  struct Entry {
    std::string text;
    std::uint32_t rows;
  };
  std::vector<Entry> entries_;
  std::vector<std::uint32_t> free_;
  std::unordered_multimap<std::uint64_t, std::uint32_t> numbers_;  ///< by hash
  std::size_t text_bytes_ = 0;
};

}  // namespace whence::graph::impl
