// Only new vertices can lie on a new cycle. An existing vertex gains a cause in few ways: from a new llm-query, which
// has no causes; by extraction, as a keyword or subject, which has no effects; as a request, from chunks and an
// embedding, whose causes are documents and the request's query only. A batch in which every influence leads from an
// earlier record to a later one is in topological order and needs no search.
//
// Relations of PROV documents lead from new records to what influenced them, and their records influence nothing else:
// their cycles are among themselves, and within one batch too. A foreign document may well contain a cycle. It is kept:
// the relation that closes the cycle is stored without influence.

#include "engine/validation/references.hpp"

#include "engine/validation/prov_cycles.hpp"
#include "graph/walks/walk.hpp"
#include "schema/base/report.hpp"
#include "schema/records/links.hpp"
#include "schema/records/prov/relations.hpp"
#include "schema/types/edge_type.hpp"
#include "schema/types/ref.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <utility>

namespace whence::engine {
namespace {

using schema::EdgeType;
using schema::Link;
using schema::RecordType;

constexpr std::size_t candidates_per_part = 256;  // 0.2 ms where each has 20 references

/// A reference of one new record to another, between positions among the new candidates.
struct LocalEdge {
  graph::ProposedEdge edge;
  std::uint32_t owner;
  schema::LinkPlace place;
};

/// `/context_units/3/context_unit_id` of a manifest's response is `/context_tree/3/id` of the manifest.
schema::LinkPlace as_given(Candidate const& candidate, schema::LinkPlace const& place) {
  bool const is_of_tree = candidate.origin == Origin::manifest && place.member == "context_units";
  return is_of_tree ? schema::LinkPlace{"context_tree", place.item, "id"} : place;
}

bool influences_owner(Link const& link, RecordType owner) {
  return schema::influence_of(link.type, link.owner_is_from ? owner : link.other_type) != schema::Influence::none;
}

/// What is wrong with a reference, or a warning of it, until the parts before have reported theirs.
struct PartFinding {
  bool is_warning;
  std::uint32_t index;
  Findings::Finding finding;
};

Findings::Finding cycle_at(Candidate const& candidate, schema::LinkPlace const& place) {
  return {Errc::cycle, "cycle", as_given(candidate, place).pointer(), schema::shown(candidate.id),
          "this would make it its own ancestor"};
}

Findings::Finding prov_cycle_at(Candidate const& candidate, schema::LinkPlace const& place, std::string message) {
  return {Errc::cycle, "prov_cycle", place.pointer(), schema::shown(candidate.id), std::move(message)};
}

/// Resolves the references of some candidates, and notes what all parts of a batch together decide on. Parts may be
/// worked on at the same time.
class Part {
 public:
  explicit Part(Candidates const& candidates) : candidates_(candidates) {}

  /// The new candidates from `begin` to `end`, which get rows.
  void resolve_new(std::size_t begin, std::size_t end) {
    rows.reserve(end - begin);
    for (auto i = begin; i < end; ++i) {
      auto const& candidate = candidates_.nth_new(i);
      rows.push_back({.vertex = candidate.vertex,
                      .type = candidate.type,
                      .id = std::string(candidate.id),
                      .time = schema::time_of(*candidate.record)});
      resolve(candidate, &rows.back());
    }
  }

  /// A known record adds no edges, but where it has errors its references are checked too.
  void check_known() {
    for (auto const& candidate : candidates_.all()) {
      if (!candidate.is_new && candidate.record != nullptr && candidate.has_field_errors) resolve(candidate, nullptr);
    }
  }

  std::vector<store::VertexRow> rows;
  std::vector<LocalEdge> local_edges;
  std::vector<LocalRelation> relations;
  std::vector<schema::LinkPlace> relation_places;  // beside them
  std::vector<PartFinding> findings;
  bool has_forward = false;
  bool has_forward_relation = false;

