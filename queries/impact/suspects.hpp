#pragma once
// Whom impact.blame suspects: nodes among the causes of answers, or tools, agents and models by their names.

#include "graph/walks/walk.hpp"
#include "queries/impact/params.hpp"
#include "queries/view/view.hpp"
#include "schema/base/error.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace whence::queries {

/// Dense numbers 0, 1, 2, ... of the suspects.
class Suspects {
 public:
  /// One for each suspect.
  [[nodiscard]] std::size_t count() const noexcept { return are_named_ ? names_.size() : vertices_.size(); }
  [[nodiscard]] bool are_named() const noexcept { return are_named_; }
  [[nodiscard]] VertexId vertex(std::uint32_t number) const { return vertices_[number]; }
  [[nodiscard]] std::string const& name(std::uint32_t number) const { return *names_[number]; }
  /// The suspect that the vertex at a place of the reach is, or belongs to.
  [[nodiscard]] std::optional<std::uint32_t> of_cause(std::uint32_t place) const noexcept {
    return found(causes_[place]);
  }
  /// The one that made the answer at a place of the effects itself: an agent, a model.
  [[nodiscard]] std::optional<std::uint32_t> of_answer(std::size_t place) const noexcept {
    return answers_.empty() ? std::nullopt : found(answers_[place]);
  }

 private:
  friend class SuspectSearch;
  static constexpr std::uint32_t none = 0xffff'ffff;
  static std::optional<std::uint32_t> found(std::uint32_t number) noexcept {
    return number == none ? std::nullopt : std::optional{number};
  }

  bool are_named_ = false;
  std::vector<std::uint32_t> causes_ = {};   ///< by place of the reach
  std::vector<std::uint32_t> answers_ = {};  ///< by place of the effects
  std::vector<VertexId> vertices_ = {};
  std::unordered_map<std::string, std::uint32_t> numbers_ = {};
  std::vector<std::string const*> names_ = {};  ///< keys of `numbers_`
};

/// Those of the kind `of` among what `effects` reach and, of agents and models, among the effects. Units that are
/// instructions or questions (source_kinds.hpp) are suspects only as `prompts` and `questions`. Fails as the interrupt
/// says, or with `corrupt`. O(reach).
[[nodiscard]] Result<Suspects> find_suspects(View const& view, BlameOf of, std::span<VertexId const> effects,
                                             graph::Reach const& reach, Budget const& budget);

}  // namespace whence::queries
