#pragma once
// The field tables of the conversation records.

#include "schema/base/fields.hpp"
#include "schema/base/limits.hpp"
#include "schema/records/conversation/records.hpp"

#include <limits>
#include <tuple>

namespace whence::schema {

inline constexpr Rule epoch_ms_rule = rules::number(0, limits::integer_max);
inline constexpr Rule count_rule = rules::number(0, limits::integer_max);
inline constexpr Rule version_number_rule = rules::number(1, limits::int32_max);
inline constexpr Rule xml_version_rule = rules::number(limits::xml_schema_version, limits::xml_schema_version);

template <>
struct Describe<Topic> {
  using T = Topic;
  static constexpr auto fields = std::tuple{
      field("id", &T::id, Presence::made, rules::id(), "Identity."),
      field("name", &T::name, Presence::optional, rules::any(), "For people."),
      field("createdAt", &T::created_at, Presence::optional, epoch_ms_rule, "Milliseconds since the epoch."),
      field("$idHash$", &T::id_hash, Presence::optional, rules::any(), "Its id hash in a ONE export: 64 hex digits."),
      field("attributes", &T::attributes, Presence::optional, rules::any(), "Free data of the client."),
  };
};

template <>
struct Describe<Message> {
  using T = Message;
  static constexpr auto fields = std::tuple{
      field("id", &T::id, Presence::made, rules::id(), "Identity."),
      field("topicId", &T::topic_id, Presence::required, rules::id(), "The topic it belongs to; must exist."),
      field("createdAt", &T::created_at, Presence::optional, epoch_ms_rule, "Milliseconds since the epoch."),
      field("role", &T::role, Presence::optional, rules::any(), "Who spoke."),
      field("text", &T::text, Presence::optional, rules::any(), "What was said."),
      field("person", &T::person, Presence::optional, rules::text(1, limits::id_bytes_max),
            "Who said it, or whom it was said to."),
      field("$idHash$", &T::id_hash, Presence::optional, rules::any(), "Its id hash in a ONE export: 64 hex digits."),
      field("attributes", &T::attributes, Presence::optional, rules::any(), "Free data of the client."),
  };
};

template <>
struct Describe<XmlMessageAttachment> {
  using T = XmlMessageAttachment;
  static constexpr auto fields = std::tuple{
      field("topicId", &T::topic_id, Presence::required, rules::id(), "The message's topic."),
      field("messageId", &T::message_id, Presence::required, rules::id(), "The message it is of; must exist."),
      field("xml", &T::xml, Presence::optional, rules::any(), "Input only: its text, whatever the length."),
      field("xmlContent", &T::xml_content, Presence::optional, rules::any(),
            "Its text; in answers only up to 1,024 bytes."),
      field("xmlBlob", &T::xml_blob, Presence::optional, rules::any(),
            "`sha256://` and 64 hex digits: where a longer text is."),
      field("format", &T::format, Presence::required, rules::any(), "llm-query or llm-response."),
      field("version", &T::version, Presence::optional, xml_version_rule, "Of the XML contract: 1."),
      field("createdAt", &T::created_at, Presence::optional, epoch_ms_rule,
            "Milliseconds since the epoch; now where left out."),
      field("size", &T::size, Presence::optional, count_rule, "Bytes of the text."),
      field("responseId", &T::response_id, Presence::optional, rules::id("resp_"),
            "The response it prompted (llm-query) or renders (llm-response)."),
      field("$idHash$", &T::id_hash, Presence::optional, rules::any(), "Its id hash in a ONE export: 64 hex digits."),
      field("attributes", &T::attributes, Presence::optional, rules::any(), "Free data of the client."),
  };
};

template <>
struct Describe<Keyword> {
  using T = Keyword;
  static constexpr auto fields = std::tuple{
      field("term", &T::term, Presence::required, rules::term(), "Identity."),
      field("frequency", &T::frequency, Presence::required, count_rule, "How often it was mentioned."),
      field("subjects", &T::subjects, Presence::required, rules::any(), "Refs of the subjects it belongs to."),
      field("score", &T::score, Presence::optional, rules::number(0, 1), "The highest confidence seen."),
      field("createdAt", &T::created_at, Presence::optional, epoch_ms_rule, "First seen, milliseconds."),
      field("lastSeen", &T::last_seen, Presence::required, epoch_ms_rule, "Last seen, milliseconds."),
      field("sourceXmlHash", &T::source_xml_hash, Presence::optional, rules::any(), "The attachment that created it."),
      field("dangling", &T::dangling, Presence::server, rules::any(), "True where that attachment is gone."),
      field("$idHash$", &T::id_hash, Presence::optional, rules::any(), "Its id hash in a ONE export: 64 hex digits."),
      field("attributes", &T::attributes, Presence::optional, rules::any(), "Free data of the client."),
  };
};

template <>
struct Describe<TimeSpan> {
  using T = TimeSpan;
  static constexpr auto fields = std::tuple{
      field("start", &T::start, Presence::required, epoch_ms_rule, "First response of the run, milliseconds."),
      field("end", &T::end, Presence::required, epoch_ms_rule, "Last response of the run, not before `start`."),
  };
};

template <>
struct Describe<Subject> {
  using T = Subject;
  static constexpr auto fields = std::tuple{
      field("id", &T::id, Presence::required, rules::term(), "Identity within its topic."),
      field("topic", &T::topic, Presence::required, rules::id(), "The topic."),
      field("name", &T::name, Presence::optional, rules::term(), "By which responses mention it."),
      field("description", &T::description, Presence::optional, rules::any(), "As first mentioned."),
      field("keywords", &T::keywords, Presence::required, rules::terms(), "Its terms."),
      field("timeRanges", &T::time_ranges, Presence::required, rules::any(), "When the topic was about it."),
      field("messageCount", &T::message_count, Presence::required, count_rule, "Responses that mention it."),
      field("createdAt", &T::created_at, Presence::optional, epoch_ms_rule, "First seen, milliseconds."),
      field("lastSeenAt", &T::last_seen_at, Presence::required, epoch_ms_rule, "Last seen, milliseconds."),
      field("archived", &T::archived, Presence::required, rules::any(), "Whether it is put aside."),
      field("sourceXmlHash", &T::source_xml_hash, Presence::optional, rules::any(), "The attachment that created it."),
      field("dangling", &T::dangling, Presence::server, rules::any(), "True where that attachment is gone."),
      field("$idHash$", &T::id_hash, Presence::optional, rules::any(), "Its id hash in a ONE export: 64 hex digits."),
      field("attributes", &T::attributes, Presence::optional, rules::any(), "Free data of the client."),
  };
};

template <>
struct Describe<Summary> {
  using T = Summary;
  static constexpr auto fields = std::tuple{
      field("id", &T::id, Presence::required, rules::term(), "Identity: `<topic>-v<version>`."),
      field("topic", &T::topic, Presence::required, rules::id(), "The topic."),
      field("content", &T::content, Presence::required, rules::any(), "The whole text."),
      field("increment", &T::increment, Presence::server, rules::any(), "What this version added."),
      field("subjects", &T::subjects, Presence::required, rules::any(), "Ids of the subjects it speaks of."),
      field("keywords", &T::keywords, Presence::required, rules::any(), "Terms it speaks of."),
      field("version", &T::version, Presence::required, version_number_rule, "1, or the previous version's plus 1."),
      field("previousVersion", &T::previous_version, Presence::optional, rules::term(), "Id of the version before."),
      field("createdAt", &T::created_at, Presence::optional, epoch_ms_rule, "Milliseconds since the epoch."),
      field("updatedAt", &T::updated_at, Presence::optional, epoch_ms_rule, "Milliseconds since the epoch."),
      field("changeReason", &T::change_reason, Presence::optional, rules::any(), "Why there is this version."),
      field("sourceXmlHash", &T::source_xml_hash, Presence::optional, rules::any(),
            "The attachment it was derived from."),
      field("dangling", &T::dangling, Presence::server, rules::any(), "True where that attachment is gone."),
      field("expired", &T::expired_versions, Presence::server, rules::any(),
            "Ids of the versions whose part of the content has expired."),
      field("purged", &T::purged_versions, Presence::server, rules::any(),
            "Ids of the versions whose part of the content was purged."),
      field("$idHash$", &T::id_hash, Presence::optional, rules::any(), "Its id hash in a ONE export: 64 hex digits."),
      field("attributes", &T::attributes, Presence::optional, rules::any(), "Free data of the client."),
  };
};

template <>
struct Describe<SystemPromptTemplate> {
  using T = SystemPromptTemplate;
  static constexpr auto fields = std::tuple{
      field("modelId", &T::model_id, Presence::required, rules::id(), "The model."),
      field("promptText", &T::prompt_text, Presence::required, rules::text(1, std::numeric_limits<std::size_t>::max()),
            "The prompt."),
      field("xmlSchemaVersion", &T::xml_schema_version, Presence::optional, xml_version_rule,
            "Of the XML contract it speaks of: 1."),
      field("version", &T::version, Presence::required, version_number_rule, "1, or the previous version's plus 1."),
      field("createdAt", &T::created_at, Presence::optional, epoch_ms_rule, "Milliseconds since the epoch."),
      field("updatedAt", &T::updated_at, Presence::optional, epoch_ms_rule, "Milliseconds since the epoch."),
      field("active", &T::active, Presence::optional, rules::any(), "Whether it is the model's current one."),
      field("$idHash$", &T::id_hash, Presence::optional, rules::any(), "Its id hash in a ONE export: 64 hex digits."),
      field("attributes", &T::attributes, Presence::optional, rules::any(), "Free data of the client."),
  };
};

}  // namespace whence::schema
