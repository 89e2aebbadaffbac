#pragma once
// Look-ups that extraction needs and the graph does not offer: a topic's subject by its name, and its latest response.

#include "engine/state/contents.hpp"
#include "engine/state/index.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace whence::engine {

class TopicIndex final : public Index {
 public:
  /// The visible subject of `topic` called `name`. The first call reads all subjects; fails where the store does.
  [[nodiscard]] Result<std::optional<schema::VertexId>> find_subject(std::string_view topic, std::string_view name,
                                                                     Source const& source);

  /// The llm-response written last in `topic`, deleted or not. O(messages of the topic) when first asked for a topic.
  [[nodiscard]] Result<std::optional<schema::VertexId>> last_response(std::string_view topic,
                                                                      graph::Snapshot const& known, Contents& contents);

  void take(Written const& written) override;
  void drop_deleted(schema::VertexId vertex, graph::Snapshot const& known) override;
  void drop_gone(schema::VertexId vertex) override;

 private:
  using Key = std::string;  // topic and name, joined

  [[nodiscard]] Result<void> make(Source const& source) override;
  void forget() override;
  void add(schema::VertexId vertex, schema::Record const& record);
  void drop(schema::VertexId vertex);

  std::unordered_map<Key, schema::VertexId> subjects_;
  std::unordered_map<std::uint32_t, Key> names_;                                     // by vertex number
  std::unordered_map<std::string, std::optional<schema::VertexId>> last_responses_;  // by topic
};

}  // namespace whence::engine
