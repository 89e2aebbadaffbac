// Random values for each member of each record type.
#include "tests/support/random_records.hpp"

#include "schema/base/limits.hpp"
#include "schema/checks/embedding_models.hpp"
#include "schema/json/writer.hpp"
#include "schema/records/prov/relations.hpp"
#include "schema/types/ref.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <stdexcept>
#include <string_view>

namespace whence::schema::test {

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
  constexpr std::array others = {RecordType::retrieved_chunk, RecordType::document, RecordType::response,
                                 RecordType::message, RecordType::answer};
  for (std::size_t i = 1 + below(50); i > 0; --i) {
    auto const type = coin() ? RecordType::context_unit : others[below(others.size())];
    response.context_units.push_back(
        use_of(type, id(type == RecordType::context_unit ? "cu_" : "other_"), unit_interval()));
  }
  if (coin()) response.prompt_template = {text(100, 1), 1 + static_cast<std::int64_t>(below(2'147'483'647))};
  if (coin()) response.query_attachment = hash();
  if (coin()) response.request_id = id("req_");
  if (coin()) {
    auto& refs = response.prompt_refs.emplace();
    auto& bases = response.prompt_basis.emplace();
    for (std::size_t i = 1 + below(9); i > 0; --i) {
      refs.push_back(format_ref(RecordType::discussion_round, "u/d/" + std::to_string(i)));
      bases.push_back(static_cast<Basis>(below(names_of<Basis>.size())));
    }
  }
  if (coin()) {
    response.prompt = text(200, 100);
    response.prompt_messages = {{text(9, 1), 0, static_cast<std::int64_t>(below(50))},
                                {text(9, 1), 50, 50 + static_cast<std::int64_t>(below(50))}};
  }
  if (coin()) response.question = text(1000);
  if (coin()) response.conversation = text(200, 1);
  if (coin()) response.person = text(200, 1);
  if (coin()) response.replay_of = format_ref(coin() ? RecordType::response : RecordType::answer, id("resp_"));
  response.attributes = attributes();
  return response;
}

FeedbackRecord RandomRecords::feedback() {
  FeedbackRecord feedback{.id = id("fb_"), .response_id = id("resp_"), .timestamp = time()};
  feedback.score = 2 * unit_interval() - 1;
  if (coin()) {
    feedback.response_id.clear();
    feedback.ref = format_ref(RecordType::answer, id("req_"));
  }
  if (coin()) feedback.feedback_text = text(1000);
  if (coin()) feedback.user_id = text(100);
  feedback.attributes = attributes();
  return feedback;
}

Decision RandomRecords::decision() {
  Decision decision{.id = id("dec_"),
                    .verdict = static_cast<Verdict>(below(names_of<Verdict>.size())),
                    .by = text(100, 1),
                    .timestamp = time()};
  if (coin()) decision.subject = format_ref(coin() ? RecordType::response : RecordType::answer, id("resp_"));
  if (coin()) decision.reason = text(1000);
  decision.attributes = attributes();
  return decision;
}

Person RandomRecords::person() {
  Person person{.id = id("")};
  if (coin()) person.name = text(100, 1);
  person.attributes = attributes();
  return person;
}

Session RandomRecords::session() {
  Session session{.id = id("")};
  if (coin()) session.name = text(100, 1);
  session.attributes = attributes();
  return session;
}

Hold RandomRecords::hold() {
  Hold hold{.id = id("hold_"), .reason = text(100, 1), .timestamp = time()};
  if (coin()) hold.person = id("");
  if (coin()) hold.topic = id("");
  if (coin() || (!hold.person && !hold.topic)) hold.refs = {format_ref(RecordType::response, id("resp_"))};
  hold.attributes = attributes();
  return hold;
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
  if (coin()) topic.id_hash = hash();
  topic.attributes = attributes();
  return topic;
}

Message RandomRecords::message() {
  Message message{.id = id("msg_"), .topic_id = id("topic_")};
  if (coin()) message.created_at = epoch_ms();
  if (coin()) message.role = text(10);
  if (coin()) message.text = text(3000);
  if (coin()) message.person = text(200, 1);
  if (coin()) message.id_hash = hash();
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
  if (coin()) attachment.id_hash = hash();
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
  if (coin()) keyword.id_hash = hash();
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
  if (coin()) subject.id_hash = hash();
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
  if (coin()) summary.id_hash = hash();
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
  if (coin()) prompt.id_hash = hash();
  prompt.attributes = attributes();
  return prompt;
}

/// Part of a joined id: what its escapes are for, beside letters.
std::string RandomRecords::key_part() {
  constexpr std::array<std::string_view, 8> letters = {"a", "%", "/", "%2F", "%25", "-v1", "\u00e9", "\U0001F600"};
  std::string result = "k";
  for (std::size_t i = below(6); i > 0; --i) result.append(letters[below(letters.size())]);
  return result;
}

/// Members in either order, with the sorted text beside them where that is another.
QuestionSet RandomRecords::questions() {
  std::string first = R"("a":)";
  json::append_string(first, text(20));
  std::string const second = R"("b":[{"c":)" + std::to_string(below(9)) + "}]";
  std::string const sorted = "{" + first + "," + second + "}";
  if (coin()) return {.json = sorted, .sorted = {}};
  return {.json = "{" + second + "," + first + "}", .sorted = sorted};
}

/// Any finite numbers, with those of usual size among them.
std::vector<float> RandomRecords::numbers(std::size_t count) {
  std::vector<float> result;
  while (result.size() < count) {
    auto const any = std::bit_cast<float>(static_cast<std::uint32_t>(engine_()));
    result.push_back(coin() && std::isfinite(any) ? any : static_cast<float>(2 * unit_interval() - 1));
  }
  return result;
}

Discussion RandomRecords::discussion() {
  Discussion discussion{.user_id = key_part(), .discussion_id = key_part()};
  if (coin()) discussion.topic = text(100);
  if (coin()) discussion.created_at = epoch_ms();
  if (coin()) discussion.updated_at = epoch_ms();
  if (coin()) discussion.is_resolved = coin();
  if (coin()) discussion.needs_user_input = coin();
  discussion.attributes = attributes();
  return discussion;
}

ConversationMessage RandomRecords::response_of(Persona persona, std::int64_t round_number) {
  ConversationMessage response{.content = "x" + text(200)};
  if (coin()) response.persona = speaker(persona).name;
  if (coin()) response.turn = turn_of(round_number, persona);
  if (coin()) response.timestamp = epoch_ms();
  return response;
}

DiscussionRound RandomRecords::round() {
  DiscussionRound round{.user_id = key_part(), .discussion_id = key_part()};
  round.round_number = 1 + static_cast<std::int64_t>(below(coin() ? 20 : 3'002'399'751'580'330));
  round.timestamp = epoch_ms();
  for (Speaker const& each : speakers()) round.*each.response = response_of(each.persona, round.round_number);
  if (coin()) round.questions = questions();
  if (coin()) round.user_answers = texts(3, 30);
  round.attributes = attributes();
  return round;
}

SummaryEntry RandomRecords::summary_entry() {
  SummaryEntry summary{.user_id = key_part(), .discussion_id = key_part(), .summary = text(200, 1)};
  for (std::size_t i = 1 + below(9); i > 0; --i) {
    summary.round_number += static_cast<std::int64_t>(below(3)) + 1;
    summary.replaces_rounds.push_back(summary.round_number);
  }
  if (coin()) summary.token_count_before = static_cast<std::int64_t>(below(9'007'199'254'740'992));
  if (coin()) summary.token_count_after = static_cast<std::int64_t>(below(1000));
  if (coin()) summary.created_at = epoch_ms();
  summary.attributes = attributes();
  return summary;
}

Document RandomRecords::document() {
  Document document{.document_name = key_part()};
  if (coin()) document.title = text(50);
  if (coin()) document.uri = text(50);
  if (coin()) document.sha256 = hash();
  if (coin()) document.timestamp = time();
  document.attributes = attributes();
  return document;
}

ChunkMetadata RandomRecords::metadata() {
  ChunkMetadata metadata{.document_name = key_part()};
  if (coin()) metadata.page_number = static_cast<std::int64_t>(below(9'007'199'254'740'992));
  if (coin()) metadata.section = text(30);
  metadata.chunk_index = static_cast<std::int64_t>(below(1000));
  return metadata;
}

/// The chunk itself, or that it was retrieved.
RetrievedChunk RandomRecords::chunk() {
  RetrievedChunk chunk{.chunk_id = id("chunk_"), .content = text(300), .metadata = metadata()};
  if (coin()) {
    chunk.request_id = id("req_");
    chunk.similarity_score = unit_interval();
    if (coin()) chunk.rank = 1 + static_cast<std::int64_t>(below(2'147'483'647));
  }
  if (below(4) == 0) {
    chunk.embedding = numbers(default_embedding_dimension);
  } else if (below(4) == 0) {
    chunk.embedding = numbers(1 + below(40));
    chunk.embedding_model = "model " + std::to_string(below(3));
  }
  chunk.attributes = attributes();
  return chunk;
}

Query RandomRecords::query() {
  Query query{.request_id = id("req_"), .question = "Q" + text(998, 1) + "?"};
  if (coin()) {
    auto& filters = query.filters.emplace();
    if (coin()) filters.source = text(20);
    if (coin()) filters.max_results = 1 + static_cast<std::int64_t>(below(10));
  }
  if (coin()) query.timestamp = time();
  query.attributes = attributes();
  return query;
}

EmbeddingVector RandomRecords::embedding_vector() {
  bool const is_default = coin();
  auto const dimension = is_default ? default_embedding_dimension : 1 + below(2000);
  return {.request_id = id("req_"),
          .vector = numbers(dimension),
          .model_name = is_default ? std::string(default_embedding_model) : "model " + std::to_string(below(3)),
          .dimension = static_cast<std::int64_t>(dimension),
          .attributes = attributes()};
}

PromptContext RandomRecords::prompt_context() {
  PromptContext prompt{.request_id = id("req_"), .question = text(50)};
  for (std::size_t i = below(5); i > 0; --i) {
    auto& included = prompt.retrieved_chunks.emplace_back(IncludedChunk{.chunk_id = id("chunk_")});
    if (coin()) included.content = text(50);
    if (coin()) included.metadata = metadata();
    if (coin()) included.similarity_score = unit_interval();
    if (coin()) included.rank = 1 + static_cast<std::int64_t>(below(10));
  }
  prompt.system_prompt = text(50);
  prompt.formatted_context = text(50);
  prompt.attributes = attributes();
  return prompt;
}

Citation RandomRecords::citation() {
  Citation citation{.request_id = id("req_"), .document_name = key_part(), .excerpt = text(200)};
  if (coin()) citation.page_number = static_cast<std::int64_t>(below(1000));
  if (coin()) citation.section = text(20);
  if (coin()) citation.chunk_id = id("chunk_");
  citation.attributes = attributes();
  return citation;
}

Answer RandomRecords::answer() {
  Answer answer{.request_id = id("req_"), .confidence = (1 + unit_interval()) / 2};
  if (coin()) {
    answer.answer = text(300);
    for (std::size_t i = below(4); i > 0; --i) answer.citations.emplace_back(citation()).request_id.reset();
  }
  if (coin() || !answer.answer) answer.message = text(30);
  if (coin()) answer.processing_time_ms = static_cast<std::int64_t>(below(10'000));
  answer.attributes = attributes();
  return answer;
}

std::string RandomRecords::ref() {
  for (;;) {
    auto const& row = record_types()[below(record_types().size())];
    if (row.is_node) return format_ref(row.type, id("x:"));
  }
}

/// In the form in which equal attributes are kept: names in order, doubles with a point.
ProvAttributes RandomRecords::prov_attributes() {
  std::string json = R"({"ex:a":)";
  json::append_string(json, text(20));
  json.append(coin() ? R"(,"ex:b":[1,1.0,true,{"$":"x","type":"xsd:QName"}])" : R"(,"ex:c":{"$":"h","lang":"de"})");
  return {json.append("}")};
}

ProvRelation RandomRecords::prov_relation() {
  ProvRelation relation{.relation = std::string{prov_relations()[below(prov_relations().size())].name}};
  if (coin()) {
    relation.id = text(20, 1);
    if (coin()) relation.place = static_cast<std::int64_t>(below(2'147'483'648));
  }
  if (coin()) {
    relation.other = ref();
  } else if (coin()) {
    auto& others = relation.others.emplace();
    for (std::size_t i = below(3); i > 0; --i) others.push_back(ref());
  }
  if (below(4) == 0) relation.further = std::vector{ref()};
  relation.attributes = prov_attributes();
  return relation;
}

ProvNode RandomRecords::prov_node() {
  ProvNode node{.id = id("http://example.org/"), .qname = text(30, 1)};
  if (coin()) {
    node.attributes = prov_attributes();
    if (below(4) == 0) node.attributes->json = "[" + node.attributes->json + ",{}]";
  } else {
    node.is_declared = false;
  }
  if (coin()) {
    node.bundle = text(10, 1);
    node.bundle_iri = text(10, 1);
  }
  if (coin()) node.prefixes = PrefixMap{{{"default", text(9)}, {"ex", "http://example.org/"}}};
  if (coin()) {
    auto& relations = node.relations.emplace();
    for (std::size_t i = 1 + below(4); i > 0; --i) relations.push_back(prov_relation());
  }
  return node;
}

Record RandomRecords::next() {
  switch (record_types()[below(record_types().size())].type) {  // a type that is missing here is a warning
    case RecordType::context_unit:
      return unit();
    case RecordType::response:
      return response();
    case RecordType::feedback_record:
      return feedback();
    case RecordType::decision:
      return decision();
    case RecordType::person:
      return person();
    case RecordType::session:
      return session();
    case RecordType::hold:
      return hold();
    case RecordType::lineage_manifest:
      return manifest();
    case RecordType::topic:
      return topic();
    case RecordType::message:
      return message();
    case RecordType::xml_message_attachment:
      return attachment();
    case RecordType::keyword:
      return keyword();
    case RecordType::subject:
      return subject();
    case RecordType::summary:
      return summary();
    case RecordType::system_prompt_template:
      return prompt_template();
    case RecordType::discussion:
      return discussion();
    case RecordType::discussion_round:
      return round();
    case RecordType::summary_entry:
      return summary_entry();
    case RecordType::document:
      return document();
    case RecordType::retrieved_chunk:
      return chunk();
    case RecordType::query:
      return query();
    case RecordType::embedding_vector:
      return embedding_vector();
    case RecordType::prompt_context:
      return prompt_context();
    case RecordType::answer:
      return answer();
    case RecordType::citation:
      return citation();
    case RecordType::prov_entity:
      return ProvEntity{prov_node()};
    case RecordType::prov_activity:
      return ProvActivity{prov_node()};
    case RecordType::prov_agent:
      return ProvAgent{prov_node()};
  }
  throw std::logic_error("a record type without random records");
}

}  // namespace whence::schema::test
