#pragma once
// A lineage manifest as the one text that is measured, hashed and answered: compact JSON in a fixed member order.

#include "schema/base/report.hpp"
#include "schema/json/writer.hpp"
#include "schema/records/context/records.hpp"

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/object.hpp>

namespace whence::schema::json {

/// The members that a manifest is written with; a smaller form leaves some out.
struct ManifestForm {
  std::size_t summaries = std::numeric_limits<std::size_t>::max();  ///< of so many entries, the first ones
  bool has_embedding_ids = true;
  bool has_edges = true;
  bool has_nulls = true;  ///< else what is absent is not there either
};

/// Writes `response_id, timestamp, agent, model, token_count, context_tree, provenance_tree` in this order, the tree
/// and the edges in theirs. What is absent is `null`; what `form` leaves out is not there. `attributes` are no part of
/// it.
void write_manifest(Writer& out, LineageManifest const& manifest, ManifestForm form = {});

/// The same as a text of its own: its size in bytes is the manifest's size.
[[nodiscard]] std::string manifest_text(LineageManifest const& manifest, ManifestForm form = {});

/// Adds the edges that the tree implies where the text of a manifest leaves them out.
void imply_edges(boost::json::object const& object, LineageManifest& manifest);

/// Checks a response's `manifest_json`. Reports at `/manifest_json`: rule "manifest_size" over
/// `limits::manifest_bytes_max` bytes, "manifest_invalid" where it is no JSON text of a manifest that holds every rule,
/// "manifest_mismatch" where it does not say the same as the response.
void check_manifest_json(Response const& response, Report& report);

}  // namespace whence::schema::json
