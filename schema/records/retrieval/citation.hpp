#pragma once
// Citations in an answer's text, `[NAME]`, `[NAME, page N]` or `[NAME, section S]`, or as the text of a prompt names a
// chunk, `[NAME, p.N]` or `[NAME, S]`, resolved against the chunks
// retrieved for the request. Pure functions of values.

#include "schema/records/retrieval/records.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace whence::schema {

/// The message of an answer where nothing was found, or too little.
inline constexpr std::string_view not_found_message = "Information not found in the knowledge base.";

/// The flag of a citation whose excerpt a purge of its chunk took: what is empty then was not given so.
inline constexpr std::string_view redacted_flag = "redacted";

/// A chunk as it was retrieved for a request.
struct Retrieval {
  std::string chunk_id = {};
  std::string content = {};
  ChunkMetadata metadata = {};
  std::optional<double> similarity = {};  ///< nothing where nobody said it
  std::uint32_t rank = 0;
  bool is_expired = false;  ///< its content is gone: there are no content and no metadata
  bool is_purged = false;   ///< likewise, where somebody asked for it

  friend bool operator==(Retrieval const&, Retrieval const&) = default;
};

/// The citations of a text.
struct FoundCitations {
  std::vector<std::size_t> retrievals = {};     ///< places in the list, in order of first mention, each once
  std::optional<std::string> unsupported = {};  ///< the first bracket that matches none of them
};

/// Reads `text`. At each `[` that no backslash precedes, the names of the retrieved documents are tried, longest first,
/// so that names and sections may hold commas and brackets; where none fits, the bracket ends at the next `]` and is
/// unsupported; without one it is plain text. Of several chunks that a citation may mean it means the one of the
/// highest similarity, then of the least id. O(length of the text times the number of retrievals).
[[nodiscard]] FoundCitations find_citations(std::string_view text, std::span<Retrieval const> retrievals);

/// Whether `excerpt` is found in `content`: runs of white space are as one space, there is none at the ends, and an
/// ellipsis ("..." or U+2026) at the end of the excerpt may be left away. O(length of both).
[[nodiscard]] bool is_excerpt(std::string_view excerpt, std::string_view content);

/// The place of the retrieval that a given citation means: by its chunk where it names one, which must be of its
/// document; else by document, page and section, as far as given, and of those one that has the excerpt before others.
/// Nothing where there is none.
[[nodiscard]] std::optional<std::size_t> find_cited(Citation const& citation, std::span<Retrieval const> retrievals);

/// The citation of a retrieval: its place in its document, and the first 200 code points of its content.
[[nodiscard]] Citation citation_of(Retrieval const& retrieval);

/// The mean of the similarities that are known, summed in the order given; 0 where nothing was retrieved, nothing where
/// no similarity is known.
[[nodiscard]] std::optional<double> confidence_of(std::span<Retrieval const> retrievals) noexcept;

/// The highest similarity that is known; 0 where there is none.
[[nodiscard]] double best_of(std::span<Retrieval const> retrievals) noexcept;

/// Makes an answer say that nothing was found: its text and citations are dropped.
void withhold(Answer& answer);

/// The chunks as a prompt shows them: lines `Context K [NAME, p.N]: CONTENT`, `[NAME, SECTION]` without a page,
/// `[NAME]` without both.
[[nodiscard]] std::string format_context(std::span<Retrieval const> retrievals);

}  // namespace whence::schema
