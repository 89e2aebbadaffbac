// Of each text the stretch with most of the words.
#include "queries/search/snippets.hpp"

#include "schema/encoding/code_points.hpp"
#include "schema/search/texts.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>

namespace whence::queries {
namespace {

constexpr std::size_t before_bytes = 60;  // what is shown before the first hit
constexpr std::size_t hits_max = 1'000;   // of one text
constexpr std::string_view ellipsis = "…";

struct WordHit {
  std::size_t begin;
  std::size_t end;
  std::uint32_t bits;
};

struct Stretch {
  std::size_t first = 0;  ///< hit
  std::size_t last = 0;   ///< one past the last hit
  std::uint32_t bits = 0;
};

std::vector<WordHit> hits_in(WordMatch const& match, std::string_view text) {
  std::vector<WordHit> hits;
  match.index().split(text, [&](schema::Word const& word) {
    if (auto const bits = match.bits_of(word)) hits.push_back({word.begin, word.end, bits});
    return hits.size() < hits_max;
  });
  return hits;
}

/// The first stretch of hits that shows most of the words.
Stretch best_stretch(std::vector<WordHit> const& hits) {
  Stretch best;
  for (std::size_t first = 0; first < hits.size(); ++first) {
    Stretch here{.first = first, .last = first};
    auto const end = hits[first].begin + snippet_bytes_max - before_bytes;
    while (here.last < hits.size() && (here.last == first || hits[here.last].end <= end))
      here.bits |= hits[here.last++].bits;
    if (std::popcount(here.bits) > std::popcount(best.bits)) best = here;
  }
  return best;
}

/// The first place at or after `at` where a character begins.
std::size_t next_character(std::string_view text, std::size_t at) {
  while (at < text.size() && schema::is_continuation(text[at])) ++at;
  return at;
}
std::size_t character_before(std::string_view text, std::size_t at) {
  while (at > 0 && at < text.size() && schema::is_continuation(text[at])) --at;
  return at;
}

/// Where the piece begins: at a word, if one begins soon.
std::size_t begin_of(std::string_view text, std::size_t first_hit) {
  if (first_hit <= before_bytes) return 0;
  auto const at = next_character(text, first_hit - before_bytes);
  auto const space = text.find(' ', at);
  return space < first_hit ? space + 1 : std::min(at, first_hit);
}

std::size_t end_of(std::string_view text, std::size_t begin, std::size_t last_hit_end) {
  auto const most = begin + snippet_bytes_max;
  if (most >= text.size()) return text.size();
  auto const at = std::max(character_before(text, most), std::min(last_hit_end, text.size()));
  auto const space = text.rfind(' ', at);
  return space != std::string_view::npos && space >= last_hit_end ? space : at;
}

Snippet cut_snippet(std::string_view path, std::string_view text, std::vector<WordHit> const& hits,
                    Stretch const& stretch) {
  Snippet snippet{.path = std::string{path}};
  auto const add = [&](std::size_t begin, std::size_t end, bool is_match) {
    if (begin < end) snippet.parts.push_back({std::string{text.substr(begin, end - begin)}, is_match});
  };
  auto at = begin_of(text, hits[stretch.first].begin);
  // A word may be longer than a piece: then its beginning is shown.
  auto const end = std::min(end_of(text, at, hits[stretch.last - 1].end),
                            character_before(text, std::min(text.size(), at + 2 * snippet_bytes_max)));
  if (at > 0) snippet.parts.push_back({std::string{ellipsis}, false});
  for (auto i = stretch.first; i < stretch.last; ++i) {
    add(at, std::min(hits[i].begin, end), false);
    add(std::min(hits[i].begin, end), std::min(hits[i].end, end), true);
    at = std::min(hits[i].end, end);
  }
  add(at, end, false);
  if (end < text.size()) snippet.parts.push_back({std::string{ellipsis}, false});
  return snippet;
}

struct RankedSnippet {
  int words;
  double weight;
  Snippet snippet;
};

}  // namespace

std::vector<Snippet> snippets_of(WordMatch const& match, schema::Record const& record, std::string_view id) {
  std::vector<RankedSnippet> ranked;
  schema::for_each_text(record, id, [&](schema::RecordText const& text) {
    auto const hits = hits_in(match, text.text);
    if (hits.empty()) return;
    auto const stretch = best_stretch(hits);
    ranked.push_back({std::popcount(stretch.bits), text.weight, cut_snippet(text.path, text.text, hits, stretch)});
  });
  std::ranges::stable_sort(ranked, [](RankedSnippet const& a, RankedSnippet const& b) {
    return std::pair(a.words, a.weight) > std::pair(b.words, b.weight);
  });
  std::vector<Snippet> snippets;
  for (auto& each : ranked) {
    if (snippets.size() == snippets_max) break;
    snippets.push_back(std::move(each.snippet));
  }
  return snippets;
}

}  // namespace whence::queries
