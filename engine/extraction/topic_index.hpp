#pragma once
// What extraction must find and the graph has no way to: a topic's subject by its name, and its latest response.

#include "engine/state/contents.hpp"
#include "graph/snapshot/snapshot.hpp"
#include "schema/base/error.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace whence::engine {

/// Belongs to the writer thread. Made from the graph when first asked, kept up with every append, dropped when a group
/// comes to nothing.
///
/// Invariant: once made, it says what a fresh one made from the writer's own view would say.
class TopicIndex {
 public:
  /// The visible subject of `topic` called `name`. The first call reads every subject there is.
  [[nodiscard]] Result<std::optional<schema::VertexId>> find_subject(std::string_view topic, std::string_view name,
                                                                     graph::Snapshot const& known, Contents& contents);

  /// The llm-response written last in `topic`, deleted or not. O(messages of the topic) when first asked for a topic.
  [[nodiscard]] Result<std::optional<schema::VertexId>> last_response(std::string_view topic,
                                                                      graph::Snapshot const& known, Contents& contents);

  /// `record` is now what `vertex` says.
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
