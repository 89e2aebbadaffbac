// How the random records are drawn.
#include "tests/schema/random_records.hpp"

#include "schema/json/writer.hpp"

#include <array>
#include <cstdlib>
#include <string_view>

namespace whence::schema::test {

std::uint64_t seed_from_environment() {
  char const* const given = std::getenv("WHENCE_TEST_SEED");  // NOLINT(concurrency-mt-unsafe): read before any thread
  return given != nullptr ? std::strtoull(given, nullptr, 10) : std::random_device{}();
}

std::size_t RandomRecords::below(std::size_t end) {
  return std::uniform_int_distribution<std::size_t>{0, end - 1}(engine_);
}

double RandomRecords::unit_interval() {
  return std::uniform_real_distribution<double>{0, 1}(engine_);
}

std::string RandomRecords::text(std::size_t length_max, std::size_t length_min) {
  constexpr std::array<std::string_view, 8> letters = {"a", "Z", "\"", "\\", "\n", "\u00e9", "\u20ac", "\U0001F600"};
  std::string result;
  for (std::size_t i = length_min + below(length_max - length_min + 1); i > 0; --i) {
    result.append(letters[below(letters.size())]);
  }
  return result;
}

std::string RandomRecords::id(std::string const& prefix) {
  return prefix + std::to_string(engine_());
}

Time RandomRecords::time() {
  auto const seconds = std::uniform_int_distribution<std::int64_t>{-62'167'219'200, 1'760'026'500}(engine_);
  return {seconds, coin() ? 0 : static_cast<std::uint32_t>(below(1'000'000'000))};
}

std::optional<Attributes> RandomRecords::attributes() {
  if (coin()) return std::nullopt;
  std::string json = R"({"a":)";
  json::append_string(json, text(20));
  json.append(R"(,"b":)");
  json::append_number(json, unit_interval());
  return Attributes{json.append("}")};
}

ContextUnit RandomRecords::unit() {
  ContextUnit unit;
  unit.id = id("cu_");
  unit.type = static_cast<ContextType>(below(4));
  unit.source = text(255, 1);
  unit.timestamp = time();
  if (coin()) unit.contribution_weight = unit_interval();
  if (coin()) unit.embedding_id = id("vec_");
  if (coin()) unit.summary = text(500);
  if (coin()) {
    unit.version = 2 + static_cast<std::int64_t>(below(2'000'000'000));
    unit.previous_version_id = id("cu_");
  }
  if (coin()) unit.updated_by_response_id = id("resp_");
  if (coin()) {
    auto& sources = unit.derived_from.emplace();
    for (std::size_t i = below(4); i > 0; --i) sources.push_back(id("cu_"));
  }
  unit.attributes = attributes();
  return unit;
}

Response RandomRecords::response() {
  Response response;
  response.id = id("resp_");
  response.timestamp = time();
  response.agent = text(100, 1);
  response.model = text(100, 1);
  if (coin()) response.token_count = static_cast<std::int64_t>(below(2'147'483'648));
  for (std::size_t i = 1 + below(50); i > 0; --i) response.context_units.push_back({id("cu_"), unit_interval()});
  if (coin()) response.prompt_template = {text(100, 1), 1 + static_cast<std::int64_t>(below(2'147'483'647))};
  if (coin()) response.query_attachment = hash();
  response.attributes = attributes();
  return response;
}

FeedbackRecord RandomRecords::feedback() {
  FeedbackRecord feedback{.id = id("fb_"), .response_id = id("resp_"), .timestamp = time()};
  feedback.score = 2 * unit_interval() - 1;
  if (coin()) feedback.feedback_text = text(1000);
  if (coin()) feedback.user_id = text(100);
  feedback.attributes = attributes();
  return feedback;
}

LineageManifest RandomRecords::manifest() {
  LineageManifest manifest{.response_id = id("resp_"), .timestamp = time(), .agent = text(9, 1), .model = text(9, 1)};
  manifest.provenance_tree.root = manifest.response_id;
  for (std::size_t i = 1 + below(9); i > 0; --i) {
    ManifestNode node{.id = id("cu_"), .type = static_cast<ContextType>(below(4)), .source = text(9, 1)};
    node.weight = unit_interval();
    if (coin()) node.embedding_id = id("vec_");
    if (coin()) node.summary = text(20);
    manifest.provenance_tree.edges.push_back({node.id, manifest.response_id, node.weight});
    manifest.context_tree.push_back(std::move(node));
  }
  manifest.attributes = attributes();
  return manifest;
}

Topic RandomRecords::topic() {
  Topic topic{.id = id("topic_")};
  if (coin()) topic.name = text(300);
  if (coin()) topic.created_at = epoch_ms();
  topic.attributes = attributes();
  return topic;
}

Message RandomRecords::message() {
  Message message{.id = id("msg_"), .topic_id = id("topic_")};
  if (coin()) message.created_at = epoch_ms();
  if (coin()) message.role = text(10);
  if (coin()) message.text = text(3000);
  message.attributes = attributes();
  return message;
}

EpochMs RandomRecords::epoch_ms() {
  return EpochMs{static_cast<std::int64_t>(below(1'760'026'500'000))};
}

std::string RandomRecords::hash() {
  return to_hex(sha256(id("")));
}

std::vector<std::string> RandomRecords::texts(std::size_t count_max, std::size_t length_max) {
  std::vector<std::string> result;
  for (std::size_t i = below(count_max + 1); i > 0; --i) result.push_back(text(length_max, 1));
  return result;
}

XmlMessageAttachment RandomRecords::attachment() {
  XmlMessageAttachment attachment{.topic_id = id("topic_"), .message_id = id("msg_")};
  if (coin()) {
    attachment.xml_content = text(250);
  } else {
    attachment.xml_blob = blob_name(sha256(text(9)));
  }
  if (coin()) attachment.format = XmlFormat::llm_response;
  if (coin()) attachment.version = 1;
  if (coin()) attachment.created_at = epoch_ms();
  if (coin()) attachment.size = static_cast<std::int64_t>(below(1 << 20));
  if (coin()) attachment.response_id = id("resp_");
  attachment.attributes = attributes();
  return attachment;
}

Keyword RandomRecords::keyword() {
  Keyword keyword{.term = text(255, 1), .frequency = static_cast<std::int64_t>(below(1'000'000))};
  keyword.subjects = texts(5, 20);
  if (coin()) keyword.score = unit_interval();
  if (coin()) keyword.created_at = epoch_ms();
  keyword.last_seen = epoch_ms();
  if (coin()) keyword.source_xml_hash = hash();
  keyword.attributes = attributes();
  return keyword;
}

Subject RandomRecords::subject() {
  Subject subject{.id = text(100, 1), .topic = id("topic_")};
  if (coin()) subject.name = text(100, 1);
  if (coin()) subject.description = text(300);
  subject.keywords = texts(10, 20);
  for (std::size_t i = below(4); i > 0; --i) subject.time_ranges.push_back({epoch_ms(), epoch_ms()});
  subject.message_count = static_cast<std::int64_t>(below(1'000'000));
  if (coin()) subject.created_at = epoch_ms();
  subject.last_seen_at = epoch_ms();
  subject.archived = coin();
  if (coin()) subject.source_xml_hash = hash();
  subject.attributes = attributes();
  return subject;
}

Summary RandomRecords::summary() {
  auto const version = 1 + static_cast<std::int64_t>(below(1000));
  Summary summary{.topic = id("topic_"), .version = version};
  summary.id = summary_id(summary.topic, version);
  summary.content = text(300);
  summary.subjects = texts(3, 20);
  summary.keywords = texts(10, 20);
  if (coin()) summary.previous_version = summary_id(summary.topic, version - 1);
  if (coin()) summary.created_at = epoch_ms();
  if (coin()) summary.updated_at = epoch_ms();
  if (coin()) summary.change_reason = text(100);
  if (coin()) summary.source_xml_hash = hash();
  summary.attributes = attributes();
  return summary;
}

SystemPromptTemplate RandomRecords::prompt_template() {
  SystemPromptTemplate prompt{.model_id = text(100, 1), .prompt_text = text(500)};
  prompt.version = 1 + static_cast<std::int64_t>(below(1000));
  if (coin()) prompt.xml_schema_version = 1;
  if (coin()) prompt.created_at = epoch_ms();
  if (coin()) prompt.updated_at = epoch_ms();
  if (coin()) prompt.active = coin();
  prompt.attributes = attributes();
  return prompt;
}

Record RandomRecords::next() {
  switch (below(std::variant_size_v<Record>)) {
    case 0:
      return unit();
    case 1:
      return response();
    case 2:
      return feedback();
    case 3:
      return manifest();
    case 4:
      return topic();
    case 5:
      return message();
    case 6:
      return attachment();
    case 7:
      return keyword();
    case 8:
      return subject();
    case 9:
      return summary();
    default:
      return prompt_template();
  }
}

}  // namespace whence::schema::test
