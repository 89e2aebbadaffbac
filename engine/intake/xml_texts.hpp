#pragma once
// The XML texts of a batch: checked against the contract, and moved out of the records that bring them.

#include "engine/values/batch.hpp"
#include "schema/base/error.hpp"
#include "schema/records/records.hpp"
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
  std::optional<schema::xml::Document> document = {};  ///< nothing where the text is missing or invalid
};

/// Takes the texts out of the attachments of `batch`, checks each against the contract and against the record's own
/// `size` and `xmlBlob`, and sets the members that are stored: `xmlContent` or `xmlBlob`, and `size`. Violations are
/// added to those of the record. An attachment that names a blob and has no text gets no document yet. Any thread.
[[nodiscard]] std::vector<TakenXml> take_xml(WriteBatch& batch);

/// Makes `text` the text of `taken`, with the same checks and effects as `take_xml`.
void set_text(TakenXml& taken, std::string text, schema::XmlMessageAttachment& attachment,
              std::vector<Violation>& violations);

}  // namespace whence::engine
