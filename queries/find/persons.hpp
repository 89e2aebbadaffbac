#pragma once
// person.find: what there is of a person, and what their answers were made from and others' too.

#include "queries/find/params.hpp"
#include "queries/view/view.hpp"
#include "schema/base/error.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace whence::queries {

struct PersonFound {
  std::vector<VertexId> own = {};                         ///< what goes with the person, the newest commit last
  std::vector<VertexId> shared = {};                      ///< what stays, since others' records rest on it
  std::map<std::string_view, std::uint64_t> counts = {};  ///< of `own` by record type, of which the content is stored
  std::size_t gone = 0;                                   ///< of `own`: those of which nothing but the id is left
  std::size_t deleted = 0;                                ///< of the person's, which `own` has not: still stored
  std::map<std::string, std::uint64_t> held = {};         ///< how many of `own` a hold keeps, by its ref
};

/// What `person.erase` would take (graph/removal/of_person.hpp), without what is deleted. Records of an older program
/// that only name the person are not found. Fails with `not_found` where no person was ever named so, or as the reader
/// does. O(what there is of the person and its neighbours).
[[nodiscard]] Result<PersonFound> person_find(View const& view, PersonParams const& params, Budget const& budget);

/// For exports.
[[nodiscard]] std::vector<VertexId> shown_vertices(PersonFound const& found);

}  // namespace whence::queries
