#pragma once
// The example data of `whence demo`: fixed ids and times, so that its output is always the same.

#include <span>
#include <string_view>

namespace whence::tools {

/// Params of `records.write`, one per transaction, in order. Writing them again changes nothing.
[[nodiscard]] std::span<std::string_view const> story_batches() noexcept;

/// Params of a `rag.answer`, called after the batches. Repeating it changes nothing.
[[nodiscard]] std::string_view story_answer() noexcept;

inline constexpr std::string_view story_request = "req_20251014_0a1b2c";                    ///< whose answer is shown
inline constexpr std::string_view story_discussed = "Response:resp_20251014_00128";         ///< whose lineage is shown
inline constexpr std::string_view story_chunk = "RetrievedChunk:chunk_safety_manual_p9_3";  ///< whose impact is shown
inline constexpr std::string_view story_response = "Response:resp_20251011_00126";          ///< whose lineage is shown
inline constexpr std::string_view story_deprecated = "ContextUnit:cu_values_yaml_002";      ///< whose impact is shown
inline constexpr std::string_view story_summary = "Summary:family-planning-2025-v1";  ///< whose lineage is shown too
inline constexpr std::string_view story_outdated =
    "ContextUnit:cu_529_limits_007";                                   ///< whose dependent summaries are shown
inline constexpr std::string_view story_keyword = "Keyword:529-plan";  ///< traced to its sources

}  // namespace whence::tools
