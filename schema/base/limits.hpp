#pragma once
// All fixed bounds. Those that an operator may change are in engine/values/config.hpp and net/base/service_config.hpp.

#include <cstddef>
#include <cstdint>

namespace whence::schema::limits {

// Records (lengths count Unicode code points unless the name says bytes).
inline constexpr std::size_t id_bytes_max = 255;
inline constexpr std::size_t term_max = 255;
inline constexpr std::size_t source_max = 255;
inline constexpr std::size_t agent_max = 100;
inline constexpr std::size_t model_max = 100;
inline constexpr std::size_t user_id_max = 100;
inline constexpr std::size_t summary_max = 500;
inline constexpr std::size_t feedback_text_max = 1000;
inline constexpr std::size_t removal_reason_max = 1000;  ///< of a deletion, a purge, or contents that are let expire
inline constexpr std::size_t context_units_max = 50;
inline constexpr std::size_t captured_units_max = 10'000;    ///< of a response in capture mode
inline constexpr std::size_t content_max = 4 << 20;          ///< of prompts, outputs and passages
inline constexpr std::size_t inline_text_bytes_max = 4096;   ///< longer ones are blobs
inline constexpr double weight_sum_tolerance = 0.01 + 1e-9;  ///< of binary64 sums around 1
inline constexpr std::size_t manifest_bytes_max = 5119;      ///< compact JSON
inline constexpr std::size_t attributes_bytes_max = 16384;   ///< compact JSON
inline constexpr std::int64_t int32_max = 2147483647;
inline constexpr std::int64_t integer_max = 9007199254740991;  ///< 2^53 - 1, exact in binary64

// Attachments.
inline constexpr std::size_t inline_xml_bytes_max = 1024;  ///< longer texts are blobs
inline constexpr std::int64_t xml_schema_version = 1;      ///< the one version of the XML contract there is

// Discussions.
inline constexpr std::size_t questions_bytes_max = 65536;  ///< compact JSON
inline constexpr std::int64_t system_prompt_tokens = 250;  ///< of each persona, where nothing else is configured
inline constexpr std::int64_t round_overhead_tokens = 75;  ///< of each included round

// Retrieval and answers.
inline constexpr std::size_t question_min = 3;
inline constexpr std::size_t question_max = 1000;
inline constexpr std::int64_t max_results_max = 10;
inline constexpr std::int64_t max_results_default = 5;
inline constexpr std::size_t excerpt_max = 200;
inline constexpr std::size_t embedding_dimension_max = 8192;
inline constexpr std::size_t embedding_spaces_max = 1000;  ///< pairs of a model and a dimension that a store has
inline constexpr double confidence_min = 0.5;  ///< below it an answer is withheld, where nothing else is configured

// Records from PROV documents of others.
inline constexpr std::size_t prov_attributes_bytes_max = 1 << 20;                ///< compact JSON
inline constexpr std::size_t prov_relations_bytes_max = std::size_t{256} << 20;  ///< of one node, from all documents
inline constexpr std::size_t prov_name_max = 65536;                              ///< of names and IRIs as written
inline constexpr std::size_t prov_prefixes_max = 1000;                           ///< that one record uses
inline constexpr std::size_t prov_records_max = 1'000'000;                       ///< made of one document

// Errors.
inline constexpr std::size_t violations_max = 100;
/// Collected of one record. More than an answer shows, so that the lowest by (index, path) are among them in all but
/// absurd records, and a record of a million mistakes does not take the time of its square.
inline constexpr std::size_t record_violations_max = 1000;
inline constexpr std::size_t seen_bytes_max = 120;

// The graph: vertices, edges and transactions are numbered with 32 bits in memory.
inline constexpr std::uint64_t graph_numbers_max = 0xffff'fff0;
inline constexpr std::uint64_t graph_edges_max = 4'250'000'000;  ///< the codes of their values have 32 bits, too
inline constexpr std::uint32_t reduction_vertices_max = 10'000;  ///< of a transitive reduction: V^2 / 8 bytes

// JSON.
inline constexpr std::size_t json_depth_max = 64;

// Requests.
inline constexpr std::size_t held_refs_max = 10'000;
inline constexpr std::size_t held_query_max = 10'000;
inline constexpr std::size_t refs_max = 1000;
inline constexpr std::size_t prompt_messages_max = 10'000;
inline constexpr std::size_t idempotency_key_bytes_max = 255;
inline constexpr std::size_t node_edges_max = 1000;  ///< edges shown by `include: ["edges"]`
inline constexpr std::uint32_t page_default = 1000;

}  // namespace whence::schema::limits
