#include "engine/state/proposal_index.hpp"

#include "engine/values/purge_proposal.hpp"

namespace whence::engine {

using schema::RecordType;
using schema::VertexId;

std::vector<VertexId> proposals_of(graph::Snapshot const& known) {
  auto all = known.vertices(RecordType::prov_activity);
  std::erase_if(all, [&](VertexId vertex) { return !is_proposal_id(known.id(vertex)); });
  return all;
}

Result<std::span<VertexId const>> ProposalIndex::all(Source const& source) {
  if (auto const made = make_once(source); !made) return made.error();
  return std::span<VertexId const>{proposals_};
}

Result<void> ProposalIndex::make(Source const& source) {
  proposals_ = proposals_of(source.known);
  return {};
}

void ProposalIndex::take(Written const& written) {
  if (!is_made() || !written.is_new || written.known.type(written.vertex) != RecordType::prov_activity) return;
  if (is_proposal_id(written.known.id(written.vertex))) proposals_.push_back(written.vertex);
}

void ProposalIndex::drop_deleted(VertexId vertex, graph::Snapshot const& /*known*/) {
  std::erase(proposals_, vertex);
}

}  // namespace whence::engine