 private:
  /// Adds the edges of `candidate` to `row`, where there is one.
  void resolve(Candidate const& candidate, store::VertexRow* row) {
    auto const links = schema::links_of(*candidate.record);
    if (row != nullptr) row->edges.reserve(links.size());
    for (auto const& link : links) {
      if (link.other_id().empty()) continue;  // a default where the text was unusable
      auto const other = candidates_.find_named(link.other_type, link.other_id());
      if (!other) {
        if (link.is_enforced) report_unknown(candidate, link);
      } else if (*other == candidate.vertex && schema::is_prov(schema::type_of(*candidate.record))) {
        if (row != nullptr)
          warn(candidate, prov_cycle_at(candidate, link.place, "no edge leads from a node to itself"));
      } else if (*other == candidate.vertex) {
        report(candidate, cycle_at(candidate, link.place));
      } else if (row != nullptr) {
        add_edge(candidate, link, *other, *row);
      }
    }
  }

  void add_edge(Candidate const& candidate, Link const& link, VertexId other, store::VertexRow& row) {
    if (is_added_by_other(candidate, link, other)) return;
    row.edges.push_back({.type = link.type,
                         .owner_is_from = link.owner_is_from,
                         .other = other,
                         .value = link.value,
                         .rank = link.rank});
    auto const& known = candidates_.known();
    if (known.contains(other)) {
      bool const is_use =
          link.type == EdgeType::used_in || link.type == EdgeType::included_in || link.type == EdgeType::cites;
      if (is_use) warn_if_deprecated(candidate, link, other);
    } else if (schema::is_prov(row.type)) {
      add_relation(candidate, link, other, row.edges.size() - 1);
    } else if (influences_owner(link, row.type)) {
      auto const owner_position = schema::number(candidate.vertex) - known.vertex_count();
      auto const other_position = schema::number(other) - known.vertex_count();
      bool const is_along =
          schema::influence_of(link.type, link.owner_is_from ? row.type : link.other_type) == schema::Influence::along;
      bool const is_cause = is_along == link.owner_is_from;
      auto const cause = is_cause ? owner_position : other_position;
      auto const effect = is_cause ? other_position : owner_position;
      has_forward = has_forward || cause > effect;
      local_edges.push_back({{cause, effect}, owner_position, link.place});
    }
  }

  void add_relation(Candidate const& candidate, Link const& link, VertexId other, std::size_t edge) {
    if (!schema::relation_variant_of(link.type)) return;  // without influence
    auto const effect = position(candidate.vertex);
    auto const cause = position(other);
    has_forward_relation = has_forward_relation || cause > effect;
    relations.push_back({effect, cause, edge});
    relation_places.push_back(link.place);
  }

  [[nodiscard]] std::uint32_t position(VertexId vertex) const {
    return schema::number(vertex) - candidates_.known().vertex_count();
  }

  /// A query and its response may both name each other, an embedding and its prompt do: the edge is that of the
  /// response, or of the prompt.
  bool is_added_by_other(Candidate const& candidate, Link const& link, VertexId other) {
    if (!link.owner_is_from) return false;
    auto const* proposed = candidates_.proposed(other);
    if (link.type == EdgeType::included_in) return proposed != nullptr;
    if (link.type != EdgeType::prompted) return false;
    if (proposed != nullptr) {
      return std::get<schema::Response>(*proposed->record).query_attachment == std::optional{std::string(candidate.id)};
    }
    return false;  // a known response cannot name a new attachment
  }

  void warn_if_deprecated(Candidate const& candidate, Link const& link, VertexId unit) {
    if (candidates_.known().state(unit).status != graph::UnitStatus::deprecated) return;
    auto use = as_given(candidate, link.place);
    use.item_member = {};
    warn(candidate, {Errc::invalid_record, "deprecated_context", use.pointer(), schema::shown(link.other_id()),
                     link.other_type == RecordType::context_unit ? "this context unit is deprecated"
                                                                 : "this source is deprecated"});
  }

  void report_unknown(Candidate const& candidate, Link const& link) {
    report(candidate,
           {Errc::invalid_record, "unknown_reference", as_given(candidate, link.place).pointer(),
            schema::shown(link.other_id()), schema::format_ref(link.other_type, link.other_id()) + " is not known"});
  }

