#pragma once
// What a node is to what was made from it: evidence, an instruction, or the question.

#include "graph/shares/withdrawal.hpp"
#include "queries/view/view.hpp"
#include "schema/base/error.hpp"

#include <span>
#include <string_view>
#include <unordered_set>

namespace whence::queries {

/// Whether a context unit with this source is an instruction: `message:system` or `message:developer`.
[[nodiscard]] bool is_instruction(std::string_view source) noexcept;

/// Whether it is what a user asked: `message:user` or `message:human`.
[[nodiscard]] bool is_question(std::string_view source) noexcept;

/// The source that a unit had which is gone, as far as the edges to what was made from it say that it was an
/// instruction or a question: "message:system" or "message:user"; else empty. O(its effects).
[[nodiscard]] std::string_view source_of_gone(Snapshot const& snapshot, VertexId unit);

/// Whether nodes of the type are sources: what a model was given and did not say.
[[nodiscard]] constexpr bool is_source(schema::RecordType type) noexcept {
  return type == schema::RecordType::context_unit || type == schema::RecordType::retrieved_chunk ||
         type == schema::RecordType::document || type == schema::RecordType::message;
}

/// The kinds of some nodes. A question is a Query, its embedding, an XML message that was made from nothing, and a unit
/// that `is_question`; an instruction a SystemPromptTemplate and a unit that `is_instruction`; all else is evidence. Of
/// a unit that is gone its edges say it.
class SourceKinds {
 public:
  /// Reads what units among `vertices` need. Fails with `corrupt`, or as the interrupt says.
  [[nodiscard]] static Result<SourceKinds> of(View const& view, std::span<VertexId const> vertices,
                                              Budget const& budget);

  /// Of one of the vertices.
  [[nodiscard]] graph::CauseKind operator()(VertexId vertex) const;

 private:
  explicit SourceKinds(Snapshot const& snapshot) : snapshot_{snapshot} {}

  Snapshot snapshot_;
  std::unordered_set<std::uint32_t> instructions_ = {};  ///< numbers of units
  std::unordered_set<std::uint32_t> questions_ = {};
};

}  // namespace whence::queries
