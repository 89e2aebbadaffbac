#pragma once
// Every fixed bound of the vocabulary, once. What an operator may change stands in engine/config.hpp and
// net/config.hpp.

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
inline constexpr std::size_t context_units_max = 50;
inline constexpr double weight_sum_tolerance = 0.01 + 1e-9;  ///< of binary64 sums around 1
inline constexpr std::size_t manifest_bytes_max = 5119;      ///< compact JSON
inline constexpr std::size_t attributes_bytes_max = 16384;   ///< compact JSON
inline constexpr std::int64_t int32_max = 2147483647;
inline constexpr std::int64_t integer_max = 9007199254740991;  ///< 2^53 - 1, exact in binary64

// Attachments.
inline constexpr std::size_t inline_xml_bytes_max = 1024;  ///< longer texts are blobs
inline constexpr std::int64_t xml_schema_version = 1;      ///< the one version of the XML contract there is

// Errors.
inline constexpr std::size_t violations_max = 100;
inline constexpr std::size_t seen_bytes_max = 120;

// The graph: vertices, edges and transactions are numbered with 32 bits in memory.
inline constexpr std::uint64_t graph_numbers_max = 0xffff'fff0;

// JSON.
inline constexpr std::size_t json_depth_max = 64;

// Requests.
inline constexpr std::size_t refs_max = 1000;
inline constexpr std::size_t idempotency_key_bytes_max = 255;
inline constexpr std::size_t node_edges_max = 1000;  ///< edges shown by `include: ["edges"]`
inline constexpr std::uint32_t page_default = 1000;

}  // namespace whence::schema::limits
