#pragma once
// Records as their JSON text, changed in one place, and what is wrong with them: the builders of the rule tests.

#include "schema/base/time.hpp"
#include "schema/records/check.hpp"

#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

namespace whence::schema::test {

/// One change to a good record, and what it breaks: "" for nothing, else "rule path".
struct Case {
  std::string name;
  std::string_view base;  ///< the good record
  std::string path;       ///< JSON Pointer of the member to set; "-" before it removes the member
  std::string value;      ///< JSON text
  std::string verdict;    ///< what is found: "rule path" for each violation, separated by "; "
};
std::ostream& operator<<(std::ostream& out, Case const& each);

// Good records, one of each type; the unit is a second version. Constants, since the tables of cases are made of them
// before main.
inline constexpr std::string_view unit =
    R"({"$type$":"ContextUnit","id":"cu_2","type":"User","source":"memory:project","timestamp":"2025-10-09T16:15:00Z",)"
    R"("contribution_weight":0.5,"embedding_id":"vec_1","summary":"s","version":2,"previous_version_id":"cu_1",)"
    R"("updated_by_response_id":"resp_1","derived_from":["cu_7","cu_8"],"attributes":{"a":1}})";

inline constexpr std::string_view response =
    R"({"$type$":"Response","id":"resp_1","timestamp":"2025-10-09T16:15:00Z","agent":"claude","model":"m",)"
    R"("token_count":1984,"context_units":[{"context_unit_id":"cu_1","weight":0.6},)"
    R"({"context_unit_id":"cu_2","weight":0.4}],"attributes":{}})";

inline constexpr std::string_view feedback =
    R"({"$type$":"FeedbackRecord","id":"fb_1","response_id":"resp_1","timestamp":"2025-10-09T16:15:00Z","score":0.5,)"
    R"("feedback_text":"good","user_id":"u"})";

inline constexpr std::string_view decision =
    R"({"$type$":"Decision","id":"dec_1","subject":"Answer:req_1","verdict":"override","by":"ann",)"
    R"("timestamp":"2025-10-09T16:15:00Z","reason":"The price is an old one."})";

inline constexpr std::string_view person = R"({"$type$":"Person","id":"anna","name":"Anna Meier"})";

inline constexpr std::string_view session = R"({"$type$":"Session","id":"chat-7","name":"The bill"})";

inline constexpr std::string_view hold =
    R"({"$type$":"Hold","id":"hold_1","refs":["Response:resp_1"],"person":"anna","reason":"a lawsuit",)"
    R"("timestamp":"2025-10-09T16:15:00Z"})";

inline constexpr std::string_view manifest =
    R"({"$type$":"LineageManifest","response_id":"resp_1","timestamp":"2025-10-09T16:15:00Z","agent":"claude",)"
    R"("model":"m","token_count":1984,"context_tree":[)"
    R"({"id":"cu_1","type":"User","source":"s","weight":0.6,"embedding_id":"vec_1","summary":"one"},)"
    R"({"id":"cu_2","type":"External","source":"t","weight":0.4,"embedding_id":null}],)"
    R"("provenance_tree":{"root":"resp_1","edges":[{"from":"cu_2","to":"resp_1","weight":0.4},)"
    R"({"from":"cu_1","to":"resp_1","weight":0.6}]}})";

inline constexpr std::string_view topic = R"({"$type$":"Topic","id":"t","name":"Topic","createdAt":1728234567890})";

inline constexpr std::string_view message =
    R"({"$type$":"Message","id":"m","topicId":"t","createdAt":1728234567890,"role":"user","text":"hello"})";

inline constexpr std::string_view discussion =
    R"({"$type$":"Discussion","userId":"user-1","discussionId":"disc-1","topic":"How to test",)"
    R"("createdAt":1733000000000,"updatedAt":1733000000000})";

inline constexpr std::string_view round =
    R"({"$type$":"DiscussionRound","userId":"user-1","discussionId":"disc-1","roundNumber":2,)"
    R"("timestamp":1733000000001,)"
    R"("analyzerResponse":{"persona":"Analyzer AI","turn":4,"content":"A","timestamp":1733000000001},)"
    R"("solverResponse":{"persona":"Solver AI","turn":5,"content":"S","timestamp":1733000000001},)"
    R"("moderatorResponse":{"persona":"Moderator AI","turn":6,"content":"M","timestamp":1733000000001},)"
    R"("questions":{"questions":["Which?"]},"userAnswers":["yes"]})";

inline constexpr std::string_view summary_entry =
    R"({"$type$":"SummaryEntry","userId":"user-1","discussionId":"disc-1","roundNumber":2,"summary":"In short.",)"
    R"("replacesRounds":[1,2],"tokenCountBefore":431,"tokenCountAfter":253,"createdAt":1733000000099})";

inline constexpr std::string_view source_document =
    R"({"$type$":"Document","document_name":"safety_manual.pdf","title":"Safety","uri":"file:///s.pdf",)"
    R"("sha256":"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",)"
    R"("timestamp":"2025-10-09T16:15:00Z"})";

inline constexpr std::string_view chunk =
    R"({"$type$":"RetrievedChunk","chunk_id":"chunk_5","content":"Wear gloves.","metadata":)"
    R"({"document_name":"safety_manual.pdf","page_number":5,"section":"Chemicals","chunk_index":0}})";

inline constexpr std::string_view retrieval =
    R"({"$type$":"RetrievedChunk","request_id":"req_1","rank":1,"chunk_id":"chunk_5","content":"Wear gloves.",)"
    R"("metadata":{"document_name":"safety_manual.pdf","page_number":5,"section":"Chemicals","chunk_index":0},)"
    R"("similarity_score":0.87})";

inline constexpr std::string_view query =
    R"({"$type$":"Query","request_id":"req_1","question":"What to wear?",)"
    R"("filters":{"source":"safety_manual.pdf","max_results":5},"timestamp":"2025-10-09T16:15:00Z"})";

/// Without its `vector`, which is long.
inline constexpr std::string_view embedding_without_vector =
    R"({"$type$":"EmbeddingVector","request_id":"req_1","model_name":"all-MiniLM-L6-v2","dimension":384})";

inline constexpr std::string_view prompt =
    R"({"$type$":"PromptContext","request_id":"req_1","question":"What to wear?","retrieved_chunks":)"
    R"([{"chunk_id":"chunk_5"},{"chunk_id":"chunk_6"}],"system_prompt":"Answer.","formatted_context":"Context 1"})";

inline constexpr std::string_view answer =
    R"({"$type$":"Answer","request_id":"req_1","answer":"Gloves [safety_manual.pdf, page 5].","citations":)"
    R"([{"document_name":"safety_manual.pdf","excerpt":"Wear gloves.","page_number":5,"section":"Chemicals",)"
    R"("chunk_id":"chunk_5"}],"confidence":0.87,"processing_time_ms":3420})";

inline constexpr std::string_view citation =
    R"({"$type$":"Citation","request_id":"req_1","document_name":"safety_manual.pdf","excerpt":"Wear gloves.",)"
    R"("page_number":5,"section":"Chemicals","chunk_id":"chunk_5"})";

/// The latest time that the tests allow: 2025-10-09T16:15:05Z.
inline constexpr Time latest{1'760'026'505, 0};

/// `base` with the member at `path` set to `value`, or removed where `path` starts with "-".
[[nodiscard]] std::string changed(std::string_view base, std::string_view path, std::string_view value);

/// Parses, decodes and checks one record given as JSON.
[[nodiscard]] IncomingRecord validate(std::string_view record);

/// "rule path; rule path", sorted by path; "" for a good record.
[[nodiscard]] std::string verdict(std::string_view record);

/// A JSON string of `count` times `unit_text`.
[[nodiscard]] std::string quoted(std::size_t count, std::string_view unit_text = "x");

/// A JSON array of `count` uses of equal weight.
[[nodiscard]] std::string uses(std::size_t count);

/// A JSON array of `count` times `item`.
[[nodiscard]] std::string list_of(std::size_t count, std::string_view item);

/// `record` in the one spelling of equal texts, with members that are null left out.
[[nodiscard]] std::string without_nulls(std::string_view record);

/// `record` as the store gives it back: encoded, decoded, named by its id.
[[nodiscard]] Record stored_and_read(Record const& record);

}  // namespace whence::schema::test
