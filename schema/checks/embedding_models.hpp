#pragma once
// The models whose embeddings a server accepts, and the dimensions of their vectors.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace whence::schema {

/// The model of embeddings that name none, where nothing else is configured.
inline constexpr std::string_view default_embedding_model = "all-MiniLM-L6-v2";
inline constexpr std::size_t default_embedding_dimension = 384;

/// A model, and how many numbers its vectors have.
struct EmbeddingModel {
  std::string name = {};
  std::size_t dimension = 0;

  friend bool operator==(EmbeddingModel const&, EmbeddingModel const&) = default;
};

/// What is accepted. Where nothing is configured, every model of any dimension, but for the default one, whose
/// dimension is known.
struct EmbeddingModels {
  std::vector<EmbeddingModel> accepted = {};  ///< empty: all. The first is the one of new embeddings that name none
  /// The model of stored embeddings that name none.
  std::string unnamed = std::string(default_embedding_model);

  /// The model of new embeddings and questions that name none.
  [[nodiscard]] std::string_view default_model() const noexcept;
  /// The dimension that vectors of a model must have; nothing where it may be any.
  [[nodiscard]] std::optional<std::size_t> dimension_of(std::string_view model) const noexcept;
  [[nodiscard]] bool accepts(std::string_view model) const noexcept;
};

/// Why a vector is not accepted.
struct EmbeddingFault {
  bool is_about_model;  ///< or about the vector
  std::string_view rule;
  std::string message;
};

/// Whether a vector of so many numbers is one of `model`. Rules "model_name" (it is not accepted) and "items" (the
/// number of numbers).
[[nodiscard]] std::optional<EmbeddingFault> find_fault(EmbeddingModels const& models, std::string_view model,
                                                       std::size_t dimension);

}  // namespace whence::schema
