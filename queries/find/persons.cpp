#include "queries/find/persons.hpp"

#include "graph/removal/holds.hpp"
#include "graph/removal/of_person.hpp"
#include "graph/snapshot/records.hpp"
#include "graph/snapshot/unknown.hpp"
#include "queries/find/reading.hpp"
#include "schema/base/interrupt.hpp"
#include "schema/types/belonging.hpp"
#include "schema/types/ref.hpp"

#include <algorithm>
#include <optional>

namespace whence::queries {

Result<PersonFound> person_find(View const& view, PersonParams const& params, Budget const& /*budget*/) {
  auto const& snapshot = view.snapshot;
  auto const read = reading(view);
  auto const id = schema::belonging_id(params.person);
  auto theirs = graph::find_of_person(snapshot, id, read);
  if (!theirs) return theirs.error();
  if (theirs->own.empty()) return error_from(graph::unknown_ref(snapshot, {schema::RecordType::person, id}, "/person"));
  auto const holds = graph::Holds::make(snapshot, read, {.read_query = view.read_held_query});
  if (!holds) return holds.error();
  PersonFound found;
  for (auto const vertex : theirs->own) {
    auto const hold = holds->find(vertex);
    if (!hold) return hold.error();
    if (!hold->empty()) ++found.held[std::string(*hold)];
    bool const is_gone = snapshot.gone(vertex).has_value();
    if (snapshot.is_deleted(vertex)) {
      if (!is_gone) ++found.deleted;
      continue;
    }
    found.own.push_back(vertex);
    if (is_gone) {
      ++found.gone;
    } else {
      ++found.counts[schema::name_of(snapshot.type(vertex))];
    }
  }
  std::ranges::sort(found.own);
  std::ranges::copy_if(theirs->shared, std::back_inserter(found.shared),
                       [&](VertexId vertex) { return !snapshot.is_deleted(vertex); });
  std::ranges::sort(found.shared);
  return found;
}

std::vector<VertexId> shown_vertices(PersonFound const& found) {
  return found.own;
}

}  // namespace whence::queries
