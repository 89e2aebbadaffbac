// Members of conversation records, one by one.
#include "schema/stored/conversation.hpp"

#include "schema/stored/record_parts.hpp"

namespace whence::schema::stored {

void fill(wire::Topic::Builder out, Topic const& topic) {
  if (topic.name) out.setName(text(*topic.name));
  fill_created_at(out, topic.created_at);
  if (topic.id_hash) out.setIdHash(text(*topic.id_hash));
  fill_attributes(out, topic.attributes);
}

void fill(wire::Message::Builder out, Message const& message) {
  out.setTopicId(text(message.topic_id));
  fill_created_at(out, message.created_at);
  if (message.role) out.setRole(text(*message.role));
  if (message.text) out.setText(text(*message.text));
  if (message.person) out.setPerson(text(*message.person));
  if (message.id_hash) out.setIdHash(text(*message.id_hash));
  fill_attributes(out, message.attributes);
}

void fill(wire::XmlMessageAttachment::Builder out, XmlMessageAttachment const& attachment) {
  out.setTopicId(text(attachment.topic_id));
  out.setMessageId(text(attachment.message_id));
  if (attachment.xml_content) out.setXmlContent(text(*attachment.xml_content));
  if (attachment.xml_blob) out.setXmlBlob(text(*attachment.xml_blob));
  out.setFormat(static_cast<std::uint8_t>(attachment.format));
  if (attachment.version) {
    out.setContractVersion(version_number(*attachment.version));
    out.setHasContractVersion(true);
  }
  fill_created_at(out, attachment.created_at);
  if (attachment.size) {
    out.setSize(*attachment.size);
    out.setHasSize(true);
  }
  if (attachment.response_id) out.setResponseId(text(*attachment.response_id));
  if (attachment.id_hash) out.setIdHash(text(*attachment.id_hash));
  fill_attributes(out, attachment.attributes);
}

void fill(wire::Keyword::Builder out, Keyword const& keyword) {
  out.setFrequency(keyword.frequency);
  fill_texts(out.initSubjects(static_cast<unsigned>(keyword.subjects.size())), keyword.subjects);
  if (keyword.score) {
    out.setScore(canonical(*keyword.score));
    out.setHasScore(true);
  }
  fill_created_at(out, keyword.created_at);
  out.setLastSeenMs(keyword.last_seen.value);
  if (keyword.source_xml_hash) out.setSourceXmlHash(text(*keyword.source_xml_hash));
  if (keyword.id_hash) out.setIdHash(text(*keyword.id_hash));
  fill_attributes(out, keyword.attributes);
}

void fill(wire::Subject::Builder out, Subject const& subject) {
  if (subject.name) out.setName(text(*subject.name));
  if (subject.description) out.setDescription(text(*subject.description));
  fill_texts(out.initKeywords(static_cast<unsigned>(subject.keywords.size())), subject.keywords);
  auto ranges = out.initTimeRanges(static_cast<unsigned>(subject.time_ranges.size()));
  for (std::uint32_t i = 0; i < ranges.size(); ++i) {
    ranges[i].setStartMs(subject.time_ranges[i].start.value);
    ranges[i].setEndMs(subject.time_ranges[i].end.value);
  }
  out.setMessageCount(subject.message_count);
  fill_created_at(out, subject.created_at);
  out.setLastSeenAtMs(subject.last_seen_at.value);
  out.setArchived(subject.archived);
  if (subject.source_xml_hash) out.setSourceXmlHash(text(*subject.source_xml_hash));
  if (subject.id_hash) out.setIdHash(text(*subject.id_hash));
  fill_attributes(out, subject.attributes);
}

void fill(wire::Summary::Builder out, Summary const& summary) {
  out.setContent(text(summary.content));
  if (summary.increment) out.setIncrement(text(*summary.increment));
  fill_texts(out.initSubjects(static_cast<unsigned>(summary.subjects.size())), summary.subjects);
  fill_texts(out.initKeywords(static_cast<unsigned>(summary.keywords.size())), summary.keywords);
  if (summary.previous_version) out.setPreviousVersion(text(*summary.previous_version));
  fill_created_at(out, summary.created_at);
  fill_updated_at(out, summary.updated_at);
  if (summary.change_reason) out.setChangeReason(text(*summary.change_reason));
  if (summary.source_xml_hash) out.setSourceXmlHash(text(*summary.source_xml_hash));
  if (summary.id_hash) out.setIdHash(text(*summary.id_hash));
  fill_attributes(out, summary.attributes);
}

void fill(wire::SystemPromptTemplate::Builder out, SystemPromptTemplate const& prompt) {
  out.setPromptText(text(prompt.prompt_text));
  if (prompt.xml_schema_version) {
    out.setXmlSchemaVersion(version_number(*prompt.xml_schema_version));
    out.setHasXmlSchemaVersion(true);
  }
  fill_created_at(out, prompt.created_at);
  fill_updated_at(out, prompt.updated_at);
  if (prompt.active) {
    out.setActive(*prompt.active);
    out.setHasActive(true);
  }
  if (prompt.id_hash) out.setIdHash(text(*prompt.id_hash));
  fill_attributes(out, prompt.attributes);
}

void fill_whole(wire::Whole::Builder out, XmlMessageAttachment const& attachment) {
  if (attachment.xml) out.setXml(text(*attachment.xml));
}

void read(wire::Topic::Reader in, Topic& topic) {
  topic.name = read_text(in.hasName(), in.getName());
  topic.created_at = read_created_at(in);
  topic.id_hash = read_text(in.hasIdHash(), in.getIdHash());
  topic.attributes = read_attributes(in);
}

void read(wire::Message::Reader in, Message& message) {
  message.topic_id = read_text(in.getTopicId());
  message.created_at = read_created_at(in);
  message.role = read_text(in.hasRole(), in.getRole());
  message.text = read_text(in.hasText(), in.getText());
  message.person = read_text(in.hasPerson(), in.getPerson());
  message.id_hash = read_text(in.hasIdHash(), in.getIdHash());
  message.attributes = read_attributes(in);
}

void read(wire::XmlMessageAttachment::Reader in, XmlMessageAttachment& attachment) {
  require(in.getFormat() <= static_cast<std::uint8_t>(XmlFormat::llm_response), "unknown format of XML");
  attachment.topic_id = read_text(in.getTopicId());
  attachment.message_id = read_text(in.getMessageId());
  attachment.xml_content = read_text(in.hasXmlContent(), in.getXmlContent());
  attachment.xml_blob = read_text(in.hasXmlBlob(), in.getXmlBlob());
  attachment.format = static_cast<XmlFormat>(in.getFormat());
  if (in.getHasContractVersion()) attachment.version = read_version(in.getContractVersion());
  attachment.created_at = read_created_at(in);
  if (in.getHasSize()) attachment.size = read_count(in.getSize());
  attachment.response_id = read_text(in.hasResponseId(), in.getResponseId());
  attachment.id_hash = read_text(in.hasIdHash(), in.getIdHash());
  attachment.attributes = read_attributes(in);
}

void read(wire::Keyword::Reader in, Keyword& keyword) {
  keyword.frequency = read_count(in.getFrequency());
  keyword.subjects = read_texts(in.getSubjects());
  if (in.getHasScore()) keyword.score = read_number(in.getScore());
  keyword.created_at = read_created_at(in);
  keyword.last_seen = EpochMs{in.getLastSeenMs()};
  keyword.source_xml_hash = read_text(in.hasSourceXmlHash(), in.getSourceXmlHash());
  keyword.id_hash = read_text(in.hasIdHash(), in.getIdHash());
  keyword.attributes = read_attributes(in);
}

void read(wire::Subject::Reader in, Subject& subject) {
  subject.name = read_text(in.hasName(), in.getName());
  subject.description = read_text(in.hasDescription(), in.getDescription());
  subject.keywords = read_texts(in.getKeywords());
  subject.time_ranges.reserve(in.getTimeRanges().size());
  for (auto const range : in.getTimeRanges()) {
    subject.time_ranges.push_back({EpochMs{range.getStartMs()}, EpochMs{range.getEndMs()}});
  }
  subject.message_count = read_count(in.getMessageCount());
  subject.created_at = read_created_at(in);
  subject.last_seen_at = EpochMs{in.getLastSeenAtMs()};
  subject.archived = in.getArchived();
  subject.source_xml_hash = read_text(in.hasSourceXmlHash(), in.getSourceXmlHash());
  subject.id_hash = read_text(in.hasIdHash(), in.getIdHash());
  subject.attributes = read_attributes(in);
}

void read(wire::Summary::Reader in, Summary& summary) {
  summary.content = read_text(in.getContent());
  summary.increment = read_text(in.hasIncrement(), in.getIncrement());
  summary.subjects = read_texts(in.getSubjects());
  summary.keywords = read_texts(in.getKeywords());
  summary.previous_version = read_text(in.hasPreviousVersion(), in.getPreviousVersion());
  summary.created_at = read_created_at(in);
  summary.updated_at = read_updated_at(in);
  summary.change_reason = read_text(in.hasChangeReason(), in.getChangeReason());
  summary.source_xml_hash = read_text(in.hasSourceXmlHash(), in.getSourceXmlHash());
  summary.id_hash = read_text(in.hasIdHash(), in.getIdHash());
  summary.attributes = read_attributes(in);
}

void read(wire::SystemPromptTemplate::Reader in, SystemPromptTemplate& prompt) {
  prompt.prompt_text = read_text(in.getPromptText());
  if (in.getHasXmlSchemaVersion()) prompt.xml_schema_version = read_version(in.getXmlSchemaVersion());
  prompt.created_at = read_created_at(in);
  prompt.updated_at = read_updated_at(in);
  if (in.getHasActive()) prompt.active = in.getActive();
  prompt.id_hash = read_text(in.hasIdHash(), in.getIdHash());
  prompt.attributes = read_attributes(in);
}

}  // namespace whence::schema::stored
