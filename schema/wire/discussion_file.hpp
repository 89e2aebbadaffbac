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
#include <vector>

namespace whence::schema::json {

/// The text: two spaces a level, members in the order of the field tables, absent ones left out, UTF-8 unescaped, one
/// newline at the end. `state` has complete rounds only; `updatedAt` is `state.updated_at()`, and
/// `tokenCount` counts the context that a reader of the file would make.
[[nodiscard]] std::string discussion_file_text(DiscussionState const& state, TokenRules const& rules);

/// A round or a summary as the file has it, as compact JSON.
[[nodiscard]] std::string file_text_of(DiscussionRound const& round);
[[nodiscard]] std::string file_text_of(SummaryEntry const& summary);

/// What a reader does with members that it does not know.
enum class FileReading : std::uint8_t {
  strict,  ///< refuses them
  /// Keeps them among the attributes of the discussion, the round or the summary that has them: `model` of a round's
  /// `solverResponse` is `{"solverResponse":{"model":...}}` there. Ids may be missing, or stand in the parts too; a
  /// current summary that is not among the summaries is added to them; a `summary` without any is kept as unknown.
  keeping,
};

/// An unknown member that became an attribute.
struct KeptMember {
  std::string path = {};                   ///< JSON Pointer into the file
  std::optional<std::int64_t> round = {};  ///< of a round, or of the summary of rounds up to it
  bool is_of_summary = false;

  friend bool operator==(KeptMember const&, KeptMember const&) = default;
};

/// The contents of a file. Rounds and summaries are in the order of their numbers, whatever their order in the file.
struct DiscussionFile {
  DiscussionState state = {};  ///< `discussion.updated_at` as the file has it
  std::optional<std::int64_t> token_count = {};
  std::optional<SummaryEntry> current_summary = {};  ///< may disagree with the summaries
  std::optional<std::string> summary = {};           ///< the text of the current summary; may disagree
  std::vector<KeptMember> kept = {};
};

/// The discussion that the file must be of.
struct DiscussionName {
  std::string_view user_id;
  std::string_view discussion_id;
  std::vector<std::int64_t> missing = {};  ///< rounds that the file lacks, since their content is gone; ascending
};

/// Reads a file. Fails with `invalid_record`, its violations with a JSON Pointer into the file each, where it is no
/// JSON (rule "json") or breaks a rule: those of the records themselves (schema/records/check.hpp), and besides
/// "unknown_field", "identity" (ids of another discussion), "round_number" (rounds have numbers from 1, in any order,
/// each complete and there once; no summary is of a round after the last, at most one of each). What records may leave
/// out files may too. O(size).
[[nodiscard]] Result<DiscussionFile> parse_discussion_file(std::string_view text, CheckContext const& context,
                                                           DiscussionName const& name,
                                                           FileReading reading = FileReading::strict);

/// Whether what was kept of `file` is what `stored`, the same discussion, has as attributes already.
[[nodiscard]] bool has_kept_members(DiscussionState const& stored, DiscussionFile const& file);

}  // namespace whence::schema::json
