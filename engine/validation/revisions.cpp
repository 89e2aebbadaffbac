// From the records that differ to revisions of the plan, with the edges that they add; an edge is never taken back.

#include "engine/validation/revisions.hpp"

#include "engine/plan/past_links.hpp"
#include "engine/validation/prov_cycles.hpp"
#include "engine/validation/retrieval/document_sources.hpp"
#include "schema/base/report.hpp"
#include "schema/prov/statements.hpp"
#include "schema/records/links.hpp"
#include "schema/records/prov/relations.hpp"
#include "schema/types/ref.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace whence::engine {
namespace {

using schema::RecordType;

constexpr std::string_view self_message = "no edge leads from a node to itself";
constexpr std::string_view cut_message = "this would close a cycle of influence: it is kept without";

/// What distinguishes the edges of a PROV node: type, end, and which relation of these.
using RelationKey = std::tuple<schema::EdgeType, VertexId, double>;

std::set<RelationKey> relation_keys(graph::Snapshot const& known, VertexId vertex) {
  std::set<RelationKey> keys;
  if (!known.contains(vertex)) return keys;
  for (auto const& neighbours : {known.causes_ever(vertex), known.relations_from_ever(vertex)}) {
    for (std::size_t i = 0; i < neighbours.size(); ++i) {
      auto const edge = neighbours.edges[i];
      keys.emplace(schema::named_type(known.type(edge)), neighbours.vertices[i], known.value(edge).value_or(0));
    }
  }
  return keys;
}

/// Where the batch says the relations of a record that was joined: which record of it, at which place.
class Said {
 public:
  struct Place {
    std::uint32_t index;
    schema::LinkPlace place;
  };

  Said(Candidate const& candidate, Descriptions const& described) : candidate_(candidate) {
    auto const found = described.find(schema::number(candidate.vertex));
    if (found == described.end()) return;
    is_joined_ = true;
    for (auto const& each : found->second) {
      auto const* const node = schema::json::prov_node_of(*each.given);
      if (node == nullptr || !node->relations) continue;
      for (std::uint32_t i = 0; i < node->relations->size(); ++i) {
        places_.try_emplace(key_of((*node->relations)[i]), each.index, i);
      }
    }
  }

  /// Nothing where no record of the batch says it.
  [[nodiscard]] std::optional<Place> find(schema::LinkPlace place) const {
    if (!is_joined_) return Place{candidate_.index, place};
    auto const& relations = schema::json::prov_node_of(*candidate_.record)->relations.value();
    auto const found = places_.find(key_of(relations[place.item]));
    if (found == places_.end()) return std::nullopt;
    place.item = found->second.second;
    return Place{found->second.first, place};
  }

 private:
  /// A relation with a name may say more when it is joined.
  static std::string key_of(schema::ProvRelation const& relation) {
    bool const has_name = relation.id && !relation.id->starts_with("_:");
    std::string key = relation.relation + '\n' + relation.other.value_or("");
    for (auto const& each : relation.others.value_or(std::vector<std::string>{})) key.append("\n").append(each);
    return key.append(has_name ? "\n#" + *relation.id : "\n" + relation.attributes.json);
  }

