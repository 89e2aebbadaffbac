#pragma once
// XML on its way into a batch: what the contract says of it, where its text will live, which attachment it is.

#include "engine/batch.hpp"
#include "engine/intake/xml_texts.hpp"
#include "engine/plan/findings.hpp"
#include "engine/state/contents.hpp"
#include "schema/base/time.hpp"

#include <vector>

namespace whence::engine {

/// Fetches the texts of attachments that only name their blob, fills in version and creation time, and sets every sound
/// attachment's hash. One written without a creation time is taken for the one its message has, where all else is
/// equal. Fails where the store does.
[[nodiscard]] Result<void> identify_attachments(WriteBatch& batch, std::vector<TakenXml>& taken,
                                                graph::Snapshot const& known, Contents& contents, schema::EpochMs now);

/// Warns of what the contract and the record's place make questionable: the document's own warnings, and a query whose
/// topic is another than the attachment's.
void warn_of_documents(WriteBatch const& batch, std::vector<TakenXml> const& taken, Findings& findings);

}  // namespace whence::engine
