// Checks of context records: versions, sums of weights, repeated ids, manifests that agree with themselves.
#include "schema/base/report.hpp"
#include "schema/records/check_context.hpp"
#include "schema/records/context/rules.hpp"
#include "schema/records/ref.hpp"

#include <map>
#include <string_view>

namespace whence::schema {
namespace {

/// The sum of the weights in `list`, where each of them is fine.
template <class List>
void check_weight_sum(List const& list, Path const& at, Report& report) {
  double sum = 0;
  for (std::size_t i = 0; i < list.size(); ++i) {
    Path const item{at, i};
    if (!(list[i].weight >= 0 && list[i].weight <= 1) || report.has(Path{item, "weight"})) return;
    sum += list[i].weight;
  }
  if (list.empty() || is_weight_sum(sum)) return;
  report.add(at, "weight_sum", shown(sum), "the weights must sum to 1, give or take 0.01");
}

/// A prompt is made from rounds and summaries, each named once.
void check_prompt_refs(std::vector<std::string> const& refs, Path const& list, Report& report) {
  for (std::size_t i = 0; i < refs.size(); ++i) {
    auto const ref = parse_ref(refs[i]);
    bool const fits = ref && (ref->type == RecordType::discussion_round || ref->type == RecordType::summary_entry);
    if (!fits) report.add(Path{list, i}, "ref", shown(refs[i]), "must be a ref of a DiscussionRound or SummaryEntry");
  }
  check_distinct(
      refs, [](std::string const& ref) -> std::string_view { return ref; },
      [&](std::size_t i, std::string_view ref) {
        report.add(Path{list, i}, "duplicate_ref", shown(ref), "a node may be named once");
      });
}

/// The edges repeat the tree: one for each entry, in any order, of equal weight, all into the root.
void check_edges(LineageManifest const& manifest, Path const& root, Report& report) {
  Path const provenance{root, "provenance_tree"};
  Path const edges{provenance, "edges"};
  // Where a member is wrong in itself, what it disagrees with says nothing new.
  if (report.has_within(provenance) || report.has_within(Path{root, "context_tree"})) return;
  if (report.has(Path{root, "response_id"})) return;
  std::string const& response = manifest.response_id;
  if (manifest.provenance_tree.root != response) {
    report.add(Path{provenance, "root"}, "manifest_mismatch", shown(manifest.provenance_tree.root),
               "must be the response_id");
  }
  std::map<std::string_view, double> open;  // tree entries without an edge yet
  for (ManifestNode const& node : manifest.context_tree) open.emplace(node.id, node.weight);
  for (std::size_t i = 0; i < manifest.provenance_tree.edges.size(); ++i) {
    ManifestEdge const& edge = manifest.provenance_tree.edges[i];
    Path const at{edges, i};
    if (edge.to != response) report.add(Path{at, "to"}, "manifest_mismatch", shown(edge.to), "must be the response_id");
    auto const entry = open.find(edge.from);
    if (entry == open.end()) {
      report.add(Path{at, "from"}, "manifest_mismatch", shown(edge.from),
                 "must be an entry of the tree without another edge");
      continue;
    }
    if (entry->second != edge.weight) {
      report.add(Path{at, "weight"}, "manifest_mismatch", shown(edge.weight), "must equal the tree entry's");
    }
    open.erase(entry);
  }
  if (!open.empty()) {
    report.add(edges, "manifest_mismatch", shown(open.begin()->first), "each entry of the tree must have its edge");
  }
}

}  // namespace

void check_joined(ContextUnit const& unit, CheckContext const& /*context*/, Path const& root, Report& report) {
  Path const previous{root, "previous_version_id"};
  if (unit.version > 1 && !unit.previous_version_id && !report.has(Path{root, "version"})) {
    report.add(previous, "version_link", "", "a version above 1 must name the version before it");
  }
  if (unit.version == 1 && unit.previous_version_id && !report.has(Path{root, "version"})) {
    report.add(previous, "version_link", shown(*unit.previous_version_id), "version 1 has no version before it");
  }
  if (!unit.derived_from) return;
  Path const list{root, "derived_from"};
  check_distinct(
      *unit.derived_from, [](std::string const& id) -> std::string_view { return id; },
      [&](std::size_t i, std::string_view id) {
        report.add(Path{list, i}, "duplicate_source", shown(id), "a source may be named once");
      });
}

void check_joined(Response const& response, CheckContext const& /*context*/, Path const& root, Report& report) {
  Path const list{root, "context_units"};
  check_distinct(
      response.context_units, [](ContextReference const& use) -> std::string_view { return use.context_unit_id; },
      [&](std::size_t i, std::string_view id) {
        Path const item{list, i};
        report.add(Path{item, "context_unit_id"}, "duplicate_unit", shown(id), "a unit may be used once");
      });
  check_weight_sum(response.context_units, list, report);
  check_hash(response.query_attachment, Path{root, "query_attachment"}, report);
  if (response.prompt_refs) check_prompt_refs(*response.prompt_refs, Path{root, "prompt_refs"}, report);
}

void check_joined(LineageManifest const& manifest, CheckContext const& /*context*/, Path const& root, Report& report) {
  Path const tree{root, "context_tree"};
  check_distinct(
      manifest.context_tree, [](ManifestNode const& node) -> std::string_view { return node.id; },
      [&](std::size_t i, std::string_view id) {
        Path const item{tree, i};
        report.add(Path{item, "id"}, "duplicate_unit", shown(id), "a unit may be used once");
      });
  check_weight_sum(manifest.context_tree, tree, report);
  check_edges(manifest, root, report);
}

}  // namespace whence::schema
