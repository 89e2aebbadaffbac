#pragma once
// Histories of discussions and retrieval requests: small records, batches played in several ways, and the whole content
// of an engine as lines of text.
//
// In every way the answers and every moment must be the same: the records that the writer remembers of an open group,
// those that the store returns, and those read at start-up must not differ.

#include "graph/embeddings/vectors.hpp"
#include "schema/records/discussion/discussion.hpp"
#include "schema/records/retrieval/citation.hpp"
#include "tests/engine/answers.hpp"
#include "tests/engine/batches.hpp"
#include "tests/engine/records.hpp"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <latch>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <boost/test/unit_test.hpp>

namespace whence::test {

// --- discussions: of user "u" ---

inline schema::Discussion discussion(std::string id = "d") {
  return {.user_id = "u", .discussion_id = std::move(id)};
}

inline schema::ConversationMessage says(std::string content) {
  return {.content = std::move(content)};
}

/// A whole round whose responses are `text` and their persona.
inline schema::DiscussionRound whole_round(std::int64_t number, std::string const& text = "t", std::string id = "d") {
  return {.user_id = "u",
          .discussion_id = std::move(id),
          .round_number = number,
          .timestamp = {1'733'000'000'000 + number},
          .analyzer_response = says(text + " analyzed"),
          .solver_response = says(text + " solved"),
          .moderator_response = says(text + " moderated")};
}

/// Of the rounds 1 to `number`.
inline schema::SummaryEntry summary_of(std::int64_t number, std::string text = "In short.", std::string id = "d") {
  schema::SummaryEntry result{
      .user_id = "u", .discussion_id = std::move(id), .round_number = number, .summary = std::move(text)};
  for (std::int64_t i = 1; i <= number; ++i) result.replaces_rounds.push_back(i);
  return result;
}

inline engine::WriteBatch step_batch(engine::Step step) {
  engine::WriteBatch result;
  result.step = std::move(step);
  return result;
}

inline engine::WriteBatch opening(std::string id = "d", std::optional<std::int64_t> number = {}) {
  return step_batch(engine::RoundOpening{.discussion = discussion(std::move(id)), .round_number = number});
}

inline engine::WriteBatch responding(std::int64_t number, schema::Persona persona, std::string text = "said",
                                     std::string id = "d") {
  return step_batch(engine::RoundResponse{.user_id = "u",
                                          .discussion_id = std::move(id),
                                          .round_number = number,
                                          .persona = persona,
                                          .message = says(std::move(text))});
}

inline engine::WriteBatch answering(std::int64_t number, std::vector<std::string> answers, std::string id = "d") {
  return step_batch(engine::RoundAnswers{
      .user_id = "u", .discussion_id = std::move(id), .round_number = number, .user_answers = std::move(answers)});
}

/// `of` with answers of its user.
inline schema::DiscussionRound answered(schema::DiscussionRound of, std::vector<std::string> answers) {
  of.user_answers = std::move(answers);
  return of;
}

// --- requests ---

inline schema::Query query(std::string id, std::string question = "What is worn?") {
  return {.request_id = std::move(id), .question = std::move(question)};
}

/// A chunk of page `page` of `document`.
inline schema::RetrievedChunk chunk(std::string id, std::string document = "manual", std::int64_t page = 1) {
  auto content = "Content of " + id;
  return {.chunk_id = std::move(id),
          .content = std::move(content),
          .metadata = {.document_name = std::move(document), .page_number = page, .chunk_index = page}};
}

/// `of` as retrieved for a request.
inline schema::RetrievedChunk retrieved(std::string request, schema::RetrievedChunk of, double similarity,
                                        std::optional<std::int64_t> rank = {}) {
  of.request_id = std::move(request);
  of.similarity_score = similarity;
  of.rank = rank;
  return of;
}

/// The unit vector along one axis.
inline std::vector<float> along(std::size_t axis) {
  std::vector<float> numbers(schema::default_embedding_dimension, 0.0F);
  numbers[axis] = 1.0F;
  return numbers;
}

inline schema::RetrievedChunk embedded(schema::RetrievedChunk of, std::size_t axis) {
  of.embedding = along(axis);
  return of;
}

inline schema::EmbeddingVector embedding(std::string request, std::size_t axis) {
  return {.request_id = std::move(request),
          .vector = along(axis),
          .model_name = std::string(schema::default_embedding_model),
          .dimension = static_cast<std::int64_t>(schema::default_embedding_dimension)};
}

inline schema::PromptContext prompt(std::string request, std::vector<std::string> const& chunks) {
  schema::PromptContext result{
      .request_id = std::move(request), .question = "What is worn?", .formatted_context = "Context 1"};
  for (auto const& each : chunks) result.retrieved_chunks.push_back({.chunk_id = each});
  return result;
}

inline schema::Answer answer(std::string request, std::string text, double confidence = 0.75) {
  return {.request_id = std::move(request), .answer = std::move(text), .confidence = confidence};
}

// --- contents ---

inline std::string ref_of(graph::Snapshot const& snapshot, graph::VertexId vertex) {
  return schema::format_ref(snapshot.type(vertex), snapshot.id(vertex));
}

/// Edges among visible vertices, "FROM TYPE TO" and the values they carry, sorted. Parallel edges show as equal lines.
inline std::vector<std::string> edge_lines(graph::Snapshot const& snapshot) {
  std::vector<std::string> lines;
  auto const add = [&](graph::EdgeView const& edge, graph::EdgeId id) {
    auto line =
        ref_of(snapshot, edge.from) + ' ' + std::string(schema::name_of(edge.type)) + ' ' + ref_of(snapshot, edge.to);
    if (edge.value) line += ' ' + std::to_string(*edge.value);
    if (auto const rank = snapshot.rank(id)) line += " #" + std::to_string(rank);
    lines.push_back(std::move(line));
  };
  for (std::uint32_t i = 0; i < snapshot.vertex_count(); ++i) {
    graph::VertexId const vertex{i};
    if (snapshot.is_deleted(vertex)) continue;
    auto const causes = snapshot.causes(vertex);
    for (std::size_t k = 0; k < causes.size(); ++k) {
      add(snapshot.edge(causes.vertices[k], vertex, causes.edges[k]), causes.edges[k]);
    }
    auto const relations = snapshot.relations_from(vertex);
    for (std::size_t k = 0; k < relations.size(); ++k) {
      add(snapshot.edge(vertex, relations.vertices[k], relations.edges[k]), relations.edges[k]);
    }
  }
  std::ranges::sort(lines);
  return lines;
}

/// Every visible record as JSON after its ref, every edge, and the chunks nearest to two axes: sorted within each kind.
inline std::vector<std::string> everything(engine::Engine const& engine, graph::Snapshot const& snapshot) {
  std::vector<std::string> lines;
  for (auto const& info : schema::record_types()) {
    if (!info.is_node) continue;
    for (auto const vertex : snapshot.vertices(info.type)) {
      auto const ref = ref_of(snapshot, vertex);
      lines.push_back(ref + ' ' + schema::json::to_text(record_at(engine, snapshot, ref)));
    }
  }
  std::ranges::sort(lines);
  for (auto& line : edge_lines(snapshot)) lines.push_back(std::move(line));
  for (std::size_t const axis : {0U, 1U}) {
    auto const vector = along(axis);
    auto const found = engine.vectors().nearest(
        {.snapshot = snapshot, .vector = vector, .count = 100, .model = schema::default_embedding_model},
        schema::NoInterrupt{});
    for (auto const& match : found.value()) {
      lines.push_back("nearest " + std::to_string(axis) + ' ' + std::string(snapshot.id(match.vertex)) + ' ' +
                      std::to_string(match.similarity));
    }
  }
  return lines;
}

inline std::vector<std::string> everything(engine::Engine const& engine) {
  return everything(engine, engine.snapshot());
}

/// Of every transaction from 0 to the head.
inline std::vector<std::vector<std::string>> every_moment(engine::Engine const& engine) {
  std::vector<std::vector<std::string>> moments;
  auto const now = engine.snapshot();
  for (std::uint64_t tx = 0; tx <= schema::number(now.tx()); ++tx) {
    moments.push_back(everything(engine, now.as_of(schema::TxId{tx})));
  }
  return moments;
}

// --- histories ---

enum class Way : std::uint8_t { apart, grouped, reopened };

inline char const* name_of(Way way) noexcept {
  return way == Way::apart ? "one by one" : way == Way::grouped ? "in one group" : "with a restart after each";
}

/// An engine that plays histories.
struct HistoryFixture : EngineFixture {
  std::deque<std::latch> latches;  // live until the writer thread has ended

