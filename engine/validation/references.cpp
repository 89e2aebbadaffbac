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
#include "schema/edges/edge_type.hpp"
#include "schema/edges/links.hpp"
#include "schema/records/prov/relations.hpp"
#include "schema/records/ref.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace whence::engine {
namespace {

using schema::EdgeType;
using schema::Link;
using schema::RecordType;

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

class Resolver {
 public:
  Resolver(Candidates const& candidates, Findings& findings) : candidates_(candidates), findings_(findings) {}

  std::vector<store::VertexRow> run() {
    rows_.reserve(candidates_.new_count());
    for (std::size_t i = 0; i < candidates_.new_count(); ++i) {
      auto const& candidate = candidates_.nth_new(i);
      auto const& record = *candidate.record;
      rows_.push_back({.vertex = candidate.vertex,
                       .type = schema::type_of(record),
                       .id = std::string(candidate.id),
                       .time = schema::time_of(record)});
      resolve(candidate, &rows_.back());
    }
    // A known record adds no edges, but where it has errors its references are checked too.
    for (auto const& candidate : candidates_.all()) {
      if (!candidate.is_new && candidate.record != nullptr && candidate.has_field_errors) resolve(candidate, nullptr);
    }
    if (has_forward_) report_cycles();
    if (has_forward_relation_) remove_influence();
    return std::move(rows_);
  }

 private:
  /// Adds the edges of `candidate` to `row`, where there is one.
  void resolve(Candidate const& candidate, store::VertexRow* row) {
    auto const links = schema::links_of(*candidate.record);
    if (row != nullptr) row->edges.reserve(links.size());
    for (auto const& link : links) {
      if (link.other_id().empty()) continue;  // a default where the text was unusable
      auto const other = candidates_.find(link.other_type, link.other_id());
      if (!other) {
        if (link.is_enforced) report_unknown(candidate, link);
      } else if (*other == candidate.vertex && schema::is_prov(schema::type_of(*candidate.record))) {
        if (row != nullptr) warn_of_cycle(candidate, link.place, "no edge leads from a node to itself");
      } else if (*other == candidate.vertex) {
        report_cycle(candidate, link.place);
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
      has_forward_ = has_forward_ || cause > effect;
      local_edges_.push_back({{cause, effect}, owner_position, link.place});
    }
  }

  void add_relation(Candidate const& candidate, Link const& link, VertexId other, std::size_t edge) {
    if (!schema::relation_variant_of(link.type)) return;  // without influence
    auto const effect = position(candidate.vertex);
    auto const cause = position(other);
    has_forward_relation_ = has_forward_relation_ || cause > effect;
    relations_.push_back({effect, cause, edge});
    relation_places_.push_back(link.place);
  }

  [[nodiscard]] std::uint32_t position(VertexId vertex) const {
    return schema::number(vertex) - candidates_.known().vertex_count();
  }

  void remove_influence() {
    for (auto const at : find_back_relations(rows_.size(), relations_)) {
      auto const& relation = relations_[at];
      auto& type = rows_[relation.effect].edges[relation.edge].type;
      type = schema::relation_variant_of(type).value();
      warn_of_cycle(candidates_.nth_new(relation.effect), relation_places_[at],
                    "this would close a cycle of influence: it is kept without");
    }
  }

  void warn_of_cycle(Candidate const& candidate, schema::LinkPlace const& place, std::string message) {
    findings_.warn(candidate.index,
                   {Errc::cycle, "prov_cycle", place.pointer(), schema::shown(candidate.id), std::move(message)});
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
    findings_.warn(candidate.index,
                   {Errc::invalid_record, "deprecated_context", use.pointer(), schema::shown(link.other_id()),
                    link.other_type == RecordType::context_unit ? "this context unit is deprecated"
                                                                : "this source is deprecated"});
  }

  void report_unknown(Candidate const& candidate, Link const& link) {
    findings_.add(candidate.index, {Errc::invalid_record, "unknown_reference",
                                    as_given(candidate, link.place).pointer(), schema::shown(link.other_id()),
                                    schema::format_ref(link.other_type, link.other_id()) + " is not known"});
  }

  void report_cycle(Candidate const& candidate, schema::LinkPlace const& place) {
    findings_.add(candidate.index, {Errc::cycle, "cycle", as_given(candidate, place).pointer(),
                                    schema::shown(candidate.id), "this would make it its own ancestor"});
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
      report_cycle(candidates_.nth_new(each.owner), each.place);
      reported = each.owner;  // the edges of one owner follow each other
    }
  }

  Candidates const& candidates_;
  Findings& findings_;
  std::vector<store::VertexRow> rows_;
  std::vector<LocalEdge> local_edges_;
  std::vector<LocalRelation> relations_;
  std::vector<schema::LinkPlace> relation_places_;  // beside them
  bool has_forward_ = false;
  bool has_forward_relation_ = false;
};

}  // namespace

std::vector<store::VertexRow> resolve_references(Candidates const& candidates, Findings& findings) {
  return Resolver(candidates, findings).run();
}

}  // namespace whence::engine
