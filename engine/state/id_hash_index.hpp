#pragma once
// Records by the id hash that they had in an export of ONE (`$idHash$`): what hash-valued references of such an export
// mean.

#include "engine/state/index.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace whence::engine {

/// Subjects and attachments, the types that references name by hash.
class IdHashIndex final : public Index {
 public:
  /// The node written last with this id hash, unless it was deleted. The first call reads all records of both types;
  /// fails where the store does.
  [[nodiscard]] Result<std::optional<schema::VertexId>> find(schema::RecordType type, std::string_view hash,
                                                             Source const& source);

  void take(Written const& written) override;
  void drop_gone(schema::VertexId vertex) override;

 private:
  [[nodiscard]] Result<void> make(Source const& source) override;
  void forget() override;
  void add(schema::VertexId vertex, schema::Record const& record);

  std::unordered_map<std::string, schema::VertexId> subjects_;  // by id hash
  std::unordered_map<std::string, schema::VertexId> attachments_;
};

}  // namespace whence::engine