  Candidate const& candidate_;
  bool is_joined_ = false;
  std::map<std::string, std::pair<std::uint32_t, std::uint32_t>> places_;
};

/// The edges of relations that a PROV node now has besides those it had. A relation that was known stays with the node
/// it led to, whatever has that one's id now.
std::vector<store::RowEdge> new_relations(Candidates const& candidates, Candidate const& candidate,
                                          Descriptions const& described, Findings& findings) {
  std::vector<store::RowEdge> edges;
  auto const keys = relation_keys(candidates.known(), candidate.vertex);
  PastLinks const past(candidates.known(), candidate.vertex);
  Said const said(candidate, described);
  for (auto const& link : schema::links_of(*candidate.record)) {
    auto const other = candidates.find(link.other_type, link.other_id());
    if (!other || keys.contains({link.type, *other, link.value.value_or(0)})) continue;
    auto const place = said.find(link.place);
    if (!place && past.has_deleted(link.other_type, link.other_id())) continue;
    if (*other == candidate.vertex) {
      auto const at = place.value_or(Said::Place{candidate.index, link.place});
      findings.warn(at.index, {Errc::cycle, "prov_cycle", at.place.pointer(), schema::shown(candidate.id),
                               std::string(self_message)});
      continue;
    }
    edges.push_back({.type = link.type, .owner_is_from = true, .other = *other, .value = link.value});
  }
  return edges;
}

/// The edges a changed record adds to those it has.
std::vector<store::RowEdge> new_edges(Candidates const& candidates, Candidate const& candidate,
                                      Descriptions const& described, Findings& findings) {
  if (schema::is_prov(schema::type_of(*candidate.record)))
    return new_relations(candidates, candidate, described, findings);
  std::vector<store::RowEdge> edges;
  auto const& known = candidates.known();
  PastLinks const past(known, candidate.vertex);
  // What a record of a replaceable type says is said now, whatever it said before.
  bool const says_it_again =
      known.gone(candidate.vertex).has_value() && !schema::info(schema::type_of(*candidate.record)).is_replaceable;
  for (auto const& link : schema::links_of(*candidate.record)) {
    auto const other = candidates.find(link.other_type, link.other_id());
    if (!other || past.has(*other)) continue;
    bool const is_of_then = says_it_again || link.type == schema::EdgeType::used_in;
    if (is_of_then && past.has_deleted(link.other_type, link.other_id())) continue;
    edges.push_back({.type = link.type, .owner_is_from = link.owner_is_from, .other = *other, .value = link.value});
  }
  if (auto const* const document = std::get_if<schema::Document>(candidate.record)) {
    edges = edges_gained(candidate.vertex, *document, candidates.known());
  }
  return edges;
}

/// The rows, and after them what known records gained by acts that the batch makes.
std::vector<store::VertexRow> rows_of(Plan const& plan) {
  auto rows = plan.rows;
  for (auto const& each : plan.revisions) {
    rows.push_back({.vertex = each.row.vertex, .type = each.row.type, .id = {}, .edges = each.row.edges});
  }
  return rows;
}

void cut_cycles(Candidates const& candidates, std::vector<Candidate const*> const& revised,
                std::vector<std::vector<store::RowEdge>>& edges, Descriptions const& described, Plan const& plan,
                Findings& findings) {
  std::vector<VertexId> owners;
  std::vector<std::vector<store::RowEdge>*> added;
  std::vector<Candidate const*> of;
  for (std::size_t i = 0; i < revised.size(); ++i) {
    if (!schema::is_prov(schema::type_of(*revised[i]->record))) continue;
    owners.push_back(revised[i]->vertex);
    added.push_back(&edges[i]);
    of.push_back(revised[i]);
  }
  if (owners.empty()) return;
  cut_closing(candidates.known(), rows_of(plan), owners, added, [&](std::size_t owner, std::size_t edge) {
    auto const& cut = (*added[owner])[edge];
    auto const links = schema::links_of(*of[owner]->record);
    auto const link = std::ranges::find_if(links, [&](schema::Link const& each) {
      return each.type == schema::named_type(cut.type) && each.value == cut.value &&
             candidates.find(each.other_type, each.other_id()) == cut.other;
    });
    if (link == links.end()) return;
    auto const at = Said(*of[owner], described).find(link->place).value_or(Said::Place{of[owner]->index, link->place});
    findings.warn(at.index, {Errc::cycle, "prov_cycle", at.place.pointer(), schema::shown(of[owner]->id),
                             std::string(cut_message)});
  });
}

}  // namespace

void check_described(Candidates const& candidates, Descriptions const& described, Findings& findings) {
  for (auto const& [vertex, descriptions] : described) {
    PastLinks const past(candidates.known(), VertexId{vertex});
    for (auto const& [index, given] : descriptions) {
      for (auto const& link : schema::links_of(*given)) {
        if (!link.is_enforced || candidates.find_named(link.other_type, link.other_id())) continue;
        if (past.has_deleted(link.other_type, link.other_id())) continue;  // it says again what it said
        findings.add(index,
                     {Errc::invalid_record, "unknown_reference", link.place.pointer(), schema::shown(link.other_id()),
                      schema::format_ref(link.other_type, link.other_id()) + " is not known"});
      }
    }
  }
}

Result<void> plan_revised(Candidates const& candidates, Differing const& differing, bool are_documents_joined,
                          DocumentIndex& documents, Index::Source const& source, Plan& plan, Findings& findings) {
  auto const& revised = differing.revised;
  std::vector<std::vector<store::RowEdge>> all;
  all.reserve(revised.size());
  for (auto const* candidate : revised) all.push_back(new_edges(candidates, *candidate, differing.described, findings));
  cut_cycles(candidates, revised, all, differing.described, plan, findings);
  for (std::size_t i = 0; i < revised.size(); ++i) {
    auto const* const candidate = revised[i];
    auto const type = schema::type_of(*candidate->record);
    // A template that is revised whole becomes inactive; one that comes back says that it is.
    bool const is_template = type == RecordType::system_prompt_template;
    auto& edges = all[i];
    auto const* const entity = std::get_if<schema::ProvEntity>(candidate->record);
    if (are_documents_joined && entity != nullptr) {
      auto const gained = documents_gained(candidate->vertex, *entity, candidates.known(), documents, source);
      if (!gained) return gained.error();
      edges.insert(edges.end(), gained->begin(), gained->end());
    }
    plan.revise({.row = {.vertex = candidate->vertex,
                         .type = type,
                         .revision = 0,
                         .kind = is_template ? schema::RevisionKind::addition : schema::RevisionKind::whole,
                         .edges = std::move(edges),
                         .rows_before = candidates.rows_up_to(candidate->index)},
                 .content = *candidate->record,
                 .whole = *candidate->record},
                candidates.known());
  }
  return {};
}

}  // namespace whence::engine
