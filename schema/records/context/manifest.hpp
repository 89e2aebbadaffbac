#pragma once
// A lineage manifest as the one text that is measured, hashed and answered: compact JSON in a fixed member order.

#include "schema/base/report.hpp"
#include "schema/json/writer.hpp"
#include "schema/records/context/records.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace whence::schema::json {

/// The kinds of members that a manifest is written with; a smaller form leaves some out.
struct ManifestForm {
  bool has_summaries = true;
  bool has_embedding_ids = true;
  bool has_edges = true;  ///< else `"edges":[]`
};

/// Writes `response_id, timestamp, agent, model, token_count, context_tree, provenance_tree` in this order, the tree
/// and the edges in theirs. What is absent is `null`; what `form` leaves out is not there. `attributes` are no part of
/// it.
void write_manifest(Writer& out, LineageManifest const& manifest, ManifestForm form = {});

/// The same as a text of its own: its size in bytes is the manifest's size.
[[nodiscard]] std::string manifest_text(LineageManifest const& manifest, ManifestForm form = {});

/// Checks a response's `manifest_json`. Reports at `/manifest_json`: rule "manifest_size" over
/// `limits::manifest_bytes_max` bytes, "manifest_invalid" where it is no JSON text of a manifest that holds every rule,
/// "manifest_mismatch" where it does not say the same as the response.
void check_manifest_json(Response const& response, Report& report);

}  // namespace whence::schema::json
