// The direct sources of a response by weight, deleted ones too, each in the terms of units whatever its type. Where the
// text has too many bytes, summaries go from the least weight on, then the edges, then the embedding ids.

#include "queries/lineage/manifest.hpp"

#include "graph/snapshot/records.hpp"
#include "queries/view/resolve.hpp"
#include "schema/base/limits.hpp"
#include "schema/base/report.hpp"
#include "schema/types/ref.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

namespace whence::queries {
namespace {

using schema::LineageManifest;

// Without a type's name in front it is a response's id, whatever it looks like.
Result<VertexId> resolve_response(Snapshot const& snapshot, std::string const& response_id) {
  std::string_view const head = std::string_view{response_id}.substr(0, response_id.find(':'));
  bool const is_typed = head.size() < response_id.size() && schema::find_record_type(head).has_value();
  if (!is_typed) return resolve(snapshot, {schema::RecordType::response, response_id}, "/response_id");
  auto const ref = schema::parse_ref(response_id);
  if (!ref || ref->type != schema::RecordType::response) {
    return error_from(invalid_param("ref", "/response_id", schema::shown(response_id),
                                    "must be the id of a response, or a ref that starts `Response:`"));
  }
  return resolve(snapshot, *ref, "/response_id");
}

struct Use {
  VertexId source;
  double weight;
  std::string name;  ///< of a unit its id, else the ref
};

// By weight, highest first, then name in byte order.
std::vector<Use> uses_by_weight(Snapshot const& snapshot, VertexId response) {
  std::vector<Use> uses;
  auto const causes = snapshot.causes_ever(response);
  for (std::size_t i = 0; i < causes.size(); ++i) {
    if (snapshot.type(causes.edges[i]) != graph::EdgeType::used_in) continue;
    auto const source = causes.vertices[i];
    double const weight = snapshot.value(causes.edges[i]).value_or(0);
    auto const use = schema::use_of(snapshot.type(source), snapshot.id(source), weight);
    uses.push_back({source, weight, std::string{use.name()}});
  }
  std::sort(uses.begin(), uses.end(),
            [](Use const& a, Use const& b) { return a.weight != b.weight ? a.weight > b.weight : a.name < b.name; });
  return uses;
}

template <class T>
void mark_gone(T& part, graph::Said const& said) {
  part.expired = true;
  if (said.gone() == graph::GoneWhy::purged) part.purged = true;
}

void add_response(LineageManifest& manifest, schema::Response&& response) {
  manifest.agent = std::move(response.agent);
  manifest.model = std::move(response.model);
  manifest.token_count = response.token_count;
}

// What a source of each type is called in the terms of units: what kind of context it is, and where it is from.
struct Description {
  schema::ManifestNode& node;

  void operator()(schema::ContextUnit& unit) const {
    node.type = unit.type;
    node.source = std::move(unit.source);
    node.embedding_id = std::move(unit.embedding_id);
    node.summary = std::move(unit.summary);
  }
  void operator()(schema::RetrievedChunk& chunk) const { take(ContextType::external, chunk.metadata.document_name); }
  void operator()(schema::Document& document) const { take(ContextType::external, document.document_name); }
  void operator()(schema::Message& message) const { take(ContextType::user, message.topic_id); }
  void operator()(schema::Response& response) const { take(ContextType::model_state, response.agent); }
  void operator()(schema::Answer& answer) const { take(ContextType::model_state, answer.request_id); }
  template <class T>
  void operator()(T& /*record*/) const {}  // is never used

 private:
  using ContextType = schema::ContextType;

