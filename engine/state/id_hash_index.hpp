#pragma once
// Records by the id hash that they had in an export of ONE (`$idHash$`): what hash-valued references of such an export
// mean.

#include "engine/state/contents.hpp"
#include "graph/snapshot/snapshot.hpp"
#include "schema/base/error.hpp"
#include "schema/records/record_reader.hpp"
#include "schema/records/records.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace whence::engine {

/// Subjects and attachments, the types that references name by hash. In memory: made at the first question, which reads
/// all records of both types, and followed since. Belongs to the writer thread.
class IdHashIndex {
 public:
  /// Where the records are read from.
  struct Source {
    graph::Snapshot const& known;
    schema::RecordReader const& store;
    Memory const& memory;
  };

  /// The node written last with this id hash, unless it was deleted. Fails where the store does.
  [[nodiscard]] Result<std::optional<schema::VertexId>> find(schema::RecordType type, std::string_view hash,
                                                             Source const& source);

  /// A record that was written, or changed.
  void take(schema::VertexId vertex, schema::Record const& record);

  /// A group was abandoned: what it wrote is not there.
  void clear();

 private:
  [[nodiscard]] Result<void> make(Source const& source);

  bool is_made_ = false;
  std::unordered_map<std::string, schema::VertexId> subjects_;  // by id hash
  std::unordered_map<std::string, schema::VertexId> attachments_;
};

}  // namespace whence::engine
