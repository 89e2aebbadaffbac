// The table of indexed fields: who made a response and for whom, what it took, where a passage is from, what a record
// belongs to.
#include "schema/records/indexed_fields.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <variant>

namespace whence::schema {
namespace {

using Text = std::optional<std::string_view>;

template <class T, std::string T::*member>
Text text_of_member(Record const& record, std::string& /*room*/) {
  return std::get<T>(record).*member;
}

Text view_of(std::optional<std::string> const& text) {
  return text ? Text{*text} : std::nullopt;
}

Text topic_of_discussion(Record const& record, std::string& /*room*/) {
  return view_of(std::get<Discussion>(record).topic);
}

template <std::optional<std::string> Response::*member>
Text text_of_response(Record const& record, std::string& /*room*/) {
  return view_of(std::get<Response>(record).*member);
}

template <class T>
Text flags_of(Record const& record, std::string& room) {
  auto const& flags = std::get<T>(record).flags;
  if (!flags) return std::nullopt;
  room.clear();
  for (auto const& flag : *flags) room.append(flag).push_back('\n');
  return room;
}

Text document_of_chunk(Record const& record, std::string& /*room*/) {
  return std::get<RetrievedChunk>(record).metadata.document_name;
}

template <class T, class Member, std::optional<Member> T::*member>
std::optional<double> number_of_member(Record const& record) {
  auto const& number = std::get<T>(record).*member;
  return number ? std::optional{static_cast<double>(*number)} : std::nullopt;
}

constexpr auto indexed = std::to_array<IndexedField>({
    {RecordType::context_unit, "source", text_of_member<ContextUnit, &ContextUnit::source>},
    {RecordType::response, "agent", text_of_member<Response, &Response::agent>},
    {RecordType::response, "model", text_of_member<Response, &Response::model>},
    {RecordType::response, "conversation", text_of_response<&Response::conversation>},
    {RecordType::response, "person", text_of_response<&Response::person>},
    {.type = RecordType::response, .name = "flags", .text = flags_of<Response>, .is_list = true},
    {.type = RecordType::response, .name = "tokens", .number = tokens_of_response},
    {.type = RecordType::response,
     .name = "latency_ms",
     .number = number_of_member<Response, double, &Response::latency_ms>,
     .member = IndexedField::Member::real},
    {.type = RecordType::response,
     .name = "cost",
     .number = number_of_member<Response, double, &Response::cost>,
     .member = IndexedField::Member::real},
    {.type = RecordType::answer, .name = "flags", .text = flags_of<Answer>, .is_list = true},
    {.type = RecordType::answer,
     .name = "processing_time_ms",
     .number = number_of_member<Answer, std::int64_t, &Answer::processing_time_ms>,
     .member = IndexedField::Member::integer},
    {RecordType::message, "topicId", text_of_member<Message, &Message::topic_id>},
    {RecordType::xml_message_attachment, "topicId",
     text_of_member<XmlMessageAttachment, &XmlMessageAttachment::topic_id>},
    {RecordType::subject, "topic", text_of_member<Subject, &Subject::topic>},
    {RecordType::summary, "topic", text_of_member<Summary, &Summary::topic>},
    {RecordType::discussion, "topic", topic_of_discussion},
    {RecordType::retrieved_chunk, "document", document_of_chunk},
});

}  // namespace

std::optional<double> tokens_of_response(Record const& record) {
  auto const& response = std::get<Response>(record);
  if (response.usage && (response.usage->input_tokens || response.usage->output_tokens)) {
    return static_cast<double>(response.usage->input_tokens.value_or(0)) +
           static_cast<double>(response.usage->output_tokens.value_or(0));
  }
  if (!response.token_count) return std::nullopt;
  return static_cast<double>(*response.token_count);
}

std::span<IndexedField const> indexed_fields() noexcept {
  return indexed;
}

IndexedField const* find_indexed_field(RecordType type, std::string_view name) noexcept {
  auto const found =
      std::ranges::find_if(indexed, [&](IndexedField const& each) { return each.type == type && each.name == name; });
  return found == indexed.end() ? nullptr : &*found;
}

}  // namespace whence::schema
