#pragma once
// The files of a discussion between their texts and its records: what is written, and what is found.

#include "engine/engine.hpp"
#include "queries/discussion/difference.hpp"
#include "queries/view/view.hpp"
#include "schema/base/error.hpp"
#include "schema/base/time.hpp"
#include "schema/checks/check_context.hpp"
#include "schema/records/discussion/discussion.hpp"

#include <string>
#include <vector>

namespace whence::net {

/// Both texts of a discussion that has complete rounds only.
[[nodiscard]] store::PairTexts texts_of(schema::DiscussionState const& state, schema::TokenRules const& rules);

/// The texts on disk as values. Unknown members are kept where `stored`, the same discussion, has them as attributes,
/// or where it is null: nothing is stored. Elsewhere they are probably mistakes, and the file is refused. Rounds whose
/// content is gone may be missing.
[[nodiscard]] queries::FoundDiscussion parse_found(queries::View const& view, store::FoundPair&& texts,
                                                   store::PairName const& name, schema::CheckContext const& context,
                                                   schema::DiscussionState const* stored);

/// What following the store means for the files on disk.
enum class FollowStep : std::uint8_t {
  write,    ///< they are missing, behind or as they were: they are written from the store
  nothing,  ///< there is nothing to write: no complete round, no summary, no file; or no such discussion
  keep,     ///< somebody edited the JSON file, or removed something in it: it is kept until it is reconciled
  reduce,   ///< somebody edited it, and a part of it is gone: both files are written from it, without that part
};

struct Following {
  FollowStep step = FollowStep::nothing;
  schema::DiscussionState state = {};  ///< to be written; complete rounds only
  std::string reason = {};             ///< what was edited, where the file is kept
};

/// Decides for the discussion `name` as `view` has it. Fails with `corrupt`.
[[nodiscard]] Result<Following> following_of(queries::View const& view, store::PairName const& name,
                                             store::FoundPair texts, schema::CheckContext const& context);

/// What is looked at when the context of a discussion is loaded, besides what somebody edited in its file.
struct FileCheck {
  bool validates = false;  ///< also whether there is a file, and whether its token count is right
  bool repairs = false;    ///< a count that is less than 5 % off is written anew, without a warning
};

/// Compares a discussion as stored with its JSON file: warnings, rule "edited" where its rounds, summaries or members
/// say something that the store never said, or lack something and were not written so; "unreadable" where it is no file
/// of a discussion; and where that is asked for "token_count", or "missing_file" or "unreadable" where there is none to
/// compare with. Nothing where no round is complete.
[[nodiscard]] std::vector<Violation> check_file(engine::Engine& engine, schema::Clock const& clock,
                                                schema::DiscussionState const& state, FileCheck const& check);

}  // namespace whence::net
