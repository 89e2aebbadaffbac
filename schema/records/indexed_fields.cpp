// The table of indexed fields: who made a response and for whom, where a passage is from, what a record belongs to.
#include "schema/records/indexed_fields.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <variant>

namespace whence::schema {
namespace {

template <class T, std::string T::*member>
std::string const* text_of_member(Record const& record) {
  return &(std::get<T>(record).*member);
}

std::string const* topic_of_discussion(Record const& record) {
  auto const& topic = std::get<Discussion>(record).topic;
  return topic ? &*topic : nullptr;
}

template <std::optional<std::string> Response::*member>
std::string const* text_of_response(Record const& record) {
  auto const& text = std::get<Response>(record).*member;
  return text ? &*text : nullptr;
}

std::string const* document_of_chunk(Record const& record) {
  return &std::get<RetrievedChunk>(record).metadata.document_name;
}

constexpr auto indexed = std::to_array<IndexedField>({
    {RecordType::context_unit, "source", text_of_member<ContextUnit, &ContextUnit::source>},
    {RecordType::response, "agent", text_of_member<Response, &Response::agent>},
    {RecordType::response, "model", text_of_member<Response, &Response::model>},
    {RecordType::response, "conversation", text_of_response<&Response::conversation>},
    {RecordType::response, "person", text_of_response<&Response::person>},
    {RecordType::message, "topicId", text_of_member<Message, &Message::topic_id>},
    {RecordType::xml_message_attachment, "topicId",
     text_of_member<XmlMessageAttachment, &XmlMessageAttachment::topic_id>},
    {RecordType::subject, "topic", text_of_member<Subject, &Subject::topic>},
    {RecordType::summary, "topic", text_of_member<Summary, &Summary::topic>},
    {RecordType::discussion, "topic", topic_of_discussion},
    {RecordType::retrieved_chunk, "document", document_of_chunk},
});

}  // namespace

std::span<IndexedField const> indexed_fields() noexcept {
  return indexed;
}

IndexedField const* find_indexed_field(RecordType type, std::string_view name) noexcept {
  auto const found =
      std::ranges::find_if(indexed, [&](IndexedField const& each) { return each.type == type && each.name == name; });
  return found == indexed.end() ? nullptr : &*found;
}

}  // namespace whence::schema
