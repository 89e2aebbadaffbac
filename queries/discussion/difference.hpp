#pragma once
// How a discussion's files differ from the store: where somebody edited them, and where they are merely behind. Pure
// comparison of values: files are read and repaired elsewhere.

#include "schema/base/error.hpp"
#include "schema/records/discussion/discussion.hpp"
#include "schema/types/named_enum.hpp"
#include "schema/wire/discussion_file.hpp"

#include <array>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace whence::queries {

enum class DifferenceKind : std::uint8_t {
  missing_file,
  unreadable,
  behind,
  token_count,
  round,
  summary,
  metadata,
  markdown
};
constexpr std::array<std::string_view, 8> enum_names(DifferenceKind) noexcept {
  return {"missing_file", "unreadable", "behind", "token_count", "round", "summary", "metadata", "markdown"};
}

/// One difference. `file` and `store` are compact JSON; nothing where that side has none, which is null on the wire.
/// - missing_file: path "", `store` names the file, "json" or "md".
/// - unreadable: path of the first broken rule, `file` the error there.
/// - behind: path "", the file lacks what the store has gained: `file` and `store` are objects with the numbers of
///   `rounds` and `summaries`. It may be as a part was before it was answered, replaced or deleted.
/// - token_count: `file` the file's count, `store` the one computed from the file's own rounds and summaries.
/// - round, summary: one that the file has and the store has never had, the whole one, by its place in the file. Also
///   "/currentSummary" and "/summary" where they disagree with the file's summaries, `store` the value that would
///   agree.
/// - metadata: a member that the file has and that the discussion has never had; `updatedAt` where it is later than
///   `DiscussionState::updated_at`.
/// - markdown: path "", the first line that differs from the Markdown made of the JSON file, which is `store`.
struct Difference {
  DifferenceKind kind;
  std::string path = {};  ///< JSON Pointer into the JSON file
  std::optional<std::string> file = {};
  std::optional<std::string> store = {};

  friend bool operator==(Difference const&, Difference const&) = default;
};

/// The files in the folder of a discussion; nothing where there is no such file. They are compared without the open
/// round, Markdown with that of the JSON file, which must be readable.
struct FoundDiscussion {
  std::optional<Result<schema::json::DiscussionFile>> json = {};
  std::optional<std::string> markdown = {};
};

/// What was recorded before under the refs of a discussion and its parts. Rounds and summaries in the order of their
/// numbers.
struct EarlierContents {
  std::vector<schema::Discussion> discussions = {};
  std::vector<schema::DiscussionRound> rounds = {};
  std::vector<schema::SummaryEntry> summaries = {};
  bool lacks_discussion = false;  ///< a content of the Discussion itself is gone
};

/// How the contents of a file relate to those of the store.
struct FileStanding {
  std::vector<Difference> edits = {};  ///< kinds round, summary, metadata: what only the file says
  bool is_behind = false;              ///< the store has what the file lacks

  /// Whether the file says something that would be lost if it were written from the store. Its `updatedAt` follows from
  /// the rest.
  [[nodiscard]] bool is_edited() const noexcept;
};

/// Compares the discussion, its rounds and its summaries. `store` has complete rounds only. What the server fills in is
/// no difference where the file lacks it. O(size).
[[nodiscard]] FileStanding standing_of(schema::DiscussionState const& file, schema::DiscussionState const& store,
                                       EarlierContents const& earlier);

/// The store's state with what was edited in the file: its rounds, its summaries, its members. No round of the store is
/// removed.
[[nodiscard]] schema::DiscussionState merged(schema::DiscussionState const& file, schema::DiscussionState const& store,
                                             EarlierContents const& earlier);

/// All differences, in the order of the kinds. Markdown is only looked at where the JSON file can be read. `store` has
/// complete rounds only. O(size).
[[nodiscard]] std::vector<Difference> differences(FoundDiscussion const& found, schema::DiscussionState const& store,
                                                  schema::TokenRules const& rules, EarlierContents const& earlier = {});

/// The tokens computed from the rounds and summaries of a file, whatever count it has.
[[nodiscard]] std::int64_t computed_tokens(schema::json::DiscussionFile const& file, schema::TokenRules const& rules);

/// Whether a file's token count is less than 5 % off, so that it may be repaired without asking.
[[nodiscard]] bool is_small(std::int64_t file, std::int64_t computed) noexcept;

}  // namespace whence::queries
