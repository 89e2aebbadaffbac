#pragma once
// lineage.manifest: how a response was made as one small document, from the graph, cut to a size.

#include "queries/lineage/params.hpp"
#include "queries/view/view.hpp"
#include "schema/base/error.hpp"
#include "schema/records/records.hpp"
#include "schema/wire/manifest.hpp"

#include <cstdint>
#include <string_view>
#include <vector>

namespace whence::queries {

/// A manifest and the form in which its text has at most the bytes asked for.
struct FittedManifest {
  schema::LineageManifest manifest;
  schema::json::ManifestForm form = {};
  std::vector<std::string_view> omitted = {};  ///< the members that `form` leaves out
  std::uint64_t bytes = 0;                     ///< of the text in this form
};

/// Any text without the name of a type in front is the id of a response. Uses are in the order of their weights,
/// highest first, then id. Leaves out summaries, then embedding ids, then edges until the text fits. Fails with
/// `not_found` or `invalid_params` at "/response_id", with `limit_exceeded` at "/max_bytes" where it never fits, or
/// with `corrupt`.
[[nodiscard]] Result<FittedManifest> lineage_manifest(View const& view, ManifestParams const& params,
                                                      Budget const& budget);

}  // namespace whence::queries
