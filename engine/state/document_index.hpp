#pragma once
// Documents by their `uri`, which may name an entity that comes later.

#include "engine/state/contents.hpp"
#include "graph/snapshot/snapshot.hpp"
#include "schema/base/error.hpp"
#include "schema/records/record_reader.hpp"

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace whence::engine {

/// Belongs to the writer thread. Made from the graph on first use, updated with every append, dropped when a group is
/// abandoned.
class DocumentIndex {
 public:
  /// What the index is made from.
  struct Source {
    graph::Snapshot const& known;
    schema::RecordReader const& store;
    Memory const& memory;
  };

  /// The visible documents whose `uri` names the entity `id`. The first call reads all documents; fails where the store
  /// does.
  [[nodiscard]] Result<std::vector<schema::VertexId>> find(std::string_view id, Source const& source);

  /// `record` is now the record of `vertex`.
  void take(schema::VertexId vertex, schema::Record const& record);
  void clear();

 private:
  [[nodiscard]] Result<void> make(Source const& source);

  bool is_made_ = false;
  std::unordered_map<std::string, std::vector<schema::VertexId>> documents_;  // by the id of an entity of that IRI
};

}  // namespace whence::engine
