#pragma once
// The responses of a request that are one act with no answer yet. Answers are found by their ids.

#include "engine/state/index.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace whence::engine {

class RequestIndex final : public Index {
 public:
  /// The visible response written last for `request_id` that is one act with no answer. The first call, when an answer
  /// comes for which the batch has no response, reads all such responses, of any request; fails where the store does.
  [[nodiscard]] Result<std::optional<schema::VertexId>> find_response(std::string_view request_id,
                                                                      Source const& source);

  void take(Written const& written) override;
  /// Where the node was an answer, its response may be one act with another.
  void drop_deleted(schema::VertexId vertex, graph::Snapshot const& known) override;

 private:
  [[nodiscard]] Result<void> make(Source const& source) override;
  void forget() override { responses_.clear(); }
  void add(std::string const& request_id, schema::VertexId response);

  std::unordered_map<std::string, std::vector<schema::VertexId>> responses_;  // in order, each once
};

}  // namespace whence::engine
