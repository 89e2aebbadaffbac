#pragma once
// How a discussion's files differ from the store, which follows them. Pure comparison of values: files
// are read and repaired elsewhere.

#include "schema/base/error.hpp"
#include "schema/records/discussion/discussion.hpp"
#include "schema/records/discussion/discussion_file.hpp"

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace whence::queries {

enum class DifferenceKind : std::uint8_t { missing_file, unreadable, token_count, round, summary, metadata, markdown };

[[nodiscard]] std::string_view name_of(DifferenceKind kind) noexcept;  ///< "missing_file"
std::ostream& operator<<(std::ostream& out, DifferenceKind kind);

/// One difference. `file` and `store` are compact JSON; nothing where that side has none, which is null on the wire.
/// - missing_file: path "", `store` names the file, "json" or "md".
/// - unreadable: path of the first broken rule, `file` the error there.
/// - token_count: `file` the file's count, `store` the one computed from the file's own rounds and summaries.
/// - round, summary: the whole one, by its place in the file or, where the file lacks it, in the store. Also
///   "/currentSummary" and "/summary" where they disagree with the file's summaries, `store` the value that would
///   agree.
/// - metadata: a member of the discussion; `updatedAt` against `DiscussionState::updated_at`.
/// - markdown: path "", the first line that differs from the Markdown made of the JSON file, which is `store`.
struct Difference {
  DifferenceKind kind;
  std::string path = {};  ///< JSON Pointer into the JSON file
  std::optional<std::string> file = {};
  std::optional<std::string> store = {};

  friend bool operator==(Difference const&, Difference const&) = default;
};

/// The files in the folder of a discussion; nothing where there is no such file.
struct FoundDiscussion {
  std::optional<Result<schema::json::DiscussionFile>> json = {};
  std::optional<std::string> markdown = {};
};

/// All differences, in the order of the kinds. Markdown is only looked at where the JSON file can be read. `store` has
/// complete rounds only. O(size).
[[nodiscard]] std::vector<Difference> differences(FoundDiscussion const& found, schema::DiscussionState const& store,
                                                  schema::TokenRules const& rules);

/// The tokens computed from the rounds and summaries of a file, whatever count it has.
[[nodiscard]] std::int64_t computed_tokens(schema::json::DiscussionFile const& file, schema::TokenRules const& rules);

/// Whether a file's token count is less than 5 % off, so that it may be repaired without asking.
[[nodiscard]] bool is_small(std::int64_t file, std::int64_t computed) noexcept;

}  // namespace whence::queries
