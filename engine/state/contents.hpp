#pragma once
// The contents of existing records: from the writer's own memory where it has them, else from the store.

#include "graph/removal/of_person.hpp"
#include "graph/snapshot/snapshot.hpp"
#include "schema/base/error.hpp"
#include "schema/records/record_reader.hpp"
#include "store/values/commit.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace whence::engine {

/// Records the writer remembers, by vertex: those the open group wrote, which the store cannot return yet, and those
/// that were revised, which are likely to be revised again. Belongs to the writer thread.
///
/// Invariant: a remembered record is the one as of the writer's own view of the graph.
class Memory {
 public:
  /// A group begins above `durable`; vertices from `first` on will be its own.
  void open(schema::TxId durable, schema::VertexId first) noexcept {
    durable_ = durable;
    first_made_ = first;
  }
  /// The last transaction whose contents the store can return.
  [[nodiscard]] schema::TxId durable() const noexcept { return durable_; }
  /// The records of the group's next vertices.
  void add_made(std::vector<schema::Record>&& records);
  void add_revised(schema::VertexId vertex, schema::Record record);
  void add_blob(store::Blob const& blob) { blobs_.push_back(blob); }
  void forget(schema::VertexId vertex) { revised_.erase(schema::number(vertex)); }

  [[nodiscard]] schema::Record const* find(schema::VertexId vertex) const;
  [[nodiscard]] std::string const* find_blob(schema::Digest const& digest) const;

  /// The group is durable: the store has its records.
  void settle();
  /// The group was abandoned: nothing remembered is valid any more.
  void clear();

 private:
  schema::TxId durable_{};
  schema::VertexId first_made_{};
  std::vector<schema::Record> made_;                           // of vertices from `first_made_` on
  std::unordered_map<std::uint32_t, schema::Record> revised_;  // by vertex number
  std::vector<store::Blob> blobs_;                             // of the open group
};

/// Whole records by vertex. Used by the writer thread for one batch.
class Contents {
 public:
  /// All three outlive it; `known` includes the open group.
  Contents(schema::RecordReader const& store, Memory const& memory, graph::Snapshot const& known)
      : store_(store), memory_(memory), known_(known) {}

  /// Fetches in one read those that are not available yet. Fails as `RecordReader::read`.
  [[nodiscard]] Result<void> fetch(std::vector<schema::VertexId> wanted);

  /// A record that was fetched or is remembered; null where its content is gone.
  [[nodiscard]] schema::Record const* find(schema::VertexId vertex) const;

  /// `fetch` of one, and `find`.
  [[nodiscard]] Result<schema::Record const*> fetch_one(schema::VertexId vertex);

  /// `fetch_one` for who keeps the record. Refers to this.
  [[nodiscard]] graph::ReadRecord reading();

  /// The last whole content of `vertex`, without the additions since; nothing where that is gone or not on disk yet.
  [[nodiscard]] Result<std::optional<schema::Record>> last_written(schema::VertexId vertex) const;

  /// The first content of `vertex`; nothing where that is gone or not on disk yet.
  [[nodiscard]] Result<std::optional<schema::Record>> first_written(schema::VertexId vertex) const;

  /// The bytes of a stored blob, the open group's included; nothing of one that is gone.
  [[nodiscard]] Result<std::optional<std::string>> blob(schema::Digest const& digest) const;

 private:
  [[nodiscard]] Result<std::optional<schema::Record>> read_content(schema::ContentId content) const;

  schema::RecordReader const& store_;
  Memory const& memory_;
  graph::Snapshot const& known_;
  std::unordered_map<std::uint32_t, schema::Record> fetched_;  // by vertex number
};

}  // namespace whence::engine
