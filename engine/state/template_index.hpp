#pragma once
// The versions of the templates of each model. Their numbers may have gaps as wide as a number: a copy lacks versions.

#include "engine/state/index.hpp"

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>

namespace whence::engine {

class TemplateIndex final : public Index {
 public:
  /// The versions that templates of the model have; some of templates that are deleted may be among them. The first
  /// call looks at all templates. Never fails.
  [[nodiscard]] Result<std::set<std::int64_t> const*> versions_of(std::string const& model, Source const& source);

  void take(Written const& written) override;

 private:
  [[nodiscard]] Result<void> make(Source const& source) override;
  void forget() override { versions_.clear(); }
  void add(std::string_view id);

  std::unordered_map<std::string, std::set<std::int64_t>> versions_;  // by model
};

}  // namespace whence::engine
