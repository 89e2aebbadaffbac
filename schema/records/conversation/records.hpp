#pragma once
// Conversation records: topics and messages, the XML of messages, and what extraction derives from it: keywords,
// subjects and summaries. What each member means and must satisfy is in fields.hpp; the rules for clients are in
// schema/records/README.md.

#include "schema/base/digest.hpp"
#include "schema/base/free_json.hpp"
#include "schema/base/time.hpp"
#include "schema/types/record_type.hpp"
#include "schema/xml/parts.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace whence::schema {

/// A conversation.
struct Topic {
  std::string id = {};  ///< empty: the server makes one
  std::optional<std::string> name = {};
  std::optional<EpochMs> created_at = {};
  std::optional<std::string> id_hash = {};  ///< of the record in a ONE export; 64 hex digits
  std::optional<Attributes> attributes = {};

  static constexpr RecordType record_type = RecordType::topic;
  friend bool operator==(Topic const&, Topic const&) = default;
};

/// One message of a conversation.
struct Message {
  std::string id = {};  ///< empty: the server makes one
  std::string topic_id = {};
  std::optional<EpochMs> created_at = {};
  std::optional<std::string> role = {};
  std::optional<std::string> text = {};
  std::optional<std::string> person = {};  ///< who said it, or whom it was said to
  std::optional<std::string> id_hash = {};
  std::optional<Attributes> attributes = {};

  static constexpr RecordType record_type = RecordType::message;
  friend bool operator==(Message const&, Message const&) = default;
};

/// The XML text of a message. Its identity is the SHA-256 of its canonical content (attachment.hpp). On input the text
/// comes in `xml` or `xml_content`; stored it is in `xml_content` where it is short, else as a blob under the name in
/// `xml_blob`.
struct XmlMessageAttachment {
  std::string hash = {};  ///< 64 hex digits; not on the wire
  std::string topic_id = {};
  std::string message_id = {};
  std::optional<std::string> xml = {};          ///< input only
  std::optional<std::string> xml_content = {};  ///< at most `limits::inline_xml_bytes_max` bytes once stored
  std::optional<std::string> xml_blob = {};     ///< "sha256://" and 64 hex digits
  XmlFormat format = XmlFormat::llm_query;
  std::optional<std::int64_t> version = {};  ///< of the contract; the server puts 1
  std::optional<EpochMs> created_at = {};    ///< the server puts now
  std::optional<std::int64_t> size = {};     ///< bytes of the text
  std::optional<std::string> response_id = {};
  std::optional<std::string> id_hash = {};
  std::optional<Attributes> attributes = {};

  static constexpr RecordType record_type = RecordType::xml_message_attachment;
  static constexpr auto id_member = &XmlMessageAttachment::hash;
  friend bool operator==(XmlMessageAttachment const&, XmlMessageAttachment const&) = default;
};

/// A term found in responses. As a later revision: `subjects` holds only what was added.
struct Keyword {
  std::string term = {};
  std::int64_t frequency = 0;
  std::vector<std::string> subjects = {};  ///< refs, each once, in order of first mention
  std::optional<double> score = {};        ///< the highest confidence seen
  std::optional<EpochMs> created_at = {};  ///< the server puts now
  EpochMs last_seen = {};
  std::optional<std::string> source_xml_hash = {};  ///< of the attachment that created it
  std::optional<bool> dangling = {};                ///< answers only: that attachment is gone
  std::optional<std::string> id_hash = {};
  std::optional<Attributes> attributes = {};

  static constexpr RecordType record_type = RecordType::keyword;
  static constexpr auto id_member = &Keyword::term;
  friend bool operator==(Keyword const&, Keyword const&) = default;
};

/// From the first to the last response of an unbroken run.
struct TimeSpan {
  EpochMs start = {};
  EpochMs end = {};

  friend bool operator==(TimeSpan const&, TimeSpan const&) = default;
};

/// A theme of a topic. As a later revision: `keywords` holds only what was added, `time_ranges` what takes the
/// place of the last range before and what follows it.
struct Subject {
  std::string id = {};
  std::string topic = {};
  std::optional<std::string> name = {};
  std::optional<std::string> description = {};
  std::vector<std::string> keywords = {};  ///< terms in byte order, each once
  std::vector<TimeSpan> time_ranges = {};
  std::int64_t message_count = 0;
  std::optional<EpochMs> created_at = {};  ///< the server puts now
  EpochMs last_seen_at = {};
  bool archived = false;
  std::optional<std::string> source_xml_hash = {};
  std::optional<bool> dangling = {};
  std::optional<std::string> id_hash = {};
  std::optional<Attributes> attributes = {};

  static constexpr RecordType record_type = RecordType::subject;
  static constexpr std::array<std::string_view, 2> members_in_id = {"id", "topic"};
  friend bool operator==(Subject const&, Subject const&) = default;
};

/// One version of a topic's summary. One derived from a response holds its own part in `increment`, and its `content`
/// is made on reading; one that a client wrote holds the whole text in `content`.
struct Summary {
  std::string id = {};  ///< "<topic>-v<version>"
  std::string topic = {};
  std::string content = {};
  std::optional<std::string> increment = {};
  std::vector<std::string> subjects = {};  ///< ids
  std::vector<std::string> keywords = {};  ///< terms
  std::int64_t version = 1;
  std::optional<std::string> previous_version = {};
  std::optional<EpochMs> created_at = {};  ///< the server puts now
  std::optional<EpochMs> updated_at = {};  ///< the server puts now
  std::optional<std::string> change_reason = {};
  std::optional<std::string> source_xml_hash = {};
  std::optional<bool> dangling = {};
  std::optional<std::vector<std::string>> expired_versions = {};  ///< answers only: `content` lacks what they added
  std::optional<std::vector<std::string>> purged_versions = {};   ///< likewise
  std::optional<std::string> id_hash = {};
  std::optional<Attributes> attributes = {};

  static constexpr RecordType record_type = RecordType::summary;
  static constexpr std::array<std::string_view, 3> members_in_id = {"id", "topic", "version"};
  friend bool operator==(Summary const&, Summary const&) = default;
};

/// Instructs a model how to write its answers.
struct SystemPromptTemplate {
  std::string model_id = {};
  std::string prompt_text = {};
  std::optional<std::int64_t> xml_schema_version = {};  ///< the server puts 1
  std::int64_t version = 1;
  std::optional<EpochMs> created_at = {};  ///< the server puts now
  std::optional<EpochMs> updated_at = {};  ///< the server puts now
  std::optional<bool> active = {};         ///< the server puts true
  std::optional<std::string> id_hash = {};
  std::optional<Attributes> attributes = {};

  static constexpr RecordType record_type = RecordType::system_prompt_template;
  static constexpr std::array<std::string_view, 2> members_in_id = {"modelId", "version"};
  friend bool operator==(SystemPromptTemplate const&, SystemPromptTemplate const&) = default;
};

/// The digest in an `xml_blob`; nothing where the text is none.
[[nodiscard]] std::optional<Digest> blob_digest(std::string_view xml_blob);
[[nodiscard]] std::string blob_name(Digest const& digest);

/// "topic-1" and 3 to "topic-1-v3".
[[nodiscard]] std::string summary_id(std::string_view topic, std::int64_t version);

/// The id of a system prompt template: its model and its version, joined as schema/types/ref.hpp says.
[[nodiscard]] std::string template_id(std::string_view model_id, std::int64_t version);

}  // namespace whence::schema
