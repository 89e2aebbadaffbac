#pragma once
// Violations and warnings of a batch.

#include "engine/values/batch.hpp"
#include "schema/base/error.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace whence::engine {

/// Adds violations to those the records came with. A path of a record is reported once: where its value is invalid
/// already, a violation of the default that replaces it would be noise.
class Findings {
 public:
  /// Adds to the violations of the records of `batch`, which outlives it.
  explicit Findings(WriteBatch& batch) : batch_(batch) {}

  /// Paths of a record name its relations by their places in `places` from now on: those that they were given in.
  void set_relations(std::uint32_t index, std::vector<std::uint32_t> places) { relations_[index] = std::move(places); }

  struct Finding {
    Errc code;
    std::string_view rule;
    std::string path;
    std::string seen;  ///< as `schema::shown` gives it
    std::string message;
    std::optional<std::int64_t> expected = {};  ///< the one valid number, where there is one
  };
  void add(std::uint32_t index, Finding finding);
  void warn(std::uint32_t index, Finding finding);
  /// A warning as the contract of XML gives it.
  void warn(std::uint32_t index, Violation warning);

  /// All violations in order of (index, path); empty where the batch is valid.
  [[nodiscard]] std::vector<Violation> take_violations();
  [[nodiscard]] std::vector<Violation> take_warnings() { return std::move(warnings_); }

 private:
  [[nodiscard]] std::string as_given(std::uint32_t index, std::string path) const;

  WriteBatch& batch_;
  std::vector<Violation> warnings_;
  std::map<std::uint32_t, std::vector<std::uint32_t>> relations_;
};

}  // namespace whence::engine
