#pragma once
// What the writer looks up and the graph does not offer: made at the first question, followed since.

#include "engine/state/contents.hpp"
#include "graph/snapshot/snapshot.hpp"
#include "schema/base/error.hpp"
#include "schema/records/record_reader.hpp"
#include "schema/records/records.hpp"

#include <functional>
#include <vector>

namespace whence::engine {

/// Belongs to the writer thread.
///
/// Invariant: once made, it finds what a fresh one made from the writer's own view would find.
class Index {
 public:
  /// What an index is made from.
  struct Source {
    graph::Snapshot const& known;  ///< the writer's own view
    schema::RecordReader const& store;
    Memory const& memory;
  };
  /// A record that is now that of its node.
  struct Written {
    schema::VertexId vertex;
    schema::Record const& record;
    graph::Snapshot const& known;  ///< has the node with its edges
    bool is_new;                   ///< so is the node
  };

  Index() = default;
  Index(Index const&) = delete;
  Index& operator=(Index const&) = delete;
  virtual ~Index() = default;

  virtual void take(Written const& written) = 0;
  /// The node is deleted in `known`.
  virtual void drop_deleted(schema::VertexId /*vertex*/, graph::Snapshot const& /*known*/) {}
  /// The contents of the node are gone.
  virtual void drop_gone(schema::VertexId /*vertex*/) {}
  /// A group was abandoned: what it wrote is not there. The next question makes the index anew.
  void clear();

 protected:
  [[nodiscard]] bool is_made() const noexcept { return is_made_; }
  /// Makes the index where it is not made. Fails where the store does; it is not made then.
  [[nodiscard]] Result<void> make_once(Source const& source);
  /// Shows each record that is there, some at a time.
  [[nodiscard]] static Result<void> for_each_record(
      std::vector<schema::VertexId> const& vertices, Source const& source,
      std::function<void(schema::VertexId, schema::Record const&)> const& visit);

 private:
  [[nodiscard]] virtual Result<void> make(Source const& source) = 0;
  virtual void forget() = 0;

  bool is_made_ = false;
};

}  // namespace whence::engine
