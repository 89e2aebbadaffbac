#pragma once
// What a discussion and its parts said before, to know a file that is behind from one that was edited.

#include "queries/discussion/difference.hpp"
#include "queries/view/view.hpp"
#include "schema/base/error.hpp"
#include "schema/records/discussion/discussion.hpp"

namespace whence::queries {

/// Contents kept of each record, the last ones.
inline constexpr std::size_t earlier_contents_max = 100;

/// The earlier contents, also of deleted records, of the discussion of `file` and of those of its rounds and summaries
/// that differ from the store's. Fails with `corrupt`. O(rounds of the file, plus what is read).
[[nodiscard]] Result<EarlierContents> load_earlier(View const& view, schema::DiscussionState const& file,
                                                   schema::DiscussionState const& store);

}  // namespace whence::queries
