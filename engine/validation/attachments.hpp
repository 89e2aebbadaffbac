#pragma once
// XML on its way into a batch: what the contract says of it, where its text will live, which attachment it is.

#include "engine/engine.hpp"
#include "engine/state/contents.hpp"
#include "engine/plan/findings.hpp"
#include "schema/base/digest.hpp"
#include "schema/base/time.hpp"
#include "schema/xml/contract.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace whence::engine {

/// The text of one attachment of a batch.
struct TakenXml {
  std::uint32_t index = 0;  ///< of its record in the batch
  std::string text = {};
  std::optional<schema::xml::Document> document = {};  ///< nothing where the text is not at hand, or no good
};

/// Takes the texts out of the attachments of `batch`, holds each against the contract and the record's own `size` and
/// `xmlBlob`, and puts what is stored of it in their place: `xmlContent`, or `xmlBlob`, and `size`. What is wrong is
/// added to the record's violations. Attachments that name a blob without a text have no document yet. Any thread.
[[nodiscard]] std::vector<TakenXml> take_xml(WriteBatch& batch);

/// Fetches the texts of attachments that only name their blob, fills in version and creation time, and sets every sound
/// attachment's hash. One written without a creation time is taken for the one its message has, where all else is
/// equal. Fails where the store does.
[[nodiscard]] Result<void> identify_attachments(WriteBatch& batch, std::vector<TakenXml>& taken,
                                                graph::Snapshot const& known, Contents& contents, schema::EpochMs now);

/// Warns of what the contract and the record's place make questionable: the document's own warnings, and a query whose
/// topic is another than the attachment's.
void warn_of_documents(WriteBatch const& batch, std::vector<TakenXml> const& taken, Findings& findings);

}  // namespace whence::engine
