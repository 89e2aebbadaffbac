#pragma once
// Records that change under their id: known keywords, subjects and discussions that a client writes with other content.

#include "engine/plan/candidates.hpp"
#include "engine/plan/findings.hpp"
#include "engine/plan/identity.hpp"
#include "engine/plan/plan.hpp"
#include "engine/state/document_index.hpp"
#include "graph/snapshot/snapshot.hpp"
#include "schema/base/error.hpp"

namespace whence::engine {

/// Reports references of what is said of known things of PROV that name nothing ("unknown_reference").
void check_described(Candidates const& candidates, Descriptions const& described, Findings& findings);

/// Adds to `plan` the new whole content of each of `differing.revised`: records known under their id whose content the
/// client changes; a keyword or subject only where the content is not that of the client's last write, since loading a
/// file again must not undo later extraction. With `are_documents_joined` (`join_documents`) known documents gain edges
/// to entities that now say more of what they are. A relation of PROV that would close a cycle of influence loses that,
/// with the warning `prov_cycle`. Fails where the store does.
[[nodiscard]] Result<void> plan_revised(Candidates const& candidates, Differing const& differing,
                                        bool are_documents_joined, DocumentIndex& documents,
                                        Index::Source const& source, Plan& plan, Findings& findings);

}  // namespace whence::engine
