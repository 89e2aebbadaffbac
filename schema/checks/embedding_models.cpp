// Which embeddings are accepted.
#include "schema/checks/embedding_models.hpp"

#include <algorithm>

namespace whence::schema {

std::string_view EmbeddingModels::default_model() const noexcept {
  return accepted.empty() ? std::string_view(unnamed) : std::string_view(accepted.front().name);
}

std::optional<std::size_t> EmbeddingModels::dimension_of(std::string_view model) const noexcept {
  auto const known = std::ranges::find(accepted, model, &EmbeddingModel::name);
  if (known != accepted.end()) return known->dimension;
  return model == default_embedding_model ? std::optional{default_embedding_dimension} : std::nullopt;
}

bool EmbeddingModels::accepts(std::string_view model) const noexcept {
  return accepted.empty() || std::ranges::find(accepted, model, &EmbeddingModel::name) != accepted.end();
}

std::optional<EmbeddingFault> find_fault(EmbeddingModels const& models, std::string_view model, std::size_t dimension) {
  if (!models.accepts(model)) {
    std::string names;
    for (auto const& each : models.accepted) names.append(names.empty() ? "" : ", ").append(each.name);
    return EmbeddingFault{true, "model_name", "is no model that is configured: " + names};
  }
  auto const expected = models.dimension_of(model);
  if (!expected || *expected == dimension) return std::nullopt;
  return EmbeddingFault{false, "items",
                        "must have " + std::to_string(*expected) + " items, as embeddings of " + std::string(model) +
                            " do; name their model where it is another"};
}

}  // namespace whence::schema
