// Edit distance within a bound: only cells near the diagonal are filled, and only while the bound can still be held.
#include "schema/base/suggest.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace whence::schema {
namespace {

constexpr std::size_t length_max = 64;
constexpr std::size_t edits_max = 3;
constexpr std::size_t beginning_min = 4;

/// The letters and digits of a name, in lower case, and whatever is no ASCII.
struct Folded {
  std::array<char, length_max> text = {};
  std::size_t size = 0;

  explicit Folded(std::string_view name) {
    if (name.size() > length_max) return;
    for (char const c : name) {
      bool const is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
      bool const is_other = (c >= '0' && c <= '9') || static_cast<unsigned char>(c) >= 0x80;
      if (is_letter || is_other) text[size++] = is_letter ? static_cast<char>(c | 0x20) : c;
    }
  }
};

std::size_t edits_allowed(std::size_t size) {
  return size <= 2 ? 0 : size <= 5 ? 1 : size <= 9 ? 2 : edits_max;
}

bool begins_with(Folded const& whole, Folded const& part) {
  return std::string_view{whole.text.data(), whole.size}.starts_with(std::string_view{part.text.data(), part.size});
}

/// How many edits make one of the other; more than `bound` for any number above it. O(length * bound).
std::size_t edits_between(Folded const& a, Folded const& b, std::size_t bound) {
  auto const beyond = bound + 1;
  if (a.size > b.size + bound || b.size > a.size + bound) return beyond;
  // Rows of the table of prefixes: for i, i - 1 and i - 2 characters of `a`. Of each the cells up to `bound` beside the
  // diagonal are filled, and one more at either end.
  std::array<std::array<std::size_t, length_max + 2>, 3> rows;
  for (std::size_t j = 0; j <= bound + 1; ++j) rows[0][j] = j;
  for (std::size_t i = 1; i <= a.size; ++i) {
    auto& now = rows[i % 3];
    auto const& before = rows[(i - 1) % 3];
    auto const first = i > bound ? i - bound : 1;
    auto const last = std::min(b.size, i + bound);
    now[first - 1] = first == 1 ? i : beyond;
    auto least = now[first - 1];
    for (auto j = first; j <= last; ++j) {
      bool const is_same = a.text[i - 1] == b.text[j - 1];
      now[j] = std::min({before[j] + 1, now[j - 1] + 1, before[j - 1] + (is_same ? 0U : 1U)});
      bool const is_swap = i > 1 && j > 1 && a.text[i - 1] == b.text[j - 2] && a.text[i - 2] == b.text[j - 1];
      if (is_swap) now[j] = std::min(now[j], rows[(i - 2) % 3][j - 2] + 1);
      least = std::min(least, now[j]);
    }
    now[last + 1] = beyond;
    if (least > bound) return beyond;
  }
  return std::min(rows[a.size % 3][b.size], beyond);
}

}  // namespace

std::string_view most_similar(std::string_view unknown, std::span<std::string_view const> known) {
  Folded const asked{unknown};
  if (asked.size == 0) return {};
  std::string_view nearest;
  auto bound = edits_allowed(asked.size);
  for (auto const name : known) {
    Folded const candidate{name};
    if (candidate.size == 0) continue;
    auto const edits = edits_between(asked, candidate, bound);
    if (edits > bound || (!nearest.empty() && edits == bound)) continue;
    nearest = name;
    bound = edits;
    if (edits == 0) break;
  }
  if (!nearest.empty() || asked.size < beginning_min) return nearest;
  auto const longer = std::ranges::find_if(known, [&](auto name) { return begins_with(Folded{name}, asked); });
  return longer == known.end() ? std::string_view{} : *longer;
}

std::string did_you_mean(std::string_view unknown, std::span<std::string_view const> known) {
  auto const nearest = most_similar(unknown, known);
  if (nearest.empty()) return {};
  return std::string{"; did you mean `"}.append(nearest).append("`?");
}

std::string alternatives(std::string_view unknown, std::span<std::string_view const> known) {
  auto text = did_you_mean(unknown, known);
  text.append(text.empty() ? "; there are " : " There are ");
  for (std::size_t i = 0; i < known.size(); ++i) text.append(i == 0 ? "" : ", ").append(known[i]);
  return text;
}

}  // namespace whence::schema