  void take(ContextType type, std::string& source) const {
    node.type = type;
    node.source = std::move(source);
  }
};

/// Without the source's own members.
schema::ManifestNode& add_use(LineageManifest& manifest, Use const& use) {
  manifest.provenance_tree.edges.push_back({use.name, manifest.response_id, use.weight});
  manifest.context_tree.push_back({.id = use.name, .weight = use.weight});
  return manifest.context_tree.back();
}

Result<LineageManifest> manifest_of(View const& view, VertexId response) {
  auto const uses = uses_by_weight(view.snapshot, response);
  std::vector<VertexId> vertices{response};
  LineageManifest manifest;
  manifest.response_id = manifest.provenance_tree.root = view.snapshot.id(response);
  manifest.timestamp = view.snapshot.time(response).value_or(schema::Time{});  // each response has one
  std::vector<std::size_t> places{0};  // in the tree, of all vertices but the first
  for (Use const& use : uses) {
    auto& node = add_use(manifest, use);
    if (view.snapshot.is_deleted(use.source)) {
      node.deleted = true;
      continue;
    }
    places.push_back(manifest.context_tree.size() - 1);
    vertices.push_back(use.source);
  }
  auto const read = graph::read_records(view.snapshot, *view.records, vertices, [&](std::size_t i, graph::Said&& said) {
    auto* const record = said.find();
    if (record == nullptr) {
      i == 0 ? mark_gone(manifest, said) : mark_gone(manifest.context_tree[places[i]], said);
    } else if (i == 0) {
      add_response(manifest, std::get<schema::Response>(std::move(*record)));
    } else {
      std::visit(Description{manifest.context_tree[places[i]]}, *record);
    }
    return true;
  });
  if (!read) return read.error();
  return manifest;
}

/// Leaves out summaries from the entry of the least weight on, then the edges, which the tree implies, then the
/// embedding ids.
Result<FittedManifest> fit(LineageManifest manifest, std::uint64_t bytes_max) {
  FittedManifest fitted{.manifest = std::move(manifest)};
  auto const& tree = fitted.manifest.context_tree;
  auto& form = fitted.form;
  auto const fits = [&] {
    fitted.bytes = schema::json::manifest_text(fitted.manifest, form).size();
    return fitted.bytes <= bytes_max;
  };
  if (fits()) return fitted;
  form.summaries = 0;
  if (fits()) {
    std::size_t too_many = tree.size();  // between what fits and what does not
    for (std::size_t enough = 0; too_many - enough > 1;) {
      form.summaries = enough + (too_many - enough) / 2;
      (fits() ? enough : too_many) = form.summaries;
    }
    form.summaries = too_many - 1;
    (void)fits();
  }
  auto const kept = std::min(form.summaries, tree.size());
  bool const lacks_summaries = std::any_of(tree.begin() + static_cast<std::ptrdiff_t>(kept), tree.end(),
                                           [](schema::ManifestNode const& node) { return node.summary.has_value(); });
  if (lacks_summaries) fitted.omitted.push_back("summary");
  if (fitted.bytes <= bytes_max) return fitted;
  form.has_edges = false;
  fitted.omitted.push_back("edges");
  if (fits()) return fitted;
  form.has_embedding_ids = false;
  fitted.omitted.push_back("embedding_id");
  if (fits()) return fitted;
  return error_from(Violation{.code = Errc::limit_exceeded,
                              .rule = "manifest_size",
                              .path = "/max_bytes",
                              .seen = schema::shown(bytes_max),
                              .message = "the manifest without summaries, edges and embedding ids still has " +
                                         std::to_string(fitted.bytes) +
                                         " bytes: ask with a `max_bytes` of at least that, or `lineage.ancestors` with "
                                         "`depth` 1 for the same in pages"});
}

}  // namespace

Result<FittedManifest> lineage_manifest(View const& view, ManifestParams const& params, Budget const& /*budget*/) {
  auto const response = resolve_response(view.snapshot, params.response_id);
  if (!response) return response.error();
  auto manifest = manifest_of(view, *response);
  if (!manifest) return manifest.error();
  return fit(std::move(*manifest), params.max_bytes.value_or(schema::limits::manifest_bytes_max));
}

}  // namespace whence::queries