  void warn(Candidate const& candidate, Findings::Finding finding) {
    findings.push_back({true, candidate.index, std::move(finding)});
  }
  void report(Candidate const& candidate, Findings::Finding finding) {
    findings.push_back({false, candidate.index, std::move(finding)});
  }

  Candidates const& candidates_;
};

/// The parts of a batch, in the order of its records.
class Resolver {
 public:
  Resolver(Candidates const& candidates, Findings& findings) : candidates_(candidates), findings_(findings) {}

  std::vector<store::VertexRow> run(Helper& helper) {
    auto const count = (candidates_.new_count() + candidates_per_part - 1) / candidates_per_part;
    std::vector<Part> parts(count, Part(candidates_));
    helper.run(count, [&](std::size_t i) {
      auto const begin = i * candidates_per_part;
      parts[i].resolve_new(begin, std::min(candidates_.new_count(), begin + candidates_per_part));
    });
    Part known(candidates_);
    known.check_known();
    rows_.reserve(candidates_.new_count());
    for (auto& part : parts) join(part);
    join(known);
    if (has_forward_) report_cycles();
    if (has_forward_relation_) remove_influence();
    return std::move(rows_);
  }

 private:
  void join(Part& part) {
    std::ranges::move(part.rows, std::back_inserter(rows_));
    std::ranges::move(part.local_edges, std::back_inserter(local_edges_));
    std::ranges::move(part.relations, std::back_inserter(relations_));
    std::ranges::move(part.relation_places, std::back_inserter(relation_places_));
    has_forward_ = has_forward_ || part.has_forward;
    has_forward_relation_ = has_forward_relation_ || part.has_forward_relation;
    for (auto& each : part.findings) {
      if (each.is_warning) {
        findings_.warn(each.index, std::move(each.finding));
      } else {
        findings_.add(each.index, std::move(each.finding));
      }
    }
  }

  /// Reports each record on a cycle at its first reference to another one on a cycle.
  void report_cycles() {
    std::vector<graph::ProposedEdge> edges;
    edges.reserve(local_edges_.size());
    for (auto const& each : local_edges_) edges.push_back(each.edge);
    auto const cyclic = graph::find_cycle(static_cast<std::uint32_t>(candidates_.new_count()), edges);
    std::optional<std::uint32_t> reported;
    for (auto const& each : local_edges_) {
      bool const is_on_cycle = std::binary_search(cyclic.begin(), cyclic.end(), each.edge.cause) &&
                               std::binary_search(cyclic.begin(), cyclic.end(), each.edge.effect);
      if (!is_on_cycle || each.owner == reported) continue;
      auto const& candidate = candidates_.nth_new(each.owner);
      findings_.add(candidate.index, cycle_at(candidate, each.place));
      reported = each.owner;  // the edges of one owner follow each other
    }
  }

  void remove_influence() {
    for (auto const at : find_cut_relations(rows_, relations_)) {
      auto const& relation = relations_[at];
      auto& type = rows_[relation.effect].edges[relation.edge].type;
      type = schema::relation_variant_of(type).value();
      auto const& candidate = candidates_.nth_new(relation.effect);
      findings_.warn(candidate.index, prov_cycle_at(candidate, relation_places_[at],
                                                    "this would close a cycle of influence: it is kept without"));
    }
  }

  Candidates const& candidates_;
  Findings& findings_;
  std::vector<store::VertexRow> rows_;
  std::vector<LocalEdge> local_edges_;
  std::vector<LocalRelation> relations_;
  std::vector<schema::LinkPlace> relation_places_;
  bool has_forward_ = false;
  bool has_forward_relation_ = false;
};

}  // namespace

std::vector<store::VertexRow> resolve_references(Candidates const& candidates, Helper& helper, Findings& findings) {
  return Resolver(candidates, findings).run(helper);
}

}  // namespace whence::engine
