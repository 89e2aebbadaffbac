#pragma once
// What there is of a person: what they said and were answered, their ratings, and what was made from it.

#include "graph/removal/read_record.hpp"
#include "graph/snapshot/snapshot.hpp"
#include "schema/base/error.hpp"
#include "schema/base/ids.hpp"

#include <string_view>
#include <vector>

namespace whence::graph {

/// Each vertex once, deleted ones too.
struct OfPerson {
  /// The person's node, answers made for them, messages, ratings and decisions by them, decisions about any of it,
  /// their sessions, topics and discussions, texts and runs of programs that only these rest on, and the copies of all
  /// of it: what goes with the person.
  std::vector<schema::VertexId> own = {};
  /// What the answers and their prompts were made from, and versions that answers caused, that others' records rest on.
  std::vector<schema::VertexId> shared = {};
};

/// What there is of the person `id`; nothing where no node was ever named so. A source of an answer, from which nothing
/// else was made that is there yet, is the person's own where it is a unit that came in a transaction that also wrote a
/// record of them, and at any time where it is what was asked: a Query with its prompts, a question, a unit or message
/// of a user with its later versions; and where it is purged, as nobody knows what it was. Documents and passages never
/// are. O(what there is of them and its neighbours, times the steps from one to the next, and the
/// discussions and decisions of all persons, of which the latter are read).
[[nodiscard]] Result<OfPerson> find_of_person(Snapshot const& known, std::string_view id, ReadRecord const& read);

}  // namespace whence::graph
