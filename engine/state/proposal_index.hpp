#pragma once
// Where the proposals of purges are, so that a purge need not look at every activity of PROV.

#include "engine/state/index.hpp"

#include <span>
#include <vector>

namespace whence::engine {

/// The visible proposals in order of commit, their contents gone or not. O(activities of PROV). From any thread.
[[nodiscard]] std::vector<schema::VertexId> proposals_of(graph::Snapshot const& known);

class ProposalIndex final : public Index {
 public:
  /// As `proposals_of`. A view that holds until something is written. The first call is O(activities of PROV).
  [[nodiscard]] Result<std::span<schema::VertexId const>> all(Source const& source);

  void take(Written const& written) override;
  void drop_deleted(schema::VertexId vertex, graph::Snapshot const& known) override;

 private:
  [[nodiscard]] Result<void> make(Source const& source) override;
  void forget() override { proposals_.clear(); }

  std::vector<schema::VertexId> proposals_;
};

}  // namespace whence::engine
