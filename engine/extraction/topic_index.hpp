#pragma once
// Look-ups that extraction needs and the graph does not offer: a topic's subject by its name, and its latest response.

#include "engine/state/contents.hpp"
#include "graph/snapshot/snapshot.hpp"
#include "schema/base/error.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace whence::engine {

/// Belongs to the writer thread. Made from the graph on first use, updated with every append, dropped when a group is
/// abandoned.
///
/// Invariant: once made, it equals a fresh one made from the writer's own view.
class TopicIndex {
 public:
  /// The visible subject of `topic` called `name`. The first call reads all subjects.
  [[nodiscard]] Result<std::optional<schema::VertexId>> find_subject(std::string_view topic, std::string_view name,
                                                                     graph::Snapshot const& known, Contents& contents);

  /// The llm-response written last in `topic`, deleted or not. O(messages of the topic) when first asked for a topic.
  [[nodiscard]] Result<std::optional<schema::VertexId>> last_response(std::string_view topic,
                                                                      graph::Snapshot const& known, Contents& contents);

  /// `record` is now the record of `vertex`.
  void take(schema::VertexId vertex, schema::Record const& record);
  /// `vertex` is deleted.
  void drop(schema::VertexId vertex);
  void clear();

 private:
  using Key = std::string;  // topic and name, joined

  bool is_made_ = false;
  std::unordered_map<Key, schema::VertexId> subjects_;
  std::unordered_map<std::uint32_t, Key> names_;                                     // by vertex number
  std::unordered_map<std::string, std::optional<schema::VertexId>> last_responses_;  // by topic
};

}  // namespace whence::engine
