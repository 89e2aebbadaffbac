// From the records that differ to revisions of the plan, with the edges that they add; an edge is never taken back. One
// template of a model is active, so that one that becomes active makes another inactive, which only the kinds of the
// revisions show.

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
using schema::SystemPromptTemplate;

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

/// A template after the batch's own revisions; null where it is gone.
Result<SystemPromptTemplate const*> template_at(VertexId vertex, Candidates const& candidates, Contents& contents,
                                                Plan const& plan) {
  if (auto const* revision = plan.revision_of(vertex)) return &std::get<SystemPromptTemplate>(revision->whole);
  if (auto const* proposed = candidates.proposed(vertex)) return &std::get<SystemPromptTemplate>(*proposed->record);
  auto const record = contents.fetch_one(vertex);
  if (!record) return record.error();
  return *record == nullptr ? nullptr : &std::get<SystemPromptTemplate>(**record);
}

std::optional<VertexId> find_template(Candidates const& candidates, std::string const& model, std::int64_t version) {
  return candidates.find(RecordType::system_prompt_template, schema::join_key({model, std::to_string(version)}));
}

/// A change of a template by the record `index` of the batch. Becoming active is an `update`, becoming inactive is
/// `whole`: events are made from rows, which show no more.
void revise_template(VertexId vertex, SystemPromptTemplate const& whole, schema::RevisionKind kind, std::uint32_t index,
                     Candidates const& candidates, Plan& plan) {
  plan.revise({.row = {.vertex = vertex,
                       .type = RecordType::system_prompt_template,
                       .revision = 0,
                       .kind = kind,
                       .rows_before = candidates.rows_up_to(index)},
               .content = whole,
               .whole = whole},
              candidates.known());
}

/// Of the templates of a model that a batch has as active, the last counts.
bool has_later_active(Candidates const& candidates, Candidate const& activated) {
  auto const& model = std::get<SystemPromptTemplate>(*activated.record).model_id;
  return std::ranges::any_of(candidates.all().subspan(activated.index + 1), [&](Candidate const& later) {
    auto const* prompt = later.record == nullptr ? nullptr : std::get_if<SystemPromptTemplate>(later.record);
    return prompt != nullptr && prompt->model_id == model && prompt->active.value_or(true);
  });
}

/// A template that becomes active.
struct Active {
  Candidate const* candidate;
  std::int64_t versions_end;  ///< above all versions that may have been active until then
  bool is_again;              ///< it was written before
};

/// Makes the one inactive that was active before `made`; usually it is one of the last.
Result<void> plan_inactive(Active const& made, std::vector<Active> const& all, schema::EpochMs now,
                           Candidates const& candidates, Contents& contents, Plan& plan) {
  auto const& model = std::get<SystemPromptTemplate>(*made.candidate->record).model_id;
  for (auto version = made.versions_end - 1; version > 0; --version) {
    auto const vertex = find_template(candidates, model, version);
    bool const is_again = vertex && std::ranges::any_of(all, [&](Active const& each) {
                            return each.is_again && each.candidate->vertex == *vertex;
                          });
    if (!vertex || is_again) continue;
    auto const known = template_at(*vertex, candidates, contents, plan);
    if (!known) return known.error();
    if (*known == nullptr) continue;  // nothing says any more that it is active
    if (!(*known)->active.value_or(true)) continue;
    auto whole = **known;
    whole.active = false;
    whole.updated_at = now;
    revise_template(*vertex, whole, schema::RevisionKind::whole, made.candidate->index, candidates, plan);
    break;
  }
  return {};
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

/// Activations come before all that becomes inactive: a restored history has the events with records first.
Result<void> plan_templates(Candidates const& candidates, std::vector<Candidate const*> const& activated,
                            schema::EpochMs now, Contents& contents, Plan& plan) {
  std::vector<Active> active;
  for (auto const* candidate : activated) {
    if (has_later_active(candidates, *candidate)) continue;
    auto whole = std::get<SystemPromptTemplate>(*candidate->record);
    whole.updated_at = whole.updated_at.value_or(now);
    bool const was_gone = candidates.known().gone(candidate->vertex).has_value();
    auto const kind = was_gone ? schema::RevisionKind::addition : schema::RevisionKind::update;
    revise_template(candidate->vertex, whole, kind, candidate->index, candidates, plan);
    auto end = whole.version + 1;
    while (find_template(candidates, whole.model_id, end)) ++end;
    active.push_back({candidate, end, true});
  }
  for (std::size_t i = 0; i < candidates.new_count(); ++i) {
    auto const& candidate = candidates.nth_new(i);
    auto const* made = std::get_if<SystemPromptTemplate>(candidate.record);
    if (made != nullptr && made->active.value_or(true)) active.push_back({&candidate, made->version, false});
  }
  std::ranges::stable_sort(active, {}, [](Active const& each) { return each.candidate->index; });
  for (auto const& each : active) {
    if (auto const planned = plan_inactive(each, active, now, candidates, contents, plan); !planned)
      return planned.error();
  }
  return {};
}

}  // namespace whence::engine
