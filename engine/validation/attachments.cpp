// The id of an attachment is the hash of its members, so what the server fills in is settled before. A repeat without a
// time takes that of the attachment that its message has already, and so gets the same hash.

#include "engine/validation/attachments.hpp"

#include "schema/base/limits.hpp"
#include "schema/base/report.hpp"
#include "schema/records/attachment.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace whence::engine {
namespace {

using schema::Path;
using schema::RecordType;
using schema::Report;
using schema::XmlMessageAttachment;

/// The text of a blob: of another attachment of the batch, or stored.
Result<std::optional<std::string>> find_blob(std::string const& name, WriteBatch const& batch,
                                             std::vector<TakenXml> const& taken, Contents const& contents) {
  for (auto const& each : taken) {
    auto const& other = std::get<XmlMessageAttachment>(batch.records[each.index].record);
    if (!each.text.empty() && other.xml_blob == name) return std::optional{each.text};
  }
  return contents.blob(schema::blob_digest(name).value());
}

/// An attachment that only names its blob: its text is found elsewhere.
Result<void> fetch_text(WriteBatch& batch, TakenXml& taken, std::vector<TakenXml> const& all,
                        Contents const& contents) {
  auto& given = batch.records[taken.index];
  auto& attachment = std::get<XmlMessageAttachment>(given.record);
  auto blob = find_blob(*attachment.xml_blob, batch, all, contents);
  if (!blob) return blob.error();
  Report report{given.violations};
  if (!*blob) {
    report.add(Path{Path{}, "xmlBlob"}, "unknown_blob", schema::shown(*attachment.xml_blob), "no such blob is stored");
    return {};
  }
  set_text(taken, std::move(**blob), attachment, given.violations);
  return {};
}

/// The visible attachment of a message, if it has one.
std::optional<schema::VertexId> attachment_of_message(graph::Snapshot const& known, std::string_view message_id) {
  auto const message = known.find(RecordType::message, message_id);
  if (!message) return std::nullopt;
  for (auto const vertex : known.relations_to(*message).vertices) {
    if (known.type(vertex) == RecordType::xml_message_attachment) return vertex;
  }
  return std::nullopt;
}

/// When the same attachment was created, where the message has it already.
Result<std::optional<schema::EpochMs>> known_creation(XmlMessageAttachment const& attachment,
                                                      graph::Snapshot const& known, Contents& contents) {
  using Found = std::optional<schema::EpochMs>;
  auto const vertex = attachment_of_message(known, attachment.message_id);
  if (!vertex) return Found{};
  auto const record = contents.fetch_one(*vertex);
  if (!record) return record.error();
  if (*record == nullptr) return Found{};
  auto const& existing = std::get<XmlMessageAttachment>(**record);
  auto same = attachment;
  same.hash = existing.hash;
  same.created_at = existing.created_at;
  return same == existing ? existing.created_at : Found{};
}

}  // namespace

Result<void> identify_attachments(WriteBatch& batch, std::vector<TakenXml>& taken, graph::Snapshot const& known,
                                  Contents& contents, schema::EpochMs now) {
  for (auto& each : taken) {
    auto& given = batch.records[each.index];
    auto& attachment = std::get<XmlMessageAttachment>(given.record);
    if (!each.document && given.violations.empty()) {
      if (auto fetched = fetch_text(batch, each, taken, contents); !fetched) return fetched;
    }
    if (!given.violations.empty()) continue;
    attachment.version = attachment.version.value_or(schema::limits::xml_schema_version);
    if (!attachment.created_at) {
      auto const creation = known_creation(attachment, known, contents);
      if (!creation) return creation.error();
      attachment.created_at = creation->value_or(now);
    }
    attachment.hash = schema::to_hex(schema::json::hash_of(attachment));
  }
  return {};
}

void warn_of_documents(WriteBatch const& batch, std::vector<TakenXml> const& taken, Findings& findings) {
  for (auto const& each : taken) {
    if (!each.document) continue;
    for (auto const& warning : each.document->warnings) findings.warn(each.index, warning);
    auto const* query = std::get_if<schema::QueryParts>(&each.document->parts);
    auto const& attachment = std::get<XmlMessageAttachment>(batch.records[each.index].record);
    if (query == nullptr || query->context.topic_id == attachment.topic_id) continue;
    findings.warn(each.index, {Errc::invalid_record, "topic_mismatch", "/llmQuery/context/@topicId",
                               schema::shown(query->context.topic_id), "the attachment belongs to another topic"});
  }
}

}  // namespace whence::engine
