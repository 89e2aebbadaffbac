#pragma once
// The responses of a request that are one act with no answer yet. Answers are found by their ids.

#include "engine/state/contents.hpp"
#include "graph/snapshot/snapshot.hpp"
#include "schema/base/error.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace whence::engine {

/// Belongs to the writer thread. Made from the graph on first use, updated with every append, dropped when a group is
/// abandoned.
///
/// Invariant: once made, it finds what a fresh one made from the writer's own view would find.
class RequestIndex {
 public:
  /// What the index is made from.
  struct Source {
    graph::Snapshot const& known;
    schema::RecordReader const& store;
    Memory const& memory;
  };

  /// The visible response written last for `request_id` that is one act with no answer. The first call reads all such
  /// responses, of any request.
  [[nodiscard]] Result<std::optional<schema::VertexId>> find_response(std::string_view request_id,
                                                                      Source const& source);

  /// `vertex`, whose record is new, is `record`. `known` has it with its edges.
  void take(schema::VertexId vertex, schema::Record const& record, graph::Snapshot const& known);
  /// `vertex` is deleted in `known`: where it was an answer, its response may be one act with another.
  void drop(schema::VertexId vertex, graph::Snapshot const& known);
  void clear();

 private:
  [[nodiscard]] Result<void> make(Source const& source);
  void add(std::string const& request_id, schema::VertexId response);

  bool is_made_ = false;
  std::unordered_map<std::string, std::vector<schema::VertexId>> responses_;  // in order, each once
};

}  // namespace whence::engine
