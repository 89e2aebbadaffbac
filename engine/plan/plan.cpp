#include "engine/plan/plan.hpp"

#include <utility>

namespace whence::engine {

void Plan::revise(PlannedRevision revision, graph::Snapshot const& known) {
  auto const vertex = revision.row.vertex;
  if (auto const* last = revision_of(vertex)) {
    revision.row.revision = last->row.revision + 1;
  } else {
    revision.row.revision = known.contains(vertex) ? known.contents(vertex).back() + 1 : 1;
  }
  last_revisions_.insert_or_assign(schema::number(vertex), revisions.size());
  revisions.push_back(std::move(revision));
}

PlannedRevision const* Plan::revision_of(schema::VertexId vertex) const {
  auto const found = last_revisions_.find(schema::number(vertex));
  return found == last_revisions_.end() ? nullptr : &revisions[found->second];
}

}  // namespace whence::engine
