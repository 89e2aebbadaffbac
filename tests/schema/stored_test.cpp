// The stored form: written content reads back, equal records have equal words, and damage is found or harmless.
#include "schema/records/discussion/discussion.hpp"
#include "schema/stored/codec.hpp"
#include "tests/schema/json/wire.hpp"
#include "tests/support/random_records.hpp"
#include "tests/support/seed.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <set>
#include <utility>

#include <boost/test/unit_test.hpp>

namespace whence::schema::stored {
namespace {

using test::RandomRecords;

/// Clears the members that make up a record's id, and what only the graph or the input has.
template <class T>
void clear_identity(T& record) {
  if constexpr (requires { T::id_member; }) {
    record.*T::id_member = {};
  } else {
    record.id.clear();
  }
}
void clear_identity(Subject& subject) {
  subject.topic.clear();
  subject.id.clear();
}
void clear_identity(Summary& summary) {
  summary.topic.clear();
  summary.id.clear();
  summary.version = 1;
}
void clear_identity(SystemPromptTemplate& prompt) {
  prompt.model_id.clear();
  prompt.version = 1;
}

void clear_identity(Discussion& discussion) {
  discussion.user_id.clear();
  discussion.discussion_id.clear();
}
/// Persona and turn follow from the place of a response and the round's number.
void clear_identity(DiscussionRound& round) {
  round.user_id.clear();
  round.discussion_id.clear();
  round.round_number = 1;
  for (Speaker const& each : speakers()) {
    if (auto& response = round.*each.response) {
      response->persona.reset();
      response->turn.reset();
    }
  }
}
void clear_identity(SummaryEntry& summary) {
  summary.user_id.clear();
  summary.discussion_id.clear();
  summary.round_number = 1;
}
/// That a chunk was retrieved is in the graph only.
void clear_identity(RetrievedChunk& chunk) {
  chunk.chunk_id.clear();
  chunk.request_id.reset();
  chunk.rank.reset();
  chunk.similarity_score.reset();
}
/// The other members of a chunk are for input alone.
void clear_identity(PromptContext& prompt) {
  prompt.request_id.clear();
  for (auto& chunk : prompt.retrieved_chunks) chunk = {.chunk_id = chunk.chunk_id};
}

/// The content of a record as the stored form keeps it.
Record content_of(Record record) {
  std::visit([](auto& each) { clear_identity(each); }, record);
  if (auto* response = std::get_if<Response>(&record)) response->context_units.clear();
  return record;
}

/// Manifests and citations have no stored form of their own.
bool is_stored(Record const& record) {
  return info(type_of(record)).is_node;
}

LogEntry random_entry(RandomRecords& random) {
  LogEntry entry{.tx = TxId{1 + random.below(1'000'000)},
                 .at = {static_cast<std::int64_t>(random.below(2'000'000'000)), 5},
                 .actor = random.text(5),
                 .who = random.text(5),
                 .reason = random.text(50),
                 .idempotency_key = random.text(50),
                 .previous = sha256(random.text(5)),
                 .changes = {}};
  for (ChangeKind const kind : {ChangeKind::put, ChangeKind::revise, ChangeKind::hide, ChangeKind::deprecate}) {
    bool const has_digest = kind == ChangeKind::put || kind == ChangeKind::revise;
    for (std::size_t i = random.below(6); i > 0; --i) {
      entry.changes.push_back({.vertex = VertexId{static_cast<std::uint32_t>(random.below(1'000'000))},
                               .kind = kind,
                               .digest = has_digest ? sha256(random.text(9)) : Digest{}});
    }
  }
  return entry;
}

KeptAnswer random_answer(RandomRecords& random) {
  KeptAnswer answer{.batch = sha256(random.text(5)), .tx = TxId{random.below(1'000'000)}, .refs = {}, .warnings = {}};
  for (std::size_t i = random.below(20); i > 0; --i) answer.refs.push_back(random.id("ContextUnit:cu_"));
  if (random.below(2) == 0) {
    answer.warnings.push_back({.rule = "r", .path = "/p", .index = 0, .seen = random.text(9), .message = "m"});
    answer.warnings.push_back({.rule = "r", .path = "", .seen = "", .message = random.text(9)});
  }
  return answer;
}

// Claim: decoding what was encoded gives the content again, aligned or not. Method: random records of every type.
BOOST_AUTO_TEST_CASE(reads_back_every_record) {
  RandomRecords random{whence::test::seed_from_environment()};
  for (int i = 0; i < 5000; ++i) {
    Record const record = random.next();
    if (!is_stored(record)) continue;
    BOOST_TEST_CONTEXT("seed " << random.seed() << " round " << i) {
      Words const words = encode(record);
      auto const decoded = decode(type_of(record), bytes_of(words));
      BOOST_TEST_REQUIRE(decoded.has_value());
      BOOST_TEST((*decoded == content_of(record)));

      std::vector<std::byte> shifted(words.size() * 8 + 1);
      std::memcpy(shifted.data() + 1, words.data(), words.size() * 8);
      auto const unaligned = decode(type_of(record), std::span{shifted}.subspan(1));
      BOOST_TEST_REQUIRE(unaligned.has_value());
      BOOST_TEST((*unaligned == *decoded));
      BOOST_TEST((encode(*decoded) == words));
    }
  }
}

BOOST_AUTO_TEST_CASE(reads_back_log_entries_and_answers) {
  RandomRecords random{whence::test::seed_from_environment()};
  for (int i = 0; i < 500; ++i) {
    LogEntry const entry = random_entry(random);
    KeptAnswer const answer = random_answer(random);
    BOOST_TEST_CONTEXT("seed " << random.seed() << " round " << i) {
      BOOST_TEST((decode_log_entry(bytes_of(encode(entry))).value() == entry));
      BOOST_TEST((decode_kept_answer(bytes_of(encode(answer))).value() == answer));
    }
  }
}

BOOST_AUTO_TEST_CASE(reads_back_a_log_entry_of_many_changes) {
  RandomRecords random{whence::test::seed_from_environment()};
  LogEntry entry = random_entry(random);
  entry.changes.assign(100'000, {VertexId{1}, ChangeKind::put, sha256("digest")});
  BOOST_TEST((decode_log_entry(bytes_of(encode(entry))).value() == entry));
}

/// The words of an entry of one change, with another number as its kind.
Words entry_of_kind(Change const& change, std::uint8_t kind) {
  LogEntry const entry{
      .tx = TxId{1}, .at = {}, .actor = "", .idempotency_key = "", .previous = {}, .changes = {change}};
  Words words = encode(entry);
  constexpr std::size_t kind_byte = 4;  // of a change: behind its vertex
  constexpr std::size_t words_of_change = 5;
  auto const bytes = std::as_writable_bytes(std::span{words});
  bytes[bytes.size() - words_of_change * 8 + kind_byte] = std::byte{kind};
  return words;
}

BOOST_AUTO_TEST_CASE(refuses_kinds_of_change_it_does_not_know) {
  Change const change{VertexId{1}, ChangeKind::put, sha256("row")};
  BOOST_TEST(decode_log_entry(bytes_of(entry_of_kind(change, 2))).value().changes[0].kind == ChangeKind::revise);
  BOOST_TEST(decode_log_entry(bytes_of(entry_of_kind(change, 4))).has_error());
  BOOST_TEST(decode_log_entry(bytes_of(entry_of_kind(change, 255))).has_error());
}

BOOST_AUTO_TEST_CASE(refuses_digests_of_what_has_no_content) {
  Change const change{VertexId{1}, ChangeKind::put, sha256("row")};
  BOOST_TEST(decode_log_entry(bytes_of(entry_of_kind(change, 1))).has_error());
  BOOST_TEST(decode_log_entry(bytes_of(entry_of_kind(change, 3))).has_error());
}

BOOST_AUTO_TEST_CASE(refuses_changes_out_of_order) {
  constexpr std::array<ChangeKind, 4> order = {ChangeKind::put, ChangeKind::revise, ChangeKind::hide,
                                               ChangeKind::deprecate};
  for (std::size_t first = 0; first < order.size(); ++first) {
    for (std::size_t second = 0; second < order.size(); ++second) {
      // Without digests a change takes one word, and the changes end the message.
      LogEntry entry{.tx = TxId{1}, .at = {}, .actor = "", .idempotency_key = "", .previous = {}, .changes = {}};
      entry.changes = {{VertexId{1}, ChangeKind::put, {}}, {VertexId{2}, ChangeKind::put, {}}};
      Words words = encode(entry);
      auto const bytes = std::as_writable_bytes(std::span{words});
      bytes[bytes.size() - 12] = static_cast<std::byte>(order[first]);
      bytes[bytes.size() - 4] = static_cast<std::byte>(order[second]);
      BOOST_TEST(decode_log_entry(bytes_of(words)).has_value() == (first <= second),
                 order[first] << " before " << order[second]);
    }
  }
}

BOOST_AUTO_TEST_CASE(finds_the_changes_of_a_kind) {
  RandomRecords random{whence::test::seed_from_environment()};
  LogEntry const entry = random_entry(random);
  std::size_t count = 0;
  for (ChangeKind const kind : {ChangeKind::put, ChangeKind::revise, ChangeKind::hide, ChangeKind::deprecate}) {
    for (Change const& change : changes_of(entry, kind)) BOOST_TEST(change.kind == kind);
    count += changes_of(entry, kind).size();
  }
  BOOST_TEST(count == entry.changes.size());
}

BOOST_AUTO_TEST_CASE(reads_back_what_only_the_server_says) {
  Summary const summary{.increment = "and this", .subjects = {"s"}, .keywords = {"k", "l"}};
  BOOST_TEST((decode(RecordType::summary, bytes_of(encode(summary))).value() == Record{summary}));
}

BOOST_AUTO_TEST_CASE(tells_empty_from_absent) {
  ContextUnit unit{.id = "cu_1", .source = "s", .summary = "", .derived_from = std::vector<std::string>{}};
  auto const decoded = std::get<ContextUnit>(decode(RecordType::context_unit, bytes_of(encode(unit))).value());
  BOOST_TEST(decoded.summary.has_value());
  BOOST_TEST(decoded.derived_from.has_value());
  BOOST_TEST(!decoded.embedding_id.has_value());
}

BOOST_AUTO_TEST_CASE(gives_equal_records_equal_words) {
  FeedbackRecord const zero{.response_id = "resp_1", .score = 0.0};
  FeedbackRecord const minus_zero{.response_id = "resp_1", .score = -0.0};
  BOOST_TEST((encode(zero) == encode(minus_zero)));
}

BOOST_AUTO_TEST_CASE(fingerprints_identity_and_references_too) {
  Response const base{.id = "resp_1", .agent = "a", .model = "m", .context_units = {{"cu_1", 1.0}}};
  Response other_id = base;
  other_id.id = "resp_2";
  Response other_use = base;
  other_use.context_units[0].weight = 0.995;
  BOOST_TEST((encode(base) == encode(other_id)));
  BOOST_TEST(fingerprint(base) == fingerprint(Response{base}));
  BOOST_TEST(fingerprint(base) != fingerprint(other_id));
  BOOST_TEST(fingerprint(base) != fingerprint(other_use));
  Response with_unit = base;
  with_unit.context_units[0].content = "text";
  BOOST_TEST(fingerprint(base) != fingerprint(with_unit));
  BOOST_TEST(fingerprint(Topic{.id = "x"}) != fingerprint(FeedbackRecord{.id = "x"}));
}

BOOST_AUTO_TEST_CASE(fingerprints_the_text_of_an_attachment) {
  XmlMessageAttachment const base{.topic_id = "t", .message_id = "m", .xml = "<a/>"};
  auto other_text = base;
  other_text.xml = "<b/>";
  auto other_name = base;
  other_name.xml_content = std::exchange(other_name.xml, {});
  BOOST_TEST((encode(base) == encode(other_text)));
  BOOST_TEST(fingerprint(base) != fingerprint(other_text));
  BOOST_TEST(fingerprint(base) != fingerprint(other_name));
}

BOOST_AUTO_TEST_CASE(keeps_no_identity_in_the_content) {
  Subject const subject{.id = "s", .topic = "t"};
  Subject const other_subject{.id = "other", .topic = "u"};
  BOOST_TEST((encode(subject) == encode(other_subject)));
  BOOST_TEST(fingerprint(subject) != fingerprint(other_subject));
  SystemPromptTemplate const prompt{.model_id = "m", .version = 1};
  SystemPromptTemplate const other_prompt{.model_id = "n", .version = 2};
  BOOST_TEST((encode(prompt) == encode(other_prompt)));
  BOOST_TEST((encode(Keyword{.term = "a"}) == encode(Keyword{.term = "b"})));
  BOOST_TEST(
      (encode(Summary{.id = "t-v1", .topic = "t"}) == encode(Summary{.id = "u-v2", .topic = "u", .version = 2})));
}

BOOST_AUTO_TEST_CASE(keeps_nothing_that_only_answers_say) {
  BOOST_TEST((encode(Keyword{.term = "a", .dangling = true}) == encode(Keyword{.term = "a"})));
  BOOST_TEST((encode(Subject{.id = "a", .dangling = true}) == encode(Subject{.id = "a"})));
  BOOST_TEST((encode(Summary{.id = "a", .dangling = true}) == encode(Summary{.id = "a"})));
}

BOOST_AUTO_TEST_CASE(keeps_the_round_that_was_asked_for) {
  Discussion const discussion{.topic = "t", .open_round = 3};
  BOOST_TEST((decode(RecordType::discussion, bytes_of(encode(discussion))).value() == Record{discussion}));
  Discussion const asked{.open_round = 1,
                         .open_questions = QuestionSet{.json = R"({"b":1,"a":2})", .sorted = R"({"a":2,"b":1})"}};
  auto const words = encode(asked);
  auto const back = std::get<Discussion>(decode(RecordType::discussion, bytes_of(words)).value());
  BOOST_TEST((back == asked));
  BOOST_TEST(back.open_questions->json == asked.open_questions->json);
}

BOOST_AUTO_TEST_CASE(keeps_the_order_of_questions) {
  DiscussionRound const given{.questions = QuestionSet{.json = R"({"b":1,"a":2})", .sorted = R"({"a":2,"b":1})"}};
  auto const words = encode(given);
  auto const back = std::get<DiscussionRound>(decode(RecordType::discussion_round, bytes_of(words)).value());
  BOOST_TEST(back.questions->json == given.questions->json);
  BOOST_TEST(back.questions->sorted == given.questions->sorted);
}

BOOST_AUTO_TEST_CASE(keeps_an_open_round_as_far_as_it_came) {
  DiscussionRound const given{.analyzer_response = ConversationMessage{.content = "", .timestamp = EpochMs{0}}};
  BOOST_TEST((decode(RecordType::discussion_round, bytes_of(encode(given))).value() == Record{given}));
}

BOOST_AUTO_TEST_CASE(tells_empty_filters_from_none) {
  Query const none{.question = "why"};
  Query const empty{.question = "why", .filters = QueryFilters{}};
  BOOST_TEST((decode(RecordType::query, bytes_of(encode(none))).value() == Record{none}));
  BOOST_TEST((decode(RecordType::query, bytes_of(encode(empty))).value() == Record{empty}));
}

BOOST_AUTO_TEST_CASE(keeps_pages_and_confidences_of_zero) {
  RetrievedChunk const chunk{.metadata = {.document_name = "d", .page_number = 0, .section = ""}};
  BOOST_TEST((decode(RecordType::retrieved_chunk, bytes_of(encode(chunk))).value() == Record{chunk}));
  Answer const answer{.citations = {{.document_name = "d", .page_number = 0}}, .message = ""};
  BOOST_TEST((decode(RecordType::answer, bytes_of(encode(answer))).value() == Record{answer}));
}

BOOST_AUTO_TEST_CASE(gives_equal_vectors_equal_words) {
  EmbeddingVector const zero{.vector = {0.0F, 1.0F}, .dimension = 2};
  EmbeddingVector const minus_zero{.vector = {-0.0F, 1.0F}, .dimension = 2};
  BOOST_TEST((encode(zero) == encode(minus_zero)));
}

BOOST_AUTO_TEST_CASE(refuses_numbers_that_are_not_finite_in_vectors) {
  EmbeddingVector const embedding{.vector = {std::numeric_limits<float>::infinity()}, .dimension = 1};
  BOOST_TEST(decode(RecordType::embedding_vector, bytes_of(encode(embedding))).has_error());
}

// Such a chunk would be written back without its place.
BOOST_AUTO_TEST_CASE(refuses_places_without_a_document) {
  RetrievedChunk const named{.metadata = {.document_name = "dddddddd", .page_number = 5}};
  Words words = encode(named);
  std::string_view const text{reinterpret_cast<char const*>(words.data()), words.size() * sizeof words[0]};
  BOOST_TEST_REQUIRE(text.find("dddddddd") != std::string_view::npos);
  // The list pointer of the name counts its characters and a zero: nine, from bit 35 on. One leaves the zero only.
  bool is_found = false;
  for (auto& word : words) {
    if (word >> 32U != (9U << 3U | 2U)) continue;
    is_found = true;
    auto const rest = std::span{words}.last(2);
    word = (word & 0xffff'ffffU) | std::uint64_t{1U << 3U | 2U} << 32U;
    rest[0] = 0;
  }
  BOOST_TEST_REQUIRE(is_found);
  words.pop_back();
  auto const decoded = decode(RecordType::retrieved_chunk, bytes_of(words));
  BOOST_TEST_REQUIRE(decoded.has_error());
  BOOST_TEST(decoded.error().message.find("place") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(fingerprints_what_a_retrieval_says) {
  RetrievedChunk const chunk{.chunk_id = "c", .content = "x", .metadata = {.document_name = "d"}};
  auto retrieval = chunk;
  retrieval.request_id = "req_1";
  retrieval.similarity_score = 0.5;
  auto ranked = retrieval;
  ranked.rank = 1;
  auto closer = retrieval;
  closer.similarity_score = 0.6;
  auto elsewhere = retrieval;
  elsewhere.request_id = "req_2";
  for (auto const& each : {retrieval, ranked, closer, elsewhere}) BOOST_TEST((encode(each) == encode(chunk)));
  std::set<std::string> prints;
  for (auto const& each : {chunk, retrieval, ranked, closer, elsewhere}) prints.insert(to_hex(fingerprint(each)));
  BOOST_TEST(prints.size() == 5U);
}

BOOST_AUTO_TEST_CASE(fingerprints_all_members_of_the_chunks_of_a_prompt) {
  PromptContext const base{.request_id = "req_1", .question = "why", .retrieved_chunks = {{.chunk_id = "c"}}};
  auto with_content = base;
  with_content.retrieved_chunks[0].content = "x";
  auto with_place = base;
  with_place.retrieved_chunks[0].metadata = ChunkMetadata{.document_name = "d"};
  auto with_rank = base;
  with_rank.retrieved_chunks[0].rank = 2;
  for (auto const& each : {with_content, with_place, with_rank}) {
    BOOST_TEST((encode(each) == encode(base)));
    BOOST_TEST(fingerprint(each) != fingerprint(base));
  }
}

BOOST_AUTO_TEST_CASE(fingerprints_citations) {
  Citation const base{.request_id = "req_1", .document_name = "d", .excerpt = "x"};
  auto other = base;
  other.request_id = "req_2";
  auto paged = base;
  paged.page_number = 0;
  BOOST_TEST(fingerprint(base) != fingerprint(other));
  BOOST_TEST(fingerprint(base) != fingerprint(paged));
}

BOOST_AUTO_TEST_CASE(fingerprints_manifests) {
  auto const manifest = std::get<LineageManifest>(test::validate(test::manifest).record);
  auto changed = manifest;
  changed.context_tree[0].summary = "other";
  BOOST_TEST(fingerprint(manifest) != fingerprint(changed));
}

BOOST_AUTO_TEST_CASE(hashes_entries_as_merkle_leaves) {
  Words const words =
      encode(LogEntry{.tx = TxId{1}, .at = {}, .actor = "", .idempotency_key = "", .previous = {}, .changes = {}});
  std::string text(1, '\0');
  text.append(reinterpret_cast<char const*>(words.data()), words.size() * 8);
  BOOST_TEST(leaf_hash(bytes_of(words)) == sha256(text));
}

// Claim: damaged words are refused as corrupt, or decode to a value as good as any other (that it is the wrong one is
// for digests to find); nothing crashes. Method: every bit of some encodings flipped in turn, every cut.
template <class Decode, class Encode>
void damage(Words const& words, Decode const& decode_it, Encode const& encode_it) {
  for (std::size_t bit = 0; bit < words.size() * 64; ++bit) {
    Words broken = words;
    broken[bit / 64] ^= std::uint64_t{1} << (bit % 64);
    auto const decoded = decode_it(bytes_of(broken));
    if (decoded) {
      BOOST_TEST((decode_it(bytes_of(encode_it(*decoded))).value() == *decoded), "bit " << bit);
    } else {
      BOOST_TEST(decoded.error().code == Errc::corrupt);
    }
  }
  for (std::size_t size = 0; size < words.size() * 8; ++size) {
    BOOST_TEST(!decode_it(bytes_of(words).first(size)).has_value(), "cut at " << size);
  }
}

BOOST_AUTO_TEST_CASE(finds_damaged_records) {
  RandomRecords random{whence::test::seed_from_environment()};
  for (int i = 0; i < 24; ++i) {
    Record const record = random.next();
    if (!is_stored(record) || encode(record).size() > 150) continue;
    BOOST_TEST_CONTEXT("seed " << random.seed() << " round " << i) {
      damage(
          encode(record), [&](auto bytes) { return decode(type_of(record), bytes); },
          [](Record const& each) { return encode(each); });
    }
  }
}

BOOST_AUTO_TEST_CASE(finds_damaged_log_entries_and_answers) {
  RandomRecords random{whence::test::seed_from_environment()};
  BOOST_TEST_CONTEXT("seed " << random.seed()) {
    damage(encode(random_entry(random)), decode_log_entry, [](LogEntry const& each) { return encode(each); });
    damage(encode(random_answer(random)), decode_kept_answer, [](KeptAnswer const& each) { return encode(each); });
  }
}

BOOST_AUTO_TEST_CASE(refuses_types_that_are_not_stored) {
  Words const words = encode(Topic{.id = "t"});
  BOOST_TEST(decode(RecordType::lineage_manifest, bytes_of(words)).has_error());
  BOOST_TEST(decode(RecordType::citation, bytes_of(words)).has_error());
  BOOST_TEST(decode(RecordType::topic, {}).has_error());
}

}  // namespace
}  // namespace whence::schema::stored
