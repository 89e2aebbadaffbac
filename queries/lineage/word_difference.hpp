#pragma once
// How two texts differ, word by word.

#include "schema/types/named_enum.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace whence::queries {

enum class WordOp : std::uint8_t { same, removed, added };
constexpr std::array<std::string_view, 3> enum_names(WordOp) noexcept {
  return {"same", "removed", "added"};
}

/// A run of words with what is between them.
struct WordPart {
  WordOp op;
  std::string text;

  friend bool operator==(WordPart const&, WordPart const&) = default;
};

struct WordDifference {
  std::vector<WordPart> parts = {};  ///< in order: without what was added they are the first text, without what was
                                     ///< removed the second
  bool is_coarse = false;            ///< too much differs: all between the first and the last difference is one part
};

/// From `before` to `after`. A word is a run of letters and digits (all bytes beyond ASCII are letters), a run of white
/// space, or any other character; as few as possible are added and removed. O((words + edits) * edits), with at
/// most 1,000 edits and 16 million comparisons of words.
[[nodiscard]] WordDifference word_difference(std::string_view before, std::string_view after);

/// The words of a text, white space left out.
[[nodiscard]] std::vector<std::string_view> words_in(std::string_view text);

}  // namespace whence::queries
