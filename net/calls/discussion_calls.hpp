#pragma once
// discussion.write and discussion.reconcile: a discussion and its two files. On a worker, since files are slow.

#include "engine/values/write_answer.hpp"
#include "net/rpc/method.hpp"
#include "schema/base/error.hpp"

#include <string>

#include <boost/json/object.hpp>

namespace whence::net {

// Both fail with `precondition` "files" where the server has no folder for files, with `not_found` for an unknown
// discussion, and as `store::PairedFiles` does.

/// Writes both files, or neither: `tx` that they show, `json`, `md` relative to the folder.
[[nodiscard]] Result<std::string> write_discussion(ServiceState& service, boost::json::object const& params,
                                                   Progress const& progress);

/// `tx`, `differences`, `repaired`. A file that cannot be read is reported; nothing is repaired from it, and it is not
/// overwritten.
[[nodiscard]] Result<std::string> reconcile_discussion(ServiceState& service, boost::json::object const& params,
                                                       Progress const& progress);

/// Looks at files that somebody may have written: says so in the log where they were edited, and makes a known
/// discussion what its file says where the config wants that. On a thread of its own.
void look_at_files(ServiceState& service, engine::DiscussionIds const& ids);

/// Whether the params of a reconciliation ask for a repair, which is a write.
[[nodiscard]] bool asks_for_repair(boost::json::object const& params);

}  // namespace whence::net
