#pragma once
// The attachments of a batch: texts of blobs that are stored already, identity, and warnings about documents.

#include "engine/intake/xml_texts.hpp"
#include "engine/plan/findings.hpp"
#include "engine/state/contents.hpp"
#include "engine/values/batch.hpp"
#include "schema/base/time.hpp"

#include <vector>

namespace whence::engine {

/// Fetches the texts of attachments that only name their blob, fills in version and creation time, and sets every sound
/// attachment's hash. One without a creation time is identified with the attachment that its message has, where all
/// else is equal. Fails where the store does.
[[nodiscard]] Result<void> identify_attachments(WriteBatch& batch, std::vector<TakenXml>& taken,
                                                graph::Snapshot const& known, Contents& contents, schema::EpochMs now);

/// Adds the warnings of the documents themselves, and one for each query whose topic is not the attachment's.
void warn_of_documents(WriteBatch const& batch, std::vector<TakenXml> const& taken, Findings& findings);

}  // namespace whence::engine
