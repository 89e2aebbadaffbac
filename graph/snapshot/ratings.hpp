#pragma once
// What a rating is passed on to.

#include "graph/snapshot/snapshot.hpp"

#include <vector>

namespace whence::graph {

/// A source that a rating counts for, and how much.
struct RatedPart {
  VertexId source;
  double part;  ///< 0 to 1
};

/// The sources that a rating of `rated`, a response or an answer, counts for as of `snapshot`, each once. A rating of
/// one half of an act is a rating of the act. They are, in this order: the units, chunks and documents that the
/// response used, each with its weight; the chunks that the answer cites, in equal parts, or where it cites none those
/// of its prompt, by similarity where that of each is known, else in equal parts; the documents of these chunks, each
/// with the sum of its chunks' parts. A source that is both used and cited counts with the larger part, a document with
/// 1 at most. O(edges around the act).
[[nodiscard]] std::vector<RatedPart> rated_parts(Snapshot const& snapshot, VertexId rated);

}  // namespace whence::graph
