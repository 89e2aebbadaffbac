#pragma once
// Documents by their `uri`, which may name an entity that comes later.

#include "engine/state/index.hpp"

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace whence::engine {

class DocumentIndex final : public Index {
 public:
  /// The visible documents whose `uri` names the entity `id`. The first call reads all documents; fails where the store
  /// does.
  [[nodiscard]] Result<std::vector<schema::VertexId>> find(std::string_view id, Source const& source);

  void take(Written const& written) override;
  void drop_gone(schema::VertexId vertex) override;

 private:
  [[nodiscard]] Result<void> make(Source const& source) override;
  void forget() override { documents_.clear(); }
  void add(schema::VertexId vertex, schema::Record const& record);

  std::unordered_map<std::string, std::vector<schema::VertexId>> documents_;  // by the id of an entity of that IRI
};

}  // namespace whence::engine
