#pragma once
// versions.list and versions.diff: the line of versions that a node belongs to, and what changed between two of them.

#include "queries/history/chain.hpp"
#include "queries/history/params.hpp"
#include "queries/view/gone.hpp"
#include "queries/view/view.hpp"
#include "schema/base/error.hpp"

#include <optional>
#include <string>
#include <vector>

#include <boost/json/value.hpp>

namespace whence::queries {

struct VersionChain {
  std::vector<Version> versions = {};  ///< first to last
  bool has_numbers = false;            ///< whether nodes of this type can have versions; else it is one node
};

/// A member of a record that differs; nothing on the side that lacks it. A list or an object is compared whole, as JSON
/// values: the type of a member is known to its record type only.
struct MemberChange {
  std::string path = {};  ///< JSON Pointer
  std::optional<boost::json::value> before = {};
  std::optional<boost::json::value> after = {};
};

struct VersionsDifference {
  std::vector<MemberChange> changes = {};  ///< by path, in byte order; never of the id; none where a side is gone
  std::vector<GoneNode> gone = {};         ///< the sides of which nothing is left to compare
};

/// The same from any member. Fails with `not_found` at "/ref". O(causes and effects of the members).
[[nodiscard]] Result<VersionChain> versions_list(View const& view, VersionsListParams const& params,
                                                 Budget const& budget);

/// From `a` to `b`. Fails with `not_found`, with `invalid_params` ("chain" at "/b") where `b` is no version of the same
/// thing, or with `corrupt`.
[[nodiscard]] Result<VersionsDifference> versions_diff(View const& view, VersionsDiffParams const& params,
                                                       Budget const& budget);

}  // namespace whence::queries
