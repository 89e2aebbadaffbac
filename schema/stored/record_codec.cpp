// Records to and from their stored form.
#include "schema/stored/codec.hpp"
#include "schema/stored/impl/message.hpp"
#include "schema/stored/records.capnp.h"

#include <cmath>
#include <limits>
#include <type_traits>

#include <boost/assert.hpp>

namespace whence::schema::stored {
namespace {

template <class Builder>
void fill_time(Builder out, Time time) {
  out.setTimestampSeconds(time.seconds);
  out.setTimestampNanos(time.nanos);
}

template <class Builder>
void fill_created_at(Builder out, std::optional<EpochMs> time) {
  if (!time) return;
  out.setCreatedAtMs(time->value);
  out.setHasCreatedAt(true);
}

template <class Builder>
void fill_token_count(Builder out, std::optional<std::int64_t> count) {
  if (!count) return;
  BOOST_ASSERT(*count >= 0 && *count <= std::numeric_limits<std::int32_t>::max());
  out.setTokenCount(static_cast<std::int32_t>(*count));
  out.setHasTokenCount(true);
}

template <class Builder>
void fill_attributes(Builder out, std::optional<Attributes> const& attributes) {
  if (attributes) out.setAttributes(text(attributes->json));
}

void fill(wire::ContextUnit::Builder out, ContextUnit const& unit) {
  BOOST_ASSERT(unit.version >= 1 && unit.version <= std::numeric_limits<std::int32_t>::max());
  out.setType(static_cast<std::uint8_t>(unit.type));
  out.setSource(text(unit.source));
  fill_time(out, unit.timestamp);
  if (unit.contribution_weight) {
    out.setContributionWeight(canonical(*unit.contribution_weight));
    out.setHasContributionWeight(true);
  }
  if (unit.embedding_id) out.setEmbeddingId(text(*unit.embedding_id));
  if (unit.summary) out.setSummary(text(*unit.summary));
  out.setVersion(static_cast<std::int32_t>(unit.version));
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

template <class T>
Words encode_content(T const& record) {
  using Wire = typename WireOf<T>::type;
  return write_message<Wire>([&](typename Wire::Builder out) { fill(out, record); });
}

template <class Reader>
Time read_timestamp(Reader in) {
  return read_time(in.getTimestampSeconds(), in.getTimestampNanos());
}

template <class Reader>
std::optional<EpochMs> read_created_at(Reader in) {
  return in.getHasCreatedAt() ? std::optional{EpochMs{in.getCreatedAtMs()}} : std::nullopt;
}

template <class Reader>
std::optional<Attributes> read_attributes(Reader in) {
  return in.hasAttributes() ? std::optional{Attributes{read_text(in.getAttributes())}} : std::nullopt;
}

double read_number(double value) {
  require(std::isfinite(value), "a number is not finite");
  return value;
}

Record read(wire::ContextUnit::Reader in) {
  require(in.getType() <= static_cast<std::uint8_t>(ContextType::model_state), "unknown context type");
  require(in.getVersion() >= 1, "a version below 1");
  ContextUnit unit;
  unit.type = static_cast<ContextType>(in.getType());
  unit.source = read_text(in.getSource());
  unit.timestamp = read_timestamp(in);
  if (in.getHasContributionWeight()) unit.contribution_weight = read_number(in.getContributionWeight());
  unit.embedding_id = read_text(in.hasEmbeddingId(), in.getEmbeddingId());
  unit.summary = read_text(in.hasSummary(), in.getSummary());
  unit.version = in.getVersion();
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

template <class Wire>
Result<Record> decode_content(std::span<std::byte const> bytes) {
  return read_message<Wire>(bytes, [](typename Wire::Reader in) { return read(in); });
}

}  // namespace

Words encode(Record const& record) {
  BOOST_ASSERT(!std::holds_alternative<LineageManifest>(record));
  return std::visit([](auto const& each) { return encode_content(each); }, record);
}

Digest fingerprint(Record const& record) {
  Words const content = std::visit([](auto const& each) { return encode_content(each); }, record);
  Words const whole = write_message<wire::Whole>([&](wire::Whole::Builder out) {
    out.setType(static_cast<std::uint8_t>(type_of(record)));
    out.setId(text(id_of(record)));
    auto const bytes = std::as_bytes(std::span{content});
    out.setContent({reinterpret_cast<capnp::byte const*>(bytes.data()), bytes.size()});
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
    default:
      return corrupt("a record type that is not stored");
  }
}

}  // namespace whence::schema::stored
