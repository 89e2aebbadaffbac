#pragma once
// One id has one content: records of a batch that exist already, or that the batch gives twice.

#include "engine/intake/units.hpp"
#include "engine/plan/candidates.hpp"
#include "engine/plan/findings.hpp"
#include "engine/state/contents.hpp"

#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace whence::engine {

/// The existing vertices whose content `check_identity` will compare with.
[[nodiscard]] std::vector<schema::VertexId> compared_vertices(WriteBatch const& batch, std::span<TakenUnit const> units,
                                                              Candidates const& candidates);

/// What a record of the batch says of a thing of PROV, before it was joined with what else is said of that.
struct Description {
  std::uint32_t index;
  schema::Record const* given;
};
/// By the number of the vertex, of things that are known.
using Descriptions = std::map<std::uint32_t, std::vector<Description>>;

/// Records known under their id with other content where that is no conflict.
struct Differing {
  std::vector<Candidate const*> revised = {};  ///< keywords, subjects and discussions change; what was gone comes back
  std::vector<Candidate const*> activated = {};  ///< inactive templates that are written as active: they change
  std::vector<Candidate const*> numbered = {};   ///< rounds and summaries: rules for their numbers decide
  std::deque<schema::Record> units = {};         ///< units within responses that come back
  std::vector<Candidate> revised_units = {};     ///< of `units`
  Descriptions described = {};                   ///< of those of `revised` that were joined
  std::deque<schema::Record> said = {};          ///< of `described`, whose candidates hold what was joined
};

/// Whether what is given again comes back: what expired with any write, what was purged within a record that is new, or
/// where it may be written anew at any time.
[[nodiscard]] constexpr bool comes_back(graph::GoneWhy why, bool is_within_new) noexcept {
  return why == graph::GoneWhy::expired || is_within_new;
}

/// Says that a content which was gone is given again.
void warn_of_gone(Findings& findings, std::uint32_t index, std::string path, std::string_view id, graph::GoneWhy why,
                  bool does_come_back);

/// Reports a `conflict` for each record whose id is known with other content, in the graph or earlier in the batch, and
/// for each member that a manifest gives differently from the unit it names; `precondition` "version" for a template
/// whose version is taken. Records with field errors are not compared; chunks are compared where their retrievals are.
/// A unit whose id is made from its text does not differ from the known one where both came from the same others: the
/// id says that the text is the same, so the first time, type and summary stay. Another version or origin is a
/// conflict: taking it silently would lose an edge. An id that only looks made is computed again. Members that a record
/// leaves to the server do not differ: it takes them from the record it is compared with. Fails where the store does.
///
/// What is gone comes back or stays gone, with a warning. What comes back must agree with what the graph keeps of it.
[[nodiscard]] Result<Differing> check_identity(WriteBatch const& batch, std::span<TakenUnit> units,
                                               Candidates const& candidates, Contents& contents, Findings& findings);

}  // namespace whence::engine
