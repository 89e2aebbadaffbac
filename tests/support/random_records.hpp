#pragma once
// Random valid records for property tests.

#include "schema/records/discussion/discussion.hpp"
#include "schema/records/records.hpp"

#include <cstdint>
#include <random>
#include <string>

namespace whence::schema::test {

/// Makes records of every type as a client may give them: members hold their rules, every optional member is sometimes
/// absent, and members that only the server sets always.
class RandomRecords {
 public:
  explicit RandomRecords(std::uint64_t seed) : seed_(seed), engine_(seed) {}

  [[nodiscard]] Record next();
  [[nodiscard]] std::uint64_t seed() const noexcept { return seed_; }

  /// 0..end-1.
  [[nodiscard]] std::size_t below(std::size_t end);
  /// Up to `length_max` code points of one to four bytes.
  [[nodiscard]] std::string text(std::size_t length_max, std::size_t length_min = 0);
  [[nodiscard]] std::string id(std::string const& prefix);
  [[nodiscard]] double unit_interval();

 private:
  [[nodiscard]] bool coin() { return below(2) == 0; }
  [[nodiscard]] Time time();
  [[nodiscard]] std::optional<Attributes> attributes();
  [[nodiscard]] ContextUnit unit();
  [[nodiscard]] Response response();
  [[nodiscard]] FeedbackRecord feedback();
  [[nodiscard]] Decision decision();
  [[nodiscard]] Hold hold();
  [[nodiscard]] Person person();
  [[nodiscard]] Session session();
  [[nodiscard]] LineageManifest manifest();
  [[nodiscard]] Topic topic();
  [[nodiscard]] Message message();
  [[nodiscard]] XmlMessageAttachment attachment();
  [[nodiscard]] Keyword keyword();
  [[nodiscard]] Subject subject();
  [[nodiscard]] Summary summary();
  [[nodiscard]] SystemPromptTemplate prompt_template();
  [[nodiscard]] Discussion discussion();
  [[nodiscard]] DiscussionRound round();
  [[nodiscard]] ConversationMessage response_of(Persona persona, std::int64_t round_number);
  [[nodiscard]] SummaryEntry summary_entry();
  [[nodiscard]] Document document();
  [[nodiscard]] RetrievedChunk chunk();
  [[nodiscard]] Query query();
  [[nodiscard]] EmbeddingVector embedding_vector();
  [[nodiscard]] PromptContext prompt_context();
  [[nodiscard]] Answer answer();
  [[nodiscard]] Citation citation();
  [[nodiscard]] ProvNode prov_node();
  [[nodiscard]] ProvAttributes prov_attributes();
  [[nodiscard]] ProvRelation prov_relation();
  [[nodiscard]] std::string ref();
  [[nodiscard]] QuestionSet questions();
  [[nodiscard]] ChunkMetadata metadata();
  [[nodiscard]] std::vector<float> numbers(std::size_t count);
  [[nodiscard]] std::string key_part();
  [[nodiscard]] EpochMs epoch_ms();
  [[nodiscard]] std::string hash();
  [[nodiscard]] std::vector<std::string> texts(std::size_t count_max, std::size_t length_max);

  std::uint64_t seed_;
  std::mt19937_64 engine_;
};

}  // namespace whence::schema::test
