#pragma once
// Hash-valued references of records from an export of ONE: put in terms of the ids that the records have here.

#include "engine/plan/findings.hpp"
#include "engine/validation/context.hpp"
#include "engine/values/batch.hpp"
#include "schema/base/error.hpp"

namespace whence::engine {

/// Replaces each `sourceXmlHash` that is the id hash of an attachment by the attachment's own hash, unless an
/// attachment has it as its hash, and each id hash among the `subjects` of a keyword by the ref of its subject; records
/// of the batch come before those known. Nothing else looks at these references before. Reports "unknown_reference" for
/// a subject's id hash that none has. The attachments of the batch have been identified. Fails where the store does.
[[nodiscard]] Result<void> resolve_id_hashes(WriteBatch& batch, ValidationContext const& context, Findings& findings);

}  // namespace whence::engine
