#pragma once
// One discussion as of a moment, put together from its records: the start of the methods about discussions, of their
// files and of the comparison with these.

#include "queries/view/gone.hpp"
#include "queries/view/view.hpp"
#include "schema/base/error.hpp"
#include "schema/records/discussion/discussion.hpp"

#include <cstdint>
#include <string_view>
#include <vector>

namespace whence::queries {

/// The discussion with its visible rounds and summaries that are there, in one read; the ids alone where it is gone
/// itself. Fails with `not_found` at "/discussionId" where the view has none of these ids, and with `corrupt` where a
/// record cannot be read. O(rounds that ever were).
[[nodiscard]] Result<schema::DiscussionState> load_discussion(View const& view, std::string_view user_id,
                                                              std::string_view discussion_id);

/// The visible parts of a discussion, itself first, of which nothing is left. O(rounds).
[[nodiscard]] std::vector<GoneNode> gone_parts(View const& view, std::string_view user_id,
                                               std::string_view discussion_id);

/// The part that is written to files and compared with them: the discussion without its open round.
[[nodiscard]] schema::DiscussionState without_open_round(schema::DiscussionState state);

/// The rounds that a discussion of this name had and that its file lacks: those that have no content any more, deleted
/// ones too, and those that summaries reach to where they are not there; ascending. O(rounds).
[[nodiscard]] std::vector<std::int64_t> missing_rounds(View const& view, std::string_view user_id,
                                                       std::string_view discussion_id);

/// Leaves out of what a file says the parts whose content the store had and has no more, deleted ones too: no user
/// wrote them into the file by hand. Of a discussion that is gone the ids stay, or what `stored` has. Whether anything
/// was left out. O(parts).
[[nodiscard]] bool leave_out_gone(View const& view, schema::Discussion const* stored, schema::DiscussionState& file);

}  // namespace whence::queries
