#pragma once
// Checks of context records that need their JSON: members that only the server sets, sizes and texts of manifests.

#include "schema/base/report.hpp"
#include "schema/records/context/records.hpp"

#include <boost/json/object.hpp>

namespace whence::schema::json {

/// Rule "server_field" for the members of a rated source that answers show and no client may write.
void refuse_state(boost::json::object const& object, Path const& root, Report& report);

template <class T>
requires(info(T::record_type).has_status) void refuse_server_fields(boost::json::object const& object,
                                                                    T const& /*record*/, Path const& root,
                                                                    Report& report) {
  refuse_state(object, root, report);
}

/// Marks a version that the text leaves out, beside the unit that it is the next version of.
void note_left_out(boost::json::object const& object, ContextUnit& unit);

/// Edges that the text leaves out are those that the tree implies.
void note_left_out(boost::json::object const& object, LineageManifest& manifest);

/// The manifest that comes with a response (manifest.hpp). Rules "manifest_size", "manifest_invalid",
/// "manifest_mismatch".
void check_json(Response const& response, Path const& root, Report& report);

/// Rule "manifest_size", in bytes of compact JSON.
void check_json(LineageManifest const& manifest, Path const& root, Report& report);

}  // namespace whence::schema::json
