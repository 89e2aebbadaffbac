// The text of an attachment is compared with what the record claims of it, read as a document, and stored in the record
// or, above the inline limit, as a blob. An attachment that only names its blob has no document yet: the writer finds
// its text (engine/validation/attachments.hpp).
#include "engine/intake/xml_texts.hpp"

#include "schema/base/digest.hpp"
#include "schema/base/limits.hpp"
#include "schema/base/report.hpp"
#include "schema/records/attachment.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace whence::engine {
namespace {

using schema::Path;
using schema::Report;
using schema::XmlMessageAttachment;

/// Compares `size` and `xmlBlob` of the record with its text.
void check_claims(XmlMessageAttachment const& attachment, std::string const& text, Report& report) {
  Path const root;
  auto const size = static_cast<std::int64_t>(text.size());
  if (attachment.size && *attachment.size != size) {
    report.add(Path{root, "size"}, "size", schema::shown(*attachment.size),
               "the text has " + std::to_string(size) + " bytes");
  }
  auto const claimed = attachment.xml_blob ? schema::blob_digest(*attachment.xml_blob) : std::nullopt;
  if (claimed && *claimed != schema::sha256(text)) {
    report.add(Path{root, "xmlBlob"}, "blob", schema::shown(*attachment.xml_blob), "is not the digest of the text");
  }
}

/// Reads the document; what the XML contract refuses becomes a violation of the record.
void read_document(schema::XmlFormat format, TakenXml& taken, std::vector<Violation>& violations) {
  auto document = schema::xml::read(taken.text, format);
  if (document) {
    taken.document = std::move(*document);
  } else {
    auto error = document.error();
    std::ranges::move(error.violations, std::back_inserter(violations));
  }
}

/// Sets the members that are stored: the text itself or the name of its blob, and the size.
void place_text(XmlMessageAttachment& attachment, TakenXml& taken) {
  attachment.size = static_cast<std::int64_t>(taken.text.size());
  attachment.xml.reset();
  if (taken.text.size() > schema::limits::inline_xml_bytes_max) {
    attachment.xml_content.reset();
    attachment.xml_blob = schema::blob_name(schema::sha256(taken.text));
  } else {
    attachment.xml_blob.reset();
    attachment.xml_content = taken.text;
  }
}

TakenXml take_text(std::uint32_t index, XmlMessageAttachment& attachment, std::vector<Violation>& violations) {
  TakenXml taken{.index = index};
  auto& text = attachment.xml ? attachment.xml : attachment.xml_content;
  if (!text) return taken;
  Path const root;
  Report report{violations};
  // Both members, or a value that was no text: reported already, and there is nothing to read.
  bool const is_unusable = (attachment.xml && attachment.xml_content) || report.has(Path{root, "xml"}) ||
                           report.has(Path{root, "xmlContent"});
  auto given = std::move(*text);
  text.reset();
  if (is_unusable) {
    taken.text = std::move(given);
  } else {
    set_text(taken, std::move(given), attachment, violations);
  }
  return taken;
}

XmlMessageAttachment* attachment_of(schema::IncomingRecord& given) {
  return given.is_usable ? std::get_if<XmlMessageAttachment>(&given.record) : nullptr;
}

}  // namespace

void set_text(TakenXml& taken, std::string text, XmlMessageAttachment& attachment, std::vector<Violation>& violations) {
  taken.text = std::move(text);
  Report report{violations};
  check_claims(attachment, taken.text, report);
  if (!report.has(Path{Path{}, "format"})) read_document(attachment.format, taken, violations);
  place_text(attachment, taken);
}

std::vector<TakenXml> take_xml(WriteBatch& batch) {
  std::vector<TakenXml> taken;
  for (std::uint32_t i = 0; i < batch.records.size(); ++i) {
    auto* attachment = attachment_of(batch.records[i]);
    if (attachment != nullptr) taken.push_back(take_text(i, *attachment, batch.records[i].violations));
  }
  return taken;
}

}  // namespace whence::engine
