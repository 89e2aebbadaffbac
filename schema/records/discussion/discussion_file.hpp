#pragma once
// The file of a discussion, `{userId}/{discussionId}.json`: the same bytes for the same discussion when written, fully
// validated when read, since anybody may have edited it.

#include "schema/base/error.hpp"
#include "schema/records/check.hpp"
#include "schema/records/discussion/discussion.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace whence::schema::json {

/// The text: two spaces a level, members in the order of the field tables, absent ones left out, UTF-8 unescaped, one
/// newline at the end. `state` has complete rounds only; `updatedAt` is `state.updated_at()`, and
/// `tokenCount` counts the context that a reader of the file would make.
[[nodiscard]] std::string discussion_file_text(DiscussionState const& state, TokenRules const& rules);

/// A round or a summary as the file has it, as compact JSON.
[[nodiscard]] std::string file_text_of(DiscussionRound const& round);
[[nodiscard]] std::string file_text_of(SummaryEntry const& summary);

/// The contents of a file.
struct DiscussionFile {
  DiscussionState state = {};  ///< `discussion.updated_at` as the file has it
  std::optional<std::int64_t> token_count = {};
  std::optional<SummaryEntry> current_summary = {};  ///< may disagree with the summaries
  std::optional<std::string> summary = {};           ///< the text of the current summary; may disagree
};

/// The discussion that the file must be of.
struct DiscussionName {
  std::string_view user_id;
  std::string_view discussion_id;
};

/// Reads a file. Fails with `invalid_record`, its violations with a JSON Pointer into the file each, where it is no
/// JSON (rule "json") or breaks a rule: those of the records themselves (schema/records/check.hpp), and besides
/// "unknown_field", "identity" (ids of another discussion), "round_number" (rounds are 1, 2, 3, ... in this order, each
/// complete; summaries ascend and each names a round of the file). What records may leave out files may too. O(size).
[[nodiscard]] Result<DiscussionFile> parse_discussion_file(std::string_view text, CheckContext const& context,
                                                           DiscussionName const& name);

}  // namespace whence::schema::json
