// A saturating count of each word in each text, as BM25 has it. How rare a word is does not matter here: every record
// that is ranked has all of them.
#include "queries/search/word_match.hpp"

#include "schema/base/text.hpp"
#include "schema/search/texts.hpp"

#include <algorithm>
#include <array>

namespace whence::queries {
namespace {

constexpr double saturation = 1.2;     // k1 of BM25
constexpr double length_share = 0.75;  // its b
constexpr double usual_words = 100;    // of a text
constexpr double part_of_word = 0.6;   // what a longer word counts that begins with the one sought
constexpr double form_of_word = 0.8;   // what another form of it counts

/// What the text at hand has of each word.
struct WordCounts {
  std::array<double, search_words_max> of_word = {};
  std::size_t words = 0;
};

double scored(WordCounts const& counts, double weight) {
  auto const length = 1 - length_share + length_share * static_cast<double>(counts.words) / usual_words;
  double sum = 0;
  for (auto const count : counts.of_word) sum += count * (saturation + 1) / (count + saturation * length);
  return weight * sum;
}

}  // namespace

SoughtWords sought_words(schema::TextIndex const& index, std::string_view text, bool is_exact) {
  SoughtWords sought;
  index.split(text, [&](schema::Word const& word) {
    // A last word that was there before is asked for as a whole.
    bool const is_new = std::ranges::find(sought.words, word.folded) == sought.words.end();
    sought.last_is_prefix = is_new && word.end == text.size() && word.folded.size() < schema::word_bytes_max &&
                            schema::code_points(word.folded) >= prefix_characters_min;
    if (is_new) sought.words.emplace_back(word.folded);
    if (is_new && !is_exact) sought.stems.push_back({std::string(word.stem)});
    return true;
  });
  for (auto& stem : sought.stems) {
    index.split(stem.stem, [&](schema::Word const& word) {
      stem.is_word = word.folded == stem.stem && word.stem == stem.stem;
      return false;
    });
  }
  return sought;
}

std::uint32_t WordMatch::bits_of(schema::Word const& word) const noexcept {
  std::uint32_t bits = 0;
  auto const& words = sought_.words;
  for (std::size_t i = 0; i < words.size(); ++i) {
    bool const is_prefix = sought_.last_is_prefix && i + 1 == words.size();
    bool const is_form = !sought_.stems.empty() && word.stem == sought_.stems[i].stem;
    bool const is_it = is_prefix ? word.folded.starts_with(words[i]) : word.folded == words[i];
    if (is_it || is_form) bits |= std::uint32_t{1} << i;
  }
  return bits;
}

std::optional<double> WordMatch::score(schema::Record const& record, std::string_view id, std::size_t& bytes) const {
  auto const& words = sought_.words;
  std::uint32_t found = 0;
  double sum = 0;
  schema::for_each_text(record, id, [&](schema::RecordText const& text) {
    WordCounts counts;
    bytes += text.text.size();
    std::uint32_t found_here = 0;
    index_.split(text.text, [&](schema::Word const& word) {
      ++counts.words;
      auto const bits = bits_of(word);
      if (bits == 0) return true;
      found_here |= bits;
      for (std::size_t i = 0; i < words.size(); ++i) {
        if ((bits >> i & 1U) == 0) continue;
        bool const is_form = !sought_.stems.empty() && word.stem == sought_.stems[i].stem;
        counts.of_word.at(i) += word.folded == words[i] ? 1 : is_form ? form_of_word : part_of_word;
      }
      return true;
    });
    if (found_here == 0) return;
    found |= found_here;
    sum += scored(counts, text.weight);
  });
  auto const all = (std::uint32_t{1} << words.size()) - 1;
  if (found != all) return std::nullopt;
  return sum;
}

}  // namespace whence::queries
