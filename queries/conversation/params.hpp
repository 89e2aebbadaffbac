#pragma once
// The params of the methods about attachments, summaries and templates, and their members on the wire.

#include "schema/base/fields.hpp"
#include "schema/base/limits.hpp"
#include "schema/xml/parts.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace whence::queries {

struct AttachmentGetParams {
  std::string hash;  ///< bare or `XMLMessageAttachment:` ref
};

struct AttachmentListParams {
  std::optional<std::string> message_id = {};
  std::optional<std::string> topic_id = {};
  std::optional<schema::XmlFormat> format = {};
  bool orphans = false;
  bool count_only = false;
  bool total_size = false;  ///< changes nothing: the size is always returned
};

struct XmlContextParams {
  std::string topic_id;
};

struct SummaryGetParams {
  std::string topic;
  std::optional<std::uint64_t> version = {};  ///< the latest where left out
};

struct TemplateActiveParams {
  std::string model_id;
};

struct TemplateListParams {
  std::optional<std::string> model_id = {};
};

}  // namespace whence::queries

namespace whence::schema {

template <>
struct Describe<queries::AttachmentGetParams> {
  using T = queries::AttachmentGetParams;
  static constexpr auto fields = std::tuple{
      field("hash", &T::hash, Presence::required, rules::any(), "The attachment's hash, or its ref."),
  };
};

template <>
struct Describe<queries::AttachmentListParams> {
  using T = queries::AttachmentListParams;
  static constexpr auto fields = std::tuple{
      field("messageId", &T::message_id, Presence::optional, rules::any(), "Of this message."),
      field("topicId", &T::topic_id, Presence::optional, rules::any(), "Of this topic, deleted or not."),
      field("format", &T::format, Presence::optional, rules::any(), "llm-query or llm-response."),
      field("orphans", &T::orphans, Presence::optional, rules::any(), "Only those whose topic is deleted."),
      field("count_only", &T::count_only, Presence::optional, rules::any(), "Without the records."),
      field("total_size", &T::total_size, Presence::optional, rules::any(), "The size is always returned."),
  };
};

template <>
struct Describe<queries::XmlContextParams> {
  using T = queries::XmlContextParams;
  static constexpr auto fields = std::tuple{
      field("topicId", &T::topic_id, Presence::required, rules::any(), "The conversation."),
  };
};

template <>
struct Describe<queries::SummaryGetParams> {
  using T = queries::SummaryGetParams;
  static constexpr auto fields = std::tuple{
      field("topic", &T::topic, Presence::required, rules::any(), "The topic."),
      field("version", &T::version, Presence::optional, rules::number(1, limits::int32_max),
            "Which version; the latest where left out."),
  };
};

template <>
struct Describe<queries::TemplateActiveParams> {
  using T = queries::TemplateActiveParams;
  static constexpr auto fields = std::tuple{
      field("modelId", &T::model_id, Presence::required, rules::any(), "The model."),
  };
};

template <>
struct Describe<queries::TemplateListParams> {
  using T = queries::TemplateListParams;
  static constexpr auto fields = std::tuple{
      field("modelId", &T::model_id, Presence::optional, rules::any(), "The model; all where left out."),
  };
};

}  // namespace whence::schema
