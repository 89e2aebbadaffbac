// The manifest's text, and whether a response's own copy of it is right.
#include "schema/wire/manifest.hpp"

#include "schema/base/limits.hpp"
#include "schema/json/json.hpp"
#include "schema/records/check.hpp"
#include "schema/records/context/fields.hpp"
#include "schema/wire/decode.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace whence::schema::json {
namespace {

void write_or_null(Writer& out, std::string_view name, std::optional<std::string> const& text, ManifestForm form) {
  if (!text && !form.has_nulls) return;
  out.key(name);
  if (text) {
    out.value(*text);
  } else {
    out.null();
  }
}

void write_node(Writer& out, ManifestNode const& node, std::size_t place, ManifestForm form) {
  out.begin_object();
  if (node.deleted.value_or(false) || node.expired.value_or(false)) {
    out.member("id", node.id).member("weight", node.weight);
    out.member(node.deleted.value_or(false) ? "deleted" : "expired", true);
    if (node.purged.value_or(false)) out.member("purged", true);
    out.end_object();
    return;
  }
  out.member("id", node.id)
      .member("type", name_of(node.type.value_or(ContextType::system)))
      .member("source", node.source);
  out.member("weight", node.weight);
  if (form.has_embedding_ids) write_or_null(out, "embedding_id", node.embedding_id, form);
  if (place < form.summaries) write_or_null(out, "summary", node.summary, form);
  out.end_object();
}

void write_maker(Writer& out, LineageManifest const& manifest, ManifestForm form) {
  out.member("agent", manifest.agent).member("model", manifest.model);
  if (!manifest.token_count && !form.has_nulls) return;
  out.key("token_count");
  if (manifest.token_count) {
    out.value(*manifest.token_count);
  } else {
    out.null();
  }
}

void write_tree(Writer& out, ProvenanceTree const& tree, ManifestForm form) {
  out.begin_object().member("root", tree.root);
  if (form.has_edges) {
    out.key("edges").begin_array();
    for (ManifestEdge const& edge : tree.edges) {
      out.begin_object().member("from", edge.from).member("to", edge.to).member("weight", edge.weight).end_object();
    }
    out.end_array();
  }
  out.end_object();
}

/// The manifest in `text`; its first violation where it has any.
Result<LineageManifest> parse_manifest(std::string_view text) {
  auto const document = parse(text);
  if (!document) return document.error();
  LineageManifest manifest;
  IncomingRecord incoming;
  Report report{incoming.violations};
  for (std::string const& pointer : document->duplicates) {
    report.add(pointer, "duplicate_member", "", "occurs twice");
  }
  decode_value(document->value, manifest, Rule{}, Path{}, report);
  if (auto const* const object = document->value.if_object()) imply_edges(*object, manifest);
  incoming.record = std::move(manifest);
  // Its time is compared with the response's, which is compared with the clock.
  check(incoming, CheckContext{.latest_time = {std::numeric_limits<std::int64_t>::max(), 0}});
  if (!incoming.violations.empty()) return error_from(std::move(incoming.violations));
  return std::get<LineageManifest>(std::move(incoming.record));
}

std::vector<std::pair<std::string_view, double>> uses_of(LineageManifest const& manifest) {
  std::vector<std::pair<std::string_view, double>> uses;
  for (ManifestNode const& node : manifest.context_tree) uses.emplace_back(node.id, node.weight);
  std::ranges::sort(uses);
  return uses;
}

std::vector<std::pair<std::string_view, double>> uses_of(Response const& response) {
  std::vector<std::pair<std::string_view, double>> uses;
  for (ContextReference const& use : response.context_units) uses.emplace_back(use.name(), use.weight);
  std::ranges::sort(uses);
  return uses;
}

/// The member in which the two differ; empty where they agree.
std::string_view difference(LineageManifest const& manifest, Response const& response) {
  if (manifest.response_id != response.id) return "response_id";
  if (manifest.timestamp != response.timestamp) return "timestamp";
  if (manifest.agent != response.agent) return "agent";
  if (manifest.model != response.model) return "model";
  if (manifest.token_count != response.token_count) return "token_count";
  return uses_of(manifest) == uses_of(response) ? "" : "context_tree";
}

}  // namespace

void write_manifest(Writer& out, LineageManifest const& manifest, ManifestForm form) {
  out.begin_object();
  out.member("response_id", manifest.response_id).member("timestamp", format_rfc3339(manifest.timestamp));
  if (manifest.expired.value_or(false)) {
    out.member("expired", true);
    if (manifest.purged.value_or(false)) out.member("purged", true);
  } else {
    write_maker(out, manifest, form);
  }
  out.key("context_tree").begin_array();
  for (std::size_t i = 0; i < manifest.context_tree.size(); ++i) write_node(out, manifest.context_tree[i], i, form);
  out.end_array();
  write_tree(out.key("provenance_tree"), manifest.provenance_tree, form);
  out.end_object();
}

std::string manifest_text(LineageManifest const& manifest, ManifestForm form) {
  std::string text;
  Writer out{text};
  write_manifest(out, manifest, form);
  return text;
}

void imply_edges(boost::json::object const& object, LineageManifest& manifest) {
  auto const* const provenance = object.if_contains("provenance_tree");
  bool const is_there = provenance != nullptr && provenance->is_object();
  if (!is_there || provenance->get_object().contains("edges")) return;
  auto& edges = manifest.provenance_tree.edges;
  edges.reserve(manifest.context_tree.size());
  for (auto const& node : manifest.context_tree) edges.push_back({node.id, manifest.response_id, node.weight});
}

void check_manifest_json(Response const& response, Report& report) {
  Path const root;
  Path const at{root, "manifest_json"};
  if (!response.manifest_json || report.has(at)) return;
  std::string const& text = *response.manifest_json;
  if (text.size() > limits::manifest_bytes_max) {
    return report.add(at, "manifest_size", shown(std::uint64_t{text.size()}),
                      "must be at most " + std::to_string(limits::manifest_bytes_max) + " bytes");
  }
  auto const manifest = parse_manifest(text);
  if (!manifest) {
    auto const& violations = manifest.error().violations;
    std::string const where = violations.empty() ? "" : violations.front().path + " ";
    return report.add(at, "manifest_invalid", text, where + manifest.error().message);
  }
  // A response that is itself wrong is not worth comparing with.
  if (!report.is_empty()) return;
  if (auto const member = difference(*manifest, response); !member.empty()) {
    report.add(at, "manifest_mismatch", text, std::string{member}.append(" differs from the response's"));
  }
}

}  // namespace whence::schema::json
