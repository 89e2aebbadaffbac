#pragma once
// What the rows of the graph keep of a record whose content is gone: a record that is given again must agree with them.

#include "engine/plan/candidates.hpp"
#include "engine/plan/findings.hpp"
#include "graph/snapshot/snapshot.hpp"

namespace whence::engine {

/// Reports a `conflict` at each member of a known candidate, whose content is gone, that names something else than the
/// vertex's own edges and time: another or one more cause, weight, score, subject, topic, person, time, or none where
/// there is an edge. Edges to deleted nodes count; those that other records or the engine add do not. Types that may be
/// replaced, things of PROV and documents say anew what they say and agree with anything. Returns whether it agrees;
/// then the time that it leaves to the server is that of the row. O(n log n) in its edges and references.
[[nodiscard]] bool agrees_with_kept(Candidate const& candidate, graph::GoneWhy why, Candidates const& candidates,
                                    Findings& findings);

/// Gives a unit, which stands within a response or has an id made from its text and says nothing of these, the version,
/// the origins and the time that the graph keeps of it.
void take_kept(schema::ContextUnit& unit, VertexId vertex, graph::Snapshot const& known);

/// Gives the response of a manifest, which cannot say these, the prompts, person, session and origin that the graph
/// keeps of it.
void take_kept(schema::Response& response, VertexId vertex, graph::Snapshot const& known);

}  // namespace whence::engine
