// Checks that need JSON.
#include "schema/wire/context_json.hpp"

#include "schema/base/limits.hpp"
#include "schema/json/refuse.hpp"
#include "schema/wire/manifest.hpp"

#include <array>
#include <string>
#include <string_view>

namespace whence::schema::json {
namespace {

constexpr std::array<std::string_view, 3> server_fields = {"aggregate_score", "feedback_count", "status"};

}  // namespace

void refuse_state(boost::json::object const& object, Path const& root, Report& report) {
  for (std::string_view const name : server_fields) {
    if (auto const* const value = object.if_contains(name)) {
      refuse(*value, "server_field", Path{root, name}, report, "is set by the server only");
    }
  }
}

void note_left_out(boost::json::object const& object, ContextUnit& unit) {
  auto const* const version = object.if_contains("version");
  bool const is_given = version != nullptr && !version->is_null();
  if (!is_given && unit.previous_version_id) unit.version = version_left_out;
}

void note_left_out(boost::json::object const& object, LineageManifest& manifest) {
  imply_edges(object, manifest);
}

void check_json(Response const& response, Path const& /*root*/, Report& report) {
  check_manifest_json(response, report);
}

void check_json(LineageManifest const& manifest, Path const& root, Report& report) {
  if (!report.is_empty()) return;
  // What is absent may have been left out to make it fit.
  bool const has_edges = !manifest.provenance_tree.edges.empty();
  std::size_t const size = manifest_text(manifest, {.has_edges = has_edges, .has_nulls = false}).size();
  if (size > limits::manifest_bytes_max) {
    // All other members are bounded: what makes it too large is one of the two lists.
    bool const is_mostly_edges = manifest_text(manifest, {.has_edges = false, .has_nulls = false}).size() < size / 2;
    report.add(Path{root, is_mostly_edges ? "provenance_tree" : "context_tree"}, "manifest_size",
               shown(std::uint64_t{size}),
               "must be at most " + std::to_string(limits::manifest_bytes_max) +
                   " bytes as compact JSON; leave out summaries, then the edges, which the tree implies");
  }
}

}  // namespace whence::schema::json
