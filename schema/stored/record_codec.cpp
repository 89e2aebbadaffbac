// Records to and from their stored form: S0's and S3's here, the later seeds' in impl/.
#include "schema/stored/codec.hpp"
#include "schema/records/discussion/stored.hpp"
#include "schema/records/prov/stored.hpp"
#include "schema/records/retrieval/stored.hpp"
#include "schema/stored/record_parts.hpp"
#include "schema/stored/records.capnp.h"

#include <type_traits>

#include <boost/assert.hpp>

namespace whence::schema::stored {
namespace {

// The later seeds' beside those below, which would hide them.
using stored::fill;
using stored::read;

void fill(wire::ContextUnit::Builder out, ContextUnit const& unit) {
  out.setType(static_cast<std::uint8_t>(unit.type));
  out.setSource(text(unit.source));
  fill_time(out, unit.timestamp);
  if (unit.contribution_weight) {
    out.setContributionWeight(canonical(*unit.contribution_weight));
    out.setHasContributionWeight(true);
  }
  if (unit.embedding_id) out.setEmbeddingId(text(*unit.embedding_id));
  if (unit.summary) out.setSummary(text(*unit.summary));
  out.setVersion(version_number(unit.version));
  if (unit.previous_version_id) out.setPreviousVersionId(text(*unit.previous_version_id));
  if (unit.updated_by_response_id) out.setUpdatedByResponseId(text(*unit.updated_by_response_id));
  if (unit.derived_from) {
    fill_texts(out.initDerivedFrom(static_cast<unsigned>(unit.derived_from->size())), *unit.derived_from);
  }
  fill_attributes(out, unit.attributes);
}

void fill(wire::Response::Builder out, Response const& response) {
  fill_time(out, response.timestamp);
  out.setAgent(text(response.agent));
  out.setModel(text(response.model));
  fill_token_count(out, response.token_count);
  if (response.prompt_template) {
    out.setTemplateModelId(text(response.prompt_template->model_id));
    out.setTemplateVersion(version_number(response.prompt_template->version));
  }
  if (response.query_attachment) out.setQueryAttachment(text(*response.query_attachment));
  if (response.prompt_refs) {
    fill_texts(out.initPromptRefs(static_cast<unsigned>(response.prompt_refs->size())), *response.prompt_refs);
  }
  fill_attributes(out, response.attributes);
}

void fill(wire::FeedbackRecord::Builder out, FeedbackRecord const& feedback) {
  out.setResponseId(text(feedback.response_id));
  fill_time(out, feedback.timestamp);
  out.setScore(canonical(feedback.score));
  if (feedback.feedback_text) out.setFeedbackText(text(*feedback.feedback_text));
  if (feedback.user_id) out.setUserId(text(*feedback.user_id));
  fill_attributes(out, feedback.attributes);
}

void fill(wire::Topic::Builder out, Topic const& topic) {
  if (topic.name) out.setName(text(*topic.name));
  fill_created_at(out, topic.created_at);
  fill_attributes(out, topic.attributes);
}

void fill(wire::Message::Builder out, Message const& message) {
  out.setTopicId(text(message.topic_id));
  fill_created_at(out, message.created_at);
  if (message.role) out.setRole(text(*message.role));
  if (message.text) out.setText(text(*message.text));
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
  fill_attributes(out, prompt.attributes);
}

void fill(wire::Manifest::Node::Builder out, ManifestNode const& node) {
  out.setId(text(node.id));
  out.setType(static_cast<std::uint8_t>(node.type));
  out.setSource(text(node.source));
  out.setWeight(canonical(node.weight));
  if (node.embedding_id) out.setEmbeddingId(text(*node.embedding_id));
  if (node.summary) out.setSummary(text(*node.summary));
}

void fill(wire::Manifest::Builder out, LineageManifest const& manifest) {
  fill_time(out, manifest.timestamp);
  out.setAgent(text(manifest.agent));
  out.setModel(text(manifest.model));
  fill_token_count(out, manifest.token_count);
  auto tree = out.initTree(static_cast<unsigned>(manifest.context_tree.size()));
  for (std::uint32_t i = 0; i < tree.size(); ++i) fill(tree[i], manifest.context_tree[i]);
  out.setRoot(text(manifest.provenance_tree.root));
  auto edges = out.initEdges(static_cast<unsigned>(manifest.provenance_tree.edges.size()));
  for (std::uint32_t i = 0; i < edges.size(); ++i) {
    ManifestEdge const& edge = manifest.provenance_tree.edges[i];
    edges[i].setFrom(text(edge.from));
    edges[i].setTo(text(edge.to));
    edges[i].setWeight(canonical(edge.weight));
  }
  fill_attributes(out, manifest.attributes);
}

/// The schema's struct of each record type.
template <class T>
struct WireOf;
template <>
struct WireOf<ContextUnit> : std::type_identity<wire::ContextUnit> {};
template <>
struct WireOf<Response> : std::type_identity<wire::Response> {};
template <>
struct WireOf<FeedbackRecord> : std::type_identity<wire::FeedbackRecord> {};
template <>
struct WireOf<LineageManifest> : std::type_identity<wire::Manifest> {};
template <>
struct WireOf<Topic> : std::type_identity<wire::Topic> {};
template <>
struct WireOf<Message> : std::type_identity<wire::Message> {};
template <>
struct WireOf<XmlMessageAttachment> : std::type_identity<wire::XmlMessageAttachment> {};
template <>
struct WireOf<Keyword> : std::type_identity<wire::Keyword> {};
template <>
struct WireOf<Subject> : std::type_identity<wire::Subject> {};
template <>
struct WireOf<Summary> : std::type_identity<wire::Summary> {};
template <>
struct WireOf<SystemPromptTemplate> : std::type_identity<wire::SystemPromptTemplate> {};
template <>
struct WireOf<Discussion> : std::type_identity<wire::Discussion> {};
template <>
struct WireOf<DiscussionRound> : std::type_identity<wire::DiscussionRound> {};
template <>
struct WireOf<SummaryEntry> : std::type_identity<wire::SummaryEntry> {};
template <>
struct WireOf<Document> : std::type_identity<wire::Document> {};
template <>
struct WireOf<RetrievedChunk> : std::type_identity<wire::RetrievedChunk> {};
template <>
struct WireOf<Query> : std::type_identity<wire::Query> {};
template <>
struct WireOf<EmbeddingVector> : std::type_identity<wire::EmbeddingVector> {};
template <>
struct WireOf<PromptContext> : std::type_identity<wire::PromptContext> {};
template <>
struct WireOf<Answer> : std::type_identity<wire::Answer> {};
template <>
struct WireOf<Citation> : std::type_identity<wire::Citation> {};
template <>
struct WireOf<ProvEntity> : std::type_identity<wire::Prov> {};
template <>
struct WireOf<ProvActivity> : std::type_identity<wire::Prov> {};
template <>
struct WireOf<ProvAgent> : std::type_identity<wire::Prov> {};

template <class T>
Words encode_content(T const& record) {
  using Wire = typename WireOf<T>::type;
  return write_message<Wire>([&](typename Wire::Builder out) { fill(out, record); });
}

Record read(wire::ContextUnit::Reader in) {
  require(in.getType() <= static_cast<std::uint8_t>(ContextType::model_state), "unknown context type");
  ContextUnit unit;
  unit.type = static_cast<ContextType>(in.getType());
  unit.source = read_text(in.getSource());
  unit.timestamp = read_timestamp(in);
  if (in.getHasContributionWeight()) unit.contribution_weight = read_number(in.getContributionWeight());
  unit.embedding_id = read_text(in.hasEmbeddingId(), in.getEmbeddingId());
  unit.summary = read_text(in.hasSummary(), in.getSummary());
  unit.version = read_version(in.getVersion());
  unit.previous_version_id = read_text(in.hasPreviousVersionId(), in.getPreviousVersionId());
  unit.updated_by_response_id = read_text(in.hasUpdatedByResponseId(), in.getUpdatedByResponseId());
  if (in.hasDerivedFrom()) unit.derived_from = read_texts(in.getDerivedFrom());
  unit.attributes = read_attributes(in);
  return unit;
}

Record read(wire::Response::Reader in) {
  Response response;
  response.timestamp = read_timestamp(in);
  response.agent = read_text(in.getAgent());
  response.model = read_text(in.getModel());
  if (in.getHasTokenCount()) {
    require(in.getTokenCount() >= 0, "a token count below 0");
    response.token_count = in.getTokenCount();
  }
  if (in.hasTemplateModelId()) {
    response.prompt_template = TemplateName{read_text(in.getTemplateModelId()), read_version(in.getTemplateVersion())};
  }
  response.query_attachment = read_text(in.hasQueryAttachment(), in.getQueryAttachment());
  if (in.hasPromptRefs()) response.prompt_refs = read_texts(in.getPromptRefs());
  response.attributes = read_attributes(in);
  return response;
}

Record read(wire::FeedbackRecord::Reader in) {
  FeedbackRecord feedback;
  feedback.response_id = read_text(in.getResponseId());
  feedback.timestamp = read_timestamp(in);
  feedback.score = read_number(in.getScore());
  feedback.feedback_text = read_text(in.hasFeedbackText(), in.getFeedbackText());
  feedback.user_id = read_text(in.hasUserId(), in.getUserId());
  feedback.attributes = read_attributes(in);
  return feedback;
}

Record read(wire::Topic::Reader in) {
  Topic topic;
  topic.name = read_text(in.hasName(), in.getName());
  topic.created_at = read_created_at(in);
  topic.attributes = read_attributes(in);
  return topic;
}

Record read(wire::Message::Reader in) {
  Message message;
  message.topic_id = read_text(in.getTopicId());
  message.created_at = read_created_at(in);
  message.role = read_text(in.hasRole(), in.getRole());
  message.text = read_text(in.hasText(), in.getText());
  message.attributes = read_attributes(in);
  return message;
}

Record read(wire::XmlMessageAttachment::Reader in) {
  require(in.getFormat() <= static_cast<std::uint8_t>(XmlFormat::llm_response), "unknown format of XML");
  XmlMessageAttachment attachment;
  attachment.topic_id = read_text(in.getTopicId());
  attachment.message_id = read_text(in.getMessageId());
  attachment.xml_content = read_text(in.hasXmlContent(), in.getXmlContent());
  attachment.xml_blob = read_text(in.hasXmlBlob(), in.getXmlBlob());
  attachment.format = static_cast<XmlFormat>(in.getFormat());
  if (in.getHasContractVersion()) attachment.version = read_version(in.getContractVersion());
  attachment.created_at = read_created_at(in);
  if (in.getHasSize()) attachment.size = read_count(in.getSize());
  attachment.response_id = read_text(in.hasResponseId(), in.getResponseId());
  attachment.attributes = read_attributes(in);
  return attachment;
}

Record read(wire::Keyword::Reader in) {
  Keyword keyword;
  keyword.frequency = read_count(in.getFrequency());
  keyword.subjects = read_texts(in.getSubjects());
  if (in.getHasScore()) keyword.score = read_number(in.getScore());
  keyword.created_at = read_created_at(in);
  keyword.last_seen = EpochMs{in.getLastSeenMs()};
  keyword.source_xml_hash = read_text(in.hasSourceXmlHash(), in.getSourceXmlHash());
  keyword.attributes = read_attributes(in);
  return keyword;
}

Record read(wire::Subject::Reader in) {
  Subject subject;
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
  subject.attributes = read_attributes(in);
  return subject;
}

Record read(wire::Summary::Reader in) {
  Summary summary;
  summary.content = read_text(in.getContent());
  summary.increment = read_text(in.hasIncrement(), in.getIncrement());
  summary.subjects = read_texts(in.getSubjects());
  summary.keywords = read_texts(in.getKeywords());
  summary.previous_version = read_text(in.hasPreviousVersion(), in.getPreviousVersion());
  summary.created_at = read_created_at(in);
  summary.updated_at = read_updated_at(in);
  summary.change_reason = read_text(in.hasChangeReason(), in.getChangeReason());
  summary.source_xml_hash = read_text(in.hasSourceXmlHash(), in.getSourceXmlHash());
  summary.attributes = read_attributes(in);
  return summary;
}

Record read(wire::SystemPromptTemplate::Reader in) {
  SystemPromptTemplate prompt;
  prompt.prompt_text = read_text(in.getPromptText());
  if (in.getHasXmlSchemaVersion()) prompt.xml_schema_version = read_version(in.getXmlSchemaVersion());
  prompt.created_at = read_created_at(in);
  prompt.updated_at = read_updated_at(in);
  if (in.getHasActive()) prompt.active = in.getActive();
  prompt.attributes = read_attributes(in);
  return prompt;
}

template <class Wire>
Result<Record> decode_content(std::span<std::byte const> bytes) {
  return read_message<Wire>(bytes, [](typename Wire::Reader in) { return read(in); });
}

/// The three kinds have one form, so the kind is asked for.
template <class Thing>
Result<Record> decode_prov(std::span<std::byte const> bytes) {
  return read_message<wire::Prov>(bytes, [](wire::Prov::Reader in) -> Record { return Thing{read_prov(in)}; });
}

}  // namespace

Words encode(Record const& record) {
  BOOST_ASSERT(info(type_of(record)).is_node);
  return std::visit([](auto const& each) { return encode_content(each); }, record);
}

Digest fingerprint(Record const& record) {
  Words const content = std::visit([](auto const& each) { return encode_content(each); }, record);
  Words const whole = write_message<wire::Whole>([&](wire::Whole::Builder out) {
    out.setType(static_cast<std::uint8_t>(type_of(record)));
    out.setId(text(node_id_of(record)));
    auto const bytes = std::as_bytes(std::span{content});
    out.setContent({reinterpret_cast<capnp::byte const*>(bytes.data()), bytes.size()});
    auto const* const attachment = std::get_if<XmlMessageAttachment>(&record);
    if (attachment != nullptr && attachment->xml) out.setXml(text(*attachment->xml));
    if (auto const* const chunk = std::get_if<RetrievedChunk>(&record)) fill_retrieval(out, *chunk);
    if (auto const* const prompt = std::get_if<PromptContext>(&record)) fill_included(out, *prompt);
    auto const* const response = std::get_if<Response>(&record);
    if (response == nullptr) return;
    if (response->manifest_json) out.setManifestJson(text(*response->manifest_json));
    auto uses = out.initUses(static_cast<unsigned>(response->context_units.size()));
    for (std::uint32_t i = 0; i < uses.size(); ++i) {
      uses[i].setUnitId(text(response->context_units[i].context_unit_id));
      uses[i].setWeight(canonical(response->context_units[i].weight));
    }
  });
  return sha256(bytes_of(whole));
}

Result<Record> decode(RecordType type, std::span<std::byte const> bytes) {
  switch (type) {
    case RecordType::context_unit:
      return decode_content<wire::ContextUnit>(bytes);
    case RecordType::response:
      return decode_content<wire::Response>(bytes);
    case RecordType::feedback_record:
      return decode_content<wire::FeedbackRecord>(bytes);
    case RecordType::topic:
      return decode_content<wire::Topic>(bytes);
    case RecordType::message:
      return decode_content<wire::Message>(bytes);
    case RecordType::xml_message_attachment:
      return decode_content<wire::XmlMessageAttachment>(bytes);
    case RecordType::keyword:
      return decode_content<wire::Keyword>(bytes);
    case RecordType::subject:
      return decode_content<wire::Subject>(bytes);
    case RecordType::summary:
      return decode_content<wire::Summary>(bytes);
    case RecordType::system_prompt_template:
      return decode_content<wire::SystemPromptTemplate>(bytes);
    case RecordType::discussion:
      return decode_content<wire::Discussion>(bytes);
    case RecordType::discussion_round:
      return decode_content<wire::DiscussionRound>(bytes);
    case RecordType::summary_entry:
      return decode_content<wire::SummaryEntry>(bytes);
    case RecordType::document:
      return decode_content<wire::Document>(bytes);
    case RecordType::retrieved_chunk:
      return decode_content<wire::RetrievedChunk>(bytes);
    case RecordType::query:
      return decode_content<wire::Query>(bytes);
    case RecordType::embedding_vector:
      return decode_content<wire::EmbeddingVector>(bytes);
    case RecordType::prompt_context:
      return decode_content<wire::PromptContext>(bytes);
    case RecordType::answer:
      return decode_content<wire::Answer>(bytes);
    case RecordType::prov_entity:
      return decode_prov<ProvEntity>(bytes);
    case RecordType::prov_activity:
      return decode_prov<ProvActivity>(bytes);
    case RecordType::prov_agent:
      return decode_prov<ProvAgent>(bytes);
    default:
      return corrupt("a record type that is not stored");
  }
}

}  // namespace whence::schema::stored
