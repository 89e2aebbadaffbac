// Myers' greedy search for the least number of edits, with the furthest points of each number of edits kept for the way
// back (An O(ND) Difference Algorithm and Its Variations, 1986).

#include "queries/lineage/word_difference.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace whence::queries {
namespace {

constexpr std::ptrdiff_t edits_max = 1'000;
constexpr std::uint64_t comparisons_max = std::uint64_t{1} << 24U;  // a tenth of a second

enum class CharacterKind : std::uint8_t { word, space, other };

CharacterKind kind_of(char character) noexcept {
  auto const byte = static_cast<unsigned char>(character);
  if (byte >= 0x80 || (byte >= '0' && byte <= '9') || (byte >= 'A' && byte <= 'Z') || (byte >= 'a' && byte <= 'z')) {
    return CharacterKind::word;
  }
  return byte == ' ' || (byte >= '\t' && byte <= '\r') ? CharacterKind::space : CharacterKind::other;
}

using Words = std::span<std::string_view const>;

std::vector<std::string_view> pieces_of(std::string_view text) {
  std::vector<std::string_view> pieces;
  for (std::size_t begin = 0; begin < text.size();) {
    auto const kind = kind_of(text[begin]);
    auto end = begin + 1;
    while (kind != CharacterKind::other && end < text.size() && kind_of(text[end]) == kind) ++end;
    pieces.push_back(text.substr(begin, end - begin));
    begin = end;
  }
  return pieces;
}

void add_part(WordDifference& made, WordOp op, std::string_view text) {
  if (text.empty()) return;
  if (made.parts.empty() || made.parts.back().op != op) made.parts.push_back({op, {}});
  made.parts.back().text += text;
}

/// The edits of the middle, where both texts differ at either end.
class EditSearch {
 public:
  EditSearch(Words before, Words after) : before_{before}, after_{after} {}

  /// The operations in order; nothing where there are too many.
  bool run(std::vector<WordOp>& ops) {
    auto const n = std::ssize(before_);
    auto const m = std::ssize(after_);
    auto const bound = std::min(n + m, edits_max);
    std::vector<std::ptrdiff_t> furthest(static_cast<std::size_t>(2 * bound + 2));
    auto const at = [&](std::ptrdiff_t diagonal) -> std::ptrdiff_t& {
      return furthest[static_cast<std::size_t>(diagonal + bound)];
    };
    std::uint64_t comparisons = 0;
    for (std::ptrdiff_t edits = 0; edits <= bound; ++edits) {
      trail_.emplace_back(furthest.begin() + (bound - edits), furthest.begin() + (bound + edits + 1));
      for (auto diagonal = -edits; diagonal <= edits; diagonal += 2) {
        bool const is_down = diagonal == -edits || (diagonal != edits && at(diagonal - 1) < at(diagonal + 1));
        auto x = edits == 0 ? 0 : is_down ? at(diagonal + 1) : at(diagonal - 1) + 1;
        auto const start = x;
        while (x < n && x - diagonal < m && before_[index(x)] == after_[index(x - diagonal)]) ++x;
        comparisons += static_cast<std::uint64_t>(x - start) + 1;
        if (comparisons > comparisons_max) return false;
        at(diagonal) = x;
        if (x >= n && x - diagonal >= m) {
          go_back(edits, ops);
          return true;
        }
      }
    }
    return false;
  }

 private:
  static std::size_t index(std::ptrdiff_t place) noexcept { return static_cast<std::size_t>(place); }

  void go_back(std::ptrdiff_t edits, std::vector<WordOp>& ops) const {
    auto x = std::ssize(before_);
    auto y = std::ssize(after_);
    for (; edits > 0; --edits) {
      auto const& before = trail_[index(edits)];  // as it was before this number of edits: diagonals -edits..edits
      auto const at = [&](std::ptrdiff_t diagonal) { return before[index(diagonal + edits)]; };
      auto const diagonal = x - y;
      bool const is_down = diagonal == -edits || (diagonal != edits && at(diagonal - 1) < at(diagonal + 1));
      auto const from_diagonal = is_down ? diagonal + 1 : diagonal - 1;
      auto const from_x = at(from_diagonal);
      auto const from_y = from_x - from_diagonal;
      auto const start_x = is_down ? from_x : from_x + 1;
      for (; x > start_x; --x, --y) ops.push_back(WordOp::same);
      ops.push_back(is_down ? WordOp::added : WordOp::removed);
      x = from_x;
      y = from_y;
    }
    for (; x > 0; --x) ops.push_back(WordOp::same);
    std::ranges::reverse(ops);
  }

  Words before_;
  Words after_;
  std::vector<std::vector<std::ptrdiff_t>> trail_ = {};
};

}  // namespace

WordDifference word_difference(std::string_view before, std::string_view after) {
  auto const old_pieces = pieces_of(before);
  auto const new_pieces = pieces_of(after);
  Words const a(old_pieces);
  Words const b(new_pieces);
  std::size_t head = 0;
  while (head < std::min(a.size(), b.size()) && a[head] == b[head]) ++head;
  std::size_t tail = 0;
  while (tail < std::min(a.size(), b.size()) - head && a[a.size() - 1 - tail] == b[b.size() - 1 - tail]) ++tail;
  auto const old_middle = a.subspan(head, a.size() - head - tail);
  auto const new_middle = b.subspan(head, b.size() - head - tail);

  WordDifference made;
  for (auto const word : a.first(head)) add_part(made, WordOp::same, word);
  std::vector<WordOp> ops;
  if (EditSearch(old_middle, new_middle).run(ops)) {
    std::size_t x = 0;
    std::size_t y = 0;
    for (auto const op : ops) {
      add_part(made, op, op == WordOp::added ? new_middle[y] : old_middle[x]);
      if (op != WordOp::added) ++x;
      if (op != WordOp::removed) ++y;
    }
  } else {
    made.is_coarse = true;
    for (auto const word : old_middle) add_part(made, WordOp::removed, word);
    for (auto const word : new_middle) add_part(made, WordOp::added, word);
  }
  for (auto const word : a.last(tail)) add_part(made, WordOp::same, word);
  return made;
}

std::vector<std::string_view> words_in(std::string_view text) {
  auto words = pieces_of(text);
  std::erase_if(words, [](std::string_view word) { return kind_of(word.front()) == CharacterKind::space; });
  return words;
}

}  // namespace whence::queries