  ~HistoryFixture() { engine.reset(); }

  /// The outcomes and warnings of all batches, in their order.
  std::vector<std::string> play(std::vector<engine::WriteBatch> const& history, Way way) {
    if (way == Way::grouped) return play_grouped(history);
    std::vector<std::string> outcomes{text_of_answer(write_batch(batch({topic("held")})))};
    for (auto const& each : history) {
      outcomes.push_back(text_of_answer(write_batch(each)));
      if (way == Way::reopened) reopen();
    }
    return outcomes;
  }

  static std::string text_of_answer(Result<engine::WriteAnswer> const& answer) {
    auto text = outcome(answer);
    if (!answer) return text;
    for (auto const& ref : answer->refs) text += ' ' + ref;
    if (!answer->warnings.empty()) text += " warned " + warnings(answer);
    if (answer->made) text += ' ' + schema::json::to_text(*answer->made);
    for (auto const& ref : answer->removal.deleted) text += " -" + ref;
    return text;
  }

 private:
  /// The answer of a first batch holds the writer thread until all others wait, so that they form one group.
  std::vector<std::string> play_grouped(std::vector<engine::WriteBatch> const& history) {
    auto& is_held = latches.emplace_back(1);
    auto& may_go_on = latches.emplace_back(1);
    auto& answered = latches.emplace_back(static_cast<std::ptrdiff_t>(history.size()) + 1);
    std::vector<std::string> outcomes(history.size() + 1);
    engine->submit(batch({topic("held")}), [&](Result<engine::WriteAnswer> const& answer) {
      outcomes[0] = text_of_answer(answer);
      is_held.count_down();
      may_go_on.wait();
      answered.count_down();
    });
    is_held.wait();
    for (std::size_t i = 0; i < history.size(); ++i) {
      engine->submit(history[i], [&, i](Result<engine::WriteAnswer> const& answer) {
        outcomes[i + 1] = text_of_answer(answer);
        answered.count_down();
      });
    }
    may_go_on.count_down();
    answered.wait();
    return outcomes;
  }
};

/// The results of a history played in one way.
struct Played {
  std::vector<std::string> outcomes = {};
  std::vector<std::vector<std::string>> moments = {};
  std::vector<std::vector<std::string>> after_restart = {};
  bool is_sound = false;  ///< verification of the store found nothing
};

/// Plays `history` on a store of its own.
inline Played play_alone(std::vector<engine::WriteBatch> const& history, Way way) {
  HistoryFixture fixture;
  Played played{.outcomes = fixture.play(history, way)};
  played.moments = every_moment(*fixture.engine);
  played.is_sound = fixture.engine->verify().value().is_ok;
  fixture.reopen();
  played.after_restart = every_moment(*fixture.engine);
  return played;
}

/// Checks that a history gives the same results in every way, live and after a restart, and returns them.
inline Played check_in_every_way(std::vector<engine::WriteBatch> const& history) {
  auto apart = play_alone(history, Way::apart);
  BOOST_TEST(apart.is_sound);
  BOOST_TEST(apart.after_restart == apart.moments);
  for (auto const way : {Way::grouped, Way::reopened}) {
    BOOST_TEST_CONTEXT(name_of(way)) {
      auto const other = play_alone(history, way);
      BOOST_TEST(other.outcomes == apart.outcomes, boost::test_tools::per_element());
      BOOST_TEST(other.moments == apart.moments);
      BOOST_TEST(other.after_restart == apart.moments);
      BOOST_TEST(other.is_sound);
    }
  }
  return apart;
}

}  // namespace whence::test
