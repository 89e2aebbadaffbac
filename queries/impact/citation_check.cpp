// From the strictest comparison to the loosest.

#include "queries/impact/citation_check.hpp"

#include "queries/lineage/word_difference.hpp"
#include "schema/base/text.hpp"
#include "schema/encoding/ascii.hpp"
#include "schema/records/retrieval/citation.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace whence::queries {
namespace {

/// Excerpts have 200 code points at most.
constexpr std::size_t quote_words_max = 512;
/// Beyond it only the beginning of a text is looked through for altered words.
constexpr std::size_t text_words_max = 200'000;

std::string_view without_ellipsis(std::string_view quote) {
  for (std::string_view const ellipsis : {"...", "\xe2\x80\xa6"}) {
    if (quote.ends_with(ellipsis)) return schema::trim_white_space(quote.substr(0, quote.size() - ellipsis.size()));
  }
  return quote;
}

/// The least number of words added, removed or replaced between the quote and any part of the text.
std::size_t distance(std::vector<std::string_view> const& quote, std::vector<std::string_view> const& text) {
  std::vector<std::size_t> row(quote.size() + 1);  // of the parts that end before a word of the text
  for (std::size_t i = 0; i <= quote.size(); ++i) row[i] = i;
  auto least = row.back();
  for (auto const word : text) {
    auto diagonal = row[0];  // 0: a part may begin anywhere
    for (std::size_t i = 1; i <= quote.size(); ++i) {
      auto const replaced = diagonal + (quote[i - 1] == word ? 0 : 1);
      diagonal = row[i];
      row[i] = std::min({replaced, row[i] + 1, row[i - 1] + 1});
    }
    least = std::min(least, row.back());
  }
  return least;
}

}  // namespace

QuoteCheck check_quote(std::string_view quote, std::string_view text) {
  if (text.find(quote) != std::string_view::npos || text.find(without_ellipsis(quote)) != std::string_view::npos) {
    return {QuoteMatch::exact, 0};
  }
  auto const folded_quote = schema::in_lower(without_ellipsis(quote));
  auto const folded_text = schema::in_lower(text);
  if (schema::is_excerpt(folded_quote, folded_text)) return {QuoteMatch::folded, 0};
  auto words = words_in(folded_quote);
  auto of_text = words_in(folded_text);
  words.resize(std::min(words.size(), quote_words_max));
  of_text.resize(std::min(of_text.size(), text_words_max));
  if (words.empty()) return {};
  auto const altered = static_cast<double>(distance(words, of_text)) / static_cast<double>(words.size());
  return {altered < 0.5 ? QuoteMatch::altered : QuoteMatch::not_found, std::min(altered, 1.0)};
}

}  // namespace whence::queries
