#include "engine/validation/renewal.hpp"

#include "graph/removal/holds.hpp"
#include "schema/base/report.hpp"
#include "schema/types/ref.hpp"

#include <algorithm>
#include <span>
#include <string>
#include <vector>

namespace whence::engine {

Result<void> leave_held(WriteBatch& batch, ValidationContext const& context, Contents& contents) {
  if (batch.renews.empty()) return {};
  auto const holds = graph::Holds::make(context.known, contents.reading(), keeping(context.config, context.now));
  if (!holds) return holds.error();
  std::vector<schema::NodeRef> free;
  for (auto& ref : batch.renews) {
    auto const vertex = context.known.find(ref.type, ref.id);
    if (vertex && holds->check_free({&*vertex, 1}, "")) free.push_back(std::move(ref));
  }
  batch.renews = std::move(free);
  return {};
}

Result<void> check_renewed(Candidates const& candidates) {
  if (candidates.renewed().empty()) return {};
  auto const& known = candidates.known();
  std::vector<VertexId> given(candidates.renewed().begin(), candidates.renewed().end());
  for (auto const& candidate : candidates.all()) {
    if (candidate.record != nullptr) given.push_back(candidate.vertex);
  }
  std::ranges::sort(given);
  for (auto const vertex : candidates.renewed()) {
    for (auto const& neighbours : {known.effects(vertex), known.relations_to(vertex)}) {
      for (auto const other : neighbours.vertices) {
        if (std::ranges::binary_search(given, other)) continue;
        auto const ref = schema::format_ref(known.type(other), known.id(other));
        return error_from(Violation{.code = Errc::precondition,
                                    .rule = "renewed",
                                    .path = "/renews",
                                    .seen = schema::shown(ref),
                                    .message = "names a node that would begin anew, and is not written again"});
      }
    }
  }
  return {};
}

}  // namespace whence::engine
