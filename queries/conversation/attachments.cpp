// attachment.get and attachment.list. Records have format, time and size: texts are read for one attachment or for what
// the texts are made of. A purged one is unknown by its hash, which is made of the text: a guess of it learns nothing.

#include "queries/conversation/attachments.hpp"

#include "graph/snapshot/unknown.hpp"
#include "queries/view/gone.hpp"
#include "queries/view/resolve.hpp"
#include "queries/view/whole.hpp"
#include "schema/base/poll.hpp"
#include "schema/base/report.hpp"
#include "schema/xml/markup.hpp"

#include <algorithm>
#include <span>
#include <string>
#include <utility>
#include <variant>

namespace whence::queries {
namespace {

using schema::RecordType;
using schema::XmlMessageAttachment;

constexpr std::size_t slice_records = 1000;
/// Bytes of a text that take as long as one step of a walk, about.
constexpr std::size_t bytes_per_step = 64;

/// An attachment that matches: where it is, when it was created, how long its text is.
struct Listed {
  VertexId vertex;
  schema::EpochMs created_at;
  std::int64_t size;
};

Result<VertexId> resolve_hash(Snapshot const& snapshot, std::string const& hash) {
  auto const ref = schema::parse_ref(hash);
  bool const is_ref = ref && ref->type == RecordType::xml_message_attachment;
  return resolve(snapshot, {RecordType::xml_message_attachment, is_ref ? ref->id : hash}, "/hash");
}

/// The text, from the record or from its blob.
Result<std::string> text_of(View const& view, XmlMessageAttachment const& attachment) {
  if (attachment.xml_content) return *attachment.xml_content;
  auto const digest = schema::blob_digest(attachment.xml_blob.value_or(""));
  if (!digest) return Error{.code = Errc::corrupt, .message = "an attachment names no text"};
  auto blob = view.records->read_blob(*digest);
  if (!blob) return blob.error();
  if (!*blob) return Error{.code = Errc::purged, .message = "the text of this attachment is gone"};
  return std::move(**blob);
}

void append_parts(Snapshot const& snapshot, VertexId whole, RecordType type, std::vector<VertexId>& parts) {
  auto const relations = snapshot.relations_to(whole);
  for (std::size_t i = 0; i < relations.size(); ++i) {
    bool const is_part = snapshot.type(relations.edges[i]) == graph::EdgeType::part_of;
    if (is_part && snapshot.type(relations.vertices[i]) == type) parts.push_back(relations.vertices[i]);
  }
}

/// The attachments of a topic's messages. A deleted topic's messages are found around where it was.
void append_of_topic(Snapshot const& snapshot, VertexId topic, std::vector<VertexId>& attachments) {
  auto const relations = snapshot.relations_to_ever(topic);
  for (auto const message : relations.vertices) {
    bool const is_message = snapshot.type(message) == RecordType::message;
    if (!is_message || snapshot.is_deleted(message)) continue;
    append_parts(snapshot, message, RecordType::xml_message_attachment, attachments);
  }
}

/// The topics, visible and deleted, that have or had the id.
Result<std::vector<VertexId>> topics_called(Snapshot const& snapshot, std::string const& id) {
  std::vector<VertexId> topics;
  for (auto const deleted : snapshot.deleted_vertices(RecordType::topic)) {
    if (snapshot.id(deleted) == id) topics.push_back(deleted);
  }
  if (auto const visible = snapshot.find(RecordType::topic, id)) topics.push_back(*visible);
  if (topics.empty()) return resolve(snapshot, {RecordType::topic, id}, "/topicId").error();
  return topics;
}

Result<std::vector<VertexId>> of_topic(Snapshot const& snapshot, AttachmentListParams const& params) {
  std::vector<VertexId> attachments;
  auto const topics = topics_called(snapshot, *params.topic_id);
  if (!topics) return topics.error();
  for (auto const topic : *topics) {
    if (!params.orphans || snapshot.is_deleted(topic)) append_of_topic(snapshot, topic, attachments);
  }
  return attachments;
}

bool is_orphan(Snapshot const& snapshot, VertexId attachment) {
  auto const messages = snapshot.relations_from(attachment);
  return std::ranges::any_of(messages.vertices, [&](VertexId message) {
    auto const topics = snapshot.relations_from_ever(message);
    return std::ranges::any_of(topics.vertices, [&](VertexId topic) { return snapshot.is_deleted(topic); });
  });
}

/// The attachments that the filters on the graph leave: message, topic, orphans; all where none of these is given.
Result<std::vector<VertexId>> candidates(Snapshot const& snapshot, AttachmentListParams const& params) {
  std::vector<VertexId> found;
  if (params.message_id) {
    auto const message = resolve(snapshot, {RecordType::message, *params.message_id}, "/messageId");
    if (!message) return message.error();
    append_parts(snapshot, *message, RecordType::xml_message_attachment, found);
    if (params.topic_id) {
      auto const allowed = of_topic(snapshot, params);
      if (!allowed) return allowed.error();
      std::erase_if(found, [&](VertexId v) { return std::ranges::find(*allowed, v) == allowed->end(); });
    }
  } else if (params.topic_id) {
    auto in_topic = of_topic(snapshot, params);
    if (!in_topic) return in_topic.error();
    found = std::move(*in_topic);
  } else if (params.orphans) {
    for (auto const topic : snapshot.deleted_vertices(RecordType::topic)) append_of_topic(snapshot, topic, found);
  } else {
    found = snapshot.vertices(RecordType::xml_message_attachment);
  }
  if (params.orphans && params.message_id) std::erase_if(found, [&](VertexId v) { return !is_orphan(snapshot, v); });
  return found;
}

/// Adds the text of an attachment.
void add_size(AttachmentSizes& sizes, XmlMessageAttachment const& attachment, std::string_view xml) {
  auto& format = sizes.by_format.at(static_cast<std::size_t>(attachment.format));
  ++format.count;
  format.bytes += static_cast<std::int64_t>(xml.size());
  auto const content = schema::xml::measure(xml, attachment.format).content_bytes;
  sizes.markup_bytes += static_cast<std::int64_t>(xml.size() - content);
}

/// Blobs are read apart from records: a thread has one read of the store at a time.
Result<AttachmentSizes> sizes_of(View const& view, std::span<VertexId const> attachments,
                                 schema::Interrupt const& interrupt) {
  AttachmentSizes sizes;
  for (std::size_t begin = 0; begin < attachments.size(); begin += slice_records) {
    auto const slice = attachments.subspan(begin, std::min(slice_records, attachments.size() - begin));
    std::vector<XmlMessageAttachment> records;
    auto const read = read_those_there(view, slice, [&](std::size_t, schema::Record&& record) {
      records.push_back(std::get<XmlMessageAttachment>(std::move(record)));
      return true;
    });
    if (!read) return read.error();
    schema::Poll poll(interrupt);
    for (XmlMessageAttachment const& record : records) {
      auto const xml = text_of(view, record);
      if (!xml && xml.error().code == Errc::purged) continue;
      if (!xml) return xml.error();
      add_size(sizes, record, *xml);
      if (poll.must_stop(1 + xml->size() / bytes_per_step)) return poll.error();
    }
  }
  return sizes;
}

Result<std::vector<Listed>> matches(View const& view, AttachmentListParams const& params, Budget const& budget,
                                    std::vector<GoneNode>& gone) {
  auto found = candidates(view.snapshot, params);
  if (!found) return found.error();
  if (!params.format) gone = gone_among(view.snapshot, *found, gone_max);
  leave_out_gone(view.snapshot, *found);
  schema::Poll poll(budget.interrupt);
  std::vector<Listed> matched;
  for (std::size_t begin = 0; begin < found->size(); begin += slice_records) {
    if (poll.must_stop(slice_records)) return poll.error();
    auto const slice = std::span(*found).subspan(begin, std::min(slice_records, found->size() - begin));
    auto const read = read_those_there(view, slice, [&](std::size_t i, schema::Record&& record) {
      auto const& attachment = std::get<XmlMessageAttachment>(record);
      if (!params.format || attachment.format == *params.format) {
        matched.push_back({slice[i], attachment.created_at.value_or(schema::EpochMs{}), attachment.size.value_or(0)});
      }
      return true;
    });
    if (!read) return read.error();
  }
  std::ranges::sort(matched, [](Listed const& a, Listed const& b) {
    return a.created_at != b.created_at ? a.created_at < b.created_at : a.vertex < b.vertex;
  });
  return matched;
}

}  // namespace

Result<Attachment> attachment_get(View const& view, AttachmentGetParams const& params, Budget const& /*budget*/) {
  auto const vertex = resolve_hash(view.snapshot, params.hash);
  if (!vertex) return vertex.error();
  auto read = read_required(view, *vertex, "/hash");
  if (!read && read.error().code == Errc::purged) {  // a hash is made of the text: a guess of it learns nothing
    return error_from(graph::unknown_ref(
        view.snapshot, {RecordType::xml_message_attachment, std::string(view.snapshot.id(*vertex))}, "/hash"));
  }
  if (!read) return read.error();
  auto& record = std::get<XmlMessageAttachment>(*read);
  auto text = text_of(view, record);
  if (!text) return text.error();
  return Attachment{std::move(record), std::move(*text)};
}

Result<AttachmentList> attachment_list(View const& view, AttachmentListParams const& params, Budget const& budget) {
  AttachmentList list;
  auto const matched = matches(view, params, budget, list.gone);
  if (!matched) return matched.error();
  list.attachments.reserve(matched->size());
  for (Listed const& match : *matched) {
    list.attachments.push_back(match.vertex);
    list.total_size += match.size;
  }
  if (!params.count_only) return list;
  auto sizes = sizes_of(view, list.attachments, budget.interrupt);
  if (!sizes) return sizes.error();
  list.sizes = *sizes;
  return list;
}

}  // namespace whence::queries
