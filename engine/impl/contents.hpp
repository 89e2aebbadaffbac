#pragma once
// What existing records say, for comparing: from the open group where a record is not durable yet, else from the store.

#include "graph/snapshot.hpp"
#include "schema/error.hpp"
#include "schema/record_reader.hpp"

#include <span>
#include <unordered_map>
#include <vector>

namespace whence::engine {

/// The records of the open group: those of the vertices from `first` on, which the store cannot give back yet.
struct OpenGroup {
  schema::VertexId first{};
  std::vector<schema::Record> records = {};
};

/// Whole records by vertex, fetched in one read. Used by the writer thread for one batch.
class Contents {
 public:
  /// All three outlive it; `known` includes the open group.
  Contents(schema::RecordReader const& store, OpenGroup const& group, graph::Snapshot const& known)
      : store_(store), group_(group), known_(known) {}

  /// Fetches what the store must give. Fails as `RecordReader::read`.
  [[nodiscard]] Result<void> fetch(std::vector<schema::VertexId> wanted);

  /// A record that was fetched, or one of the open group.
  [[nodiscard]] schema::Record const& at(schema::VertexId vertex) const;

 private:
  [[nodiscard]] bool is_in_group(schema::VertexId vertex) const noexcept { return vertex >= group_.first; }
  void keep(schema::VertexId vertex, schema::Record&& record);

  schema::RecordReader const& store_;
  OpenGroup const& group_;
  graph::Snapshot const& known_;
  std::unordered_map<std::uint32_t, schema::Record> fetched_;  // by vertex number
};

}  // namespace whence::engine
