#pragma once
// The words of a question, and records that have them.

#include "schema/records/records.hpp"
#include "schema/search/text_index.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace whence::queries {

inline constexpr std::size_t search_words_max = 16;
/// A last word of fewer characters means itself only: too many words begin with it.
inline constexpr std::size_t prefix_characters_min = 3;

/// The different words of a question in order.
struct SoughtWords {
  std::vector<std::string> words = {};
  std::vector<schema::WordStem> stems = {};  ///< of each, whose other forms count as it; empty: none does
  bool last_is_prefix = false;               ///< the last is also the beginning of a word
};

/// The words of `text`. The last one may go on, unless something that is no part of a word follows it. More than
/// `search_words_max` words are all returned. Without stems where `is_exact`.
[[nodiscard]] SoughtWords sought_words(schema::TextIndex const& index, std::string_view text, bool is_exact = false);

/// Looks for these words in texts. Uses what it was made of.
class WordMatch {
 public:
  WordMatch(schema::TextIndex const& index, SoughtWords const& sought) : index_(index), sought_(sought) {}

  /// Which words `word` is, or is a form of, as bits.
  [[nodiscard]] std::uint32_t bits_of(schema::Word const& word) const noexcept;

  /// How well a record fits: nothing where a word is in none of its texts. More for words that are frequent in a short
  /// text, in a member that counts more, and that are there as they were asked for. `bytes` grows by what was read.
  /// O(texts of the record).
  [[nodiscard]] std::optional<double> score(schema::Record const& record, std::string_view id,
                                            std::size_t& bytes) const;

  [[nodiscard]] schema::TextIndex const& index() const noexcept { return index_; }
  [[nodiscard]] SoughtWords const& sought() const noexcept { return sought_; }

 private:
  schema::TextIndex const& index_;
  SoughtWords const& sought_;
};

}  // namespace whence::queries
