#pragma once
// search: records that have all words of a text, those first that fit best.

#include "queries/search/params.hpp"
#include "queries/search/word_match.hpp"
#include "queries/view/view.hpp"
#include "schema/base/error.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace whence::queries {

/// So many of the newest records that have the words are ranked; older ones follow in order of age.
inline constexpr std::size_t ranked_max = 200;
/// So many records are found at most: of the newest.
inline constexpr std::size_t matches_max = 10'000;

struct TextMatch {
  VertexId vertex;
  std::optional<double> score = {};  ///< of those that were ranked
};

struct TextMatches {
  std::vector<TextMatch> nodes = {};
  SoughtWords sought = {};
  std::vector<std::string> suggestions = {};  ///< where nothing was found: texts that find something
  bool is_cut = false;                        ///< there are more
  bool is_behind = false;                     ///< the index has not read everything yet: there may be more
};

[[nodiscard]] std::vector<VertexId> shown_vertices(TextMatches const& found);

/// At most so many are suggested.
inline constexpr std::size_t suggestions_max = 3;

/// The records of `view` in whose texts all words of `params.text` are, whatever their case, their accents and, unless
/// asked for exactly, their English endings. Where there are none, what would find some is suggested. Fails with
/// `precondition`, rule "search_off", where texts are not searched; with `invalid_params` where there is no word, or
/// too many, or `where` goes with no single type; as `node_find` does, or as the interrupt says.
[[nodiscard]] Result<TextMatches> search(View const& view, SearchParams const& params, Budget const& budget);

}  // namespace whence::queries
