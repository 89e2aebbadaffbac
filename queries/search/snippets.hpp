#pragma once
// Cuts of a record's texts that show the words sought.

#include "queries/search/word_match.hpp"
#include "schema/records/records.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace whence::queries {

struct SnippetPart {
  std::string text;
  bool is_match = false;
};

/// A piece of one text.
struct Snippet {
  std::string path = {};  ///< JSON Pointer of the text in the record
  std::vector<SnippetPart> parts = {};
};

inline constexpr std::size_t snippets_max = 3;
inline constexpr std::size_t snippet_bytes_max = 240;

/// At most `snippets_max`, those first that show most of the words, then by what their members count. A piece is cut
/// between characters; "…" marks what is left out before and after it.
[[nodiscard]] std::vector<Snippet> snippets_of(WordMatch const& match, schema::Record const& record,
                                               std::string_view id);

}  // namespace whence::queries
