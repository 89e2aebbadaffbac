// An act is one vertex drawn as two: had both halves all edges, walks would not have to know of acts at all. So each
// edge of influence of one half is repeated for the other, when the act is made and whenever an edge is added.
//
// What gains a cause by this is a half of an act, or an effect of one that is new. A cycle through acts passes through
// one that this batch makes: later edges lead from acts to new records, or from new llm-queries, which have no causes.

#include "engine/validation/retrieval/acts.hpp"

#include "graph/snapshot/acts.hpp"
#include "graph/walks/walk.hpp"
#include "schema/base/report.hpp"
#include "schema/types/edge_type.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace whence::engine {
namespace {

using schema::EdgeType;
using schema::RecordType;
using store::RowEdge;

/// An edge of influence.
struct InfluenceEdge {
  VertexId cause;
  VertexId effect;
  double weight;  ///< what multiplies along a path
  schema::Basis basis;
};

/// An act that the batch makes. The newer half is a new record; the older one may be known.
struct NewAct {
  VertexId newer;
  VertexId older;
  std::uint32_t index;  ///< of the record that brings the newer half
};

double weight_of(RowEdge const& edge) {
  return schema::carried_by(edge.type) == schema::Carries::weight ? edge.value.value_or(1) : 1;
}

class ActJoiner {
 public:
  ActJoiner(Candidates const& candidates, schema::Mode mode, Plan& plan, Findings& findings)
      : candidates_(candidates), known_(candidates.known()), mode_(mode), plan_(plan), findings_(findings) {}

  Result<void> run(RequestIndex& requests, Index::Source const& source) {
    if (auto found = find_acts(requests, source); !found) return found;
    if (acts_.empty() && known_.edge_count(EdgeType::same_act) == 0) return {};
    if (!acts_.empty()) refuse_cycles();
    for (auto const& act : acts_) join(act);
    repeat_edges();
    add_revisions();
    return {};
  }

  /// What the revisions of the plan bring, once all edges of its rows are repeated.
  void run_revised() {
    for (auto const& row : plan_.rows) {
      for (auto const& edge : row.edges) {
        if (edge.type == EdgeType::same_act) note_halves(row.vertex, edge.other);
      }
    }
    if (halves_.empty() && known_.edge_count(EdgeType::same_act) == 0) return;
    std::vector<InfluenceEdge> originals;
    auto const visit = [&](InfluenceEdge const& edge) {
      if (half_of(edge.cause) || half_of(edge.effect)) originals.push_back(edge);
    };
    for (auto const& revision : plan_.revisions) visit_edges(revision.row, visit);
    if (originals.empty()) return;
    for_each_edge([&](InfluenceEdge const& edge) { present_.emplace(edge.cause, edge.effect); });
    for (auto const& edge : originals) present_.emplace(edge.cause, edge.effect);
    for (auto const& edge : originals) repeat(edge);
    add_revisions();
  }

 private:
  // --- which acts there are ---

  Result<void> find_acts(RequestIndex& requests, Index::Source const& source) {
    std::map<VertexId, Candidate const*> responses;  // by answer: the last of the batch
    for (std::size_t i = 0; i < candidates_.new_count(); ++i) {
      auto const& candidate = candidates_.nth_new(i);
      auto const* response = std::get_if<schema::Response>(candidate.record);
      if (response == nullptr || !response->request_id || candidate.has_field_errors) continue;
      auto const answer = candidates_.find(RecordType::answer, *response->request_id);
      if (!answer) continue;
      if (known_.contains(*answer) && graph::other_half(known_, *answer)) {
        warn_of_other(candidate);
        continue;
      }
      auto const [place, is_first] = responses.try_emplace(*answer, &candidate);
      if (is_first) continue;
      warn_of_other(*place->second);
      place->second = &candidate;
    }
    for (auto const& [answer, response] : responses) add_act(response->vertex, answer);
    for (std::size_t i = 0; i < candidates_.new_count(); ++i) {
      auto const& candidate = candidates_.nth_new(i);
      bool const is_answer = schema::type_of(*candidate.record) == RecordType::answer;
      if (!is_answer || responses.contains(candidate.vertex)) continue;
      auto const response = requests.find_response(candidate.id, source);
      if (!response) return response.error();
      if (*response) add_act(**response, candidate.vertex);
    }
    return {};
  }

  void add_act(VertexId response, VertexId answer) {
    auto const newer = std::max(response, answer);
    acts_.push_back({newer, std::min(response, answer), candidates_.proposed(newer)->index});
    note_halves(response, answer);
  }

  void note_halves(VertexId one, VertexId other) {
    halves_.insert_or_assign(schema::number(one), other);
    halves_.insert_or_assign(schema::number(other), one);
  }

  void warn_of_other(Candidate const& candidate) {
    auto const& response = std::get<schema::Response>(*candidate.record);
    findings_.warn(candidate.index,
                   {Errc::invalid_record, "same_act", "/request_id", schema::shown(*response.request_id),
                    "another response is one act with the answer of this request"});
  }

  // --- cycles ---

  /// The number of a new record; for a known half of a new act that of the other half.
  [[nodiscard]] std::optional<std::uint32_t> place_of(VertexId vertex) const {
    auto const half = halves_.find(schema::number(vertex));
    if (half != halves_.end()) vertex = std::max(vertex, half->second);
    if (known_.contains(vertex)) return std::nullopt;
    return schema::number(vertex) - known_.vertex_count();
  }

  void refuse_cycles() {
    std::vector<graph::ProposedEdge> edges;
    std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> from_known;  // places of effects, by number
    for_each_edge([&](InfluenceEdge const& edge) {
      auto const effect = place_of(edge.effect);
      if (!effect) return;
      if (auto const cause = place_of(edge.cause)) {
        edges.push_back({*cause, *effect});
      } else {
        from_known[schema::number(edge.cause)].push_back(*effect);
      }
    });
    for (auto const& act : acts_) add_ways_back(act, from_known, edges);
    auto const cyclic = graph::find_cycle(static_cast<std::uint32_t>(candidates_.new_count()), edges);
    std::erase_if(acts_, [&](NewAct const& act) {
      if (!std::ranges::binary_search(cyclic, *place_of(act.newer))) return false;
      report_cycle(act);
      return true;
    });
    halves_.clear();
    for (auto const& act : acts_) note_halves(act.newer, act.older);
  }

  /// Capture mode leaves the two records apart.
  void report_cycle(NewAct const& act) {
    Findings::Finding finding{Errc::cycle, "cycle", "/request_id", schema::shown(candidates_.proposed(act.newer)->id),
                              "this would make its act its own ancestor"};
    if (mode_ == schema::Mode::capture) {
      finding.rule = "same_act";
      findings_.warn(act.index, std::move(finding));
    } else {
      findings_.add(act.index, std::move(finding));
    }
  }

  /// The ways over known effects of a known half to causes of new records.
  void add_ways_back(NewAct const& act, std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> const& from_known,
                     std::vector<graph::ProposedEdge>& edges) const {
    if (!known_.contains(act.older) || from_known.empty()) return;
    std::unordered_set<std::uint32_t> seen;
    std::vector<VertexId> waiting{act.older};
    while (!waiting.empty()) {
      auto const vertex = waiting.back();
      waiting.pop_back();
      for (auto const effect : known_.effects(vertex).vertices) {
        if (!seen.insert(schema::number(effect)).second) continue;
        waiting.push_back(effect);
        if (auto const place = place_of(effect)) edges.push_back({*place_of(act.newer), *place});
        auto const led = from_known.find(schema::number(effect));
        if (led == from_known.end()) continue;
        for (auto const place : led->second) edges.push_back({*place_of(act.newer), place});
      }
    }
  }

  // --- edges ---

  [[nodiscard]] store::VertexRow& row_of(VertexId vertex) {
    return plan_.rows[schema::number(vertex) - known_.vertex_count()];
  }

  /// Calls `visit` for each edge of influence that the rows bring.
  template <class Visit>
  void for_each_edge(Visit const& visit) const {
    for (auto const& row : plan_.rows) visit_edges(row, visit);
  }

  /// The same for those of one row, or one revision.
  template <class Row, class Visit>
  void visit_edges(Row const& row, Visit const& visit) const {
    for (auto const& edge : row.edges) {
      auto const from = edge.owner_is_from ? row.type : type_of(edge.other);
      auto const influence = schema::influence_of(edge.type, from);
      if (influence == schema::Influence::none) continue;
      bool const is_cause = (influence == schema::Influence::along) == edge.owner_is_from;
      visit(InfluenceEdge{is_cause ? row.vertex : edge.other, is_cause ? edge.other : row.vertex, weight_of(edge),
                          schema::basis_of(edge.type)});
    }
  }

  [[nodiscard]] RecordType type_of(VertexId vertex) const {
    if (known_.contains(vertex)) return known_.type(vertex);
    return plan_.rows[schema::number(vertex) - known_.vertex_count()].type;
  }

  /// The relation between the halves comes with the newer one.
  void join(NewAct const& act) {
    bool const is_response = type_of(act.newer) == RecordType::response;
    row_of(act.newer).edges.push_back({.type = EdgeType::same_act, .owner_is_from = is_response, .other = act.older});
  }

  /// The other half of the act that `vertex` belongs to, after this batch.
  [[nodiscard]] std::optional<VertexId> half_of(VertexId vertex) const {
    auto const found = halves_.find(schema::number(vertex));
    if (found != halves_.end()) return found->second;
    return known_.contains(vertex) ? graph::other_half(known_, vertex) : std::nullopt;
  }

  void repeat_edges() {
    std::vector<InfluenceEdge> originals;
    for_each_edge([&](InfluenceEdge const& edge) {
      if (!half_of(edge.cause) && !half_of(edge.effect)) return;
      originals.push_back(edge);
      present_.emplace(edge.cause, edge.effect);
    });
    for (auto const& act : acts_) {
      if (!known_.contains(act.older)) continue;
      auto const causes = known_.causes(act.older);
      for (std::size_t i = 0; i < causes.size(); ++i) {
        auto const edge = causes.edges[i];
        originals.push_back(
            {causes.vertices[i], act.older, known_.path_weight(edge), schema::basis_of(known_.type(edge))});
      }
      auto const effects = known_.effects(act.older);
      for (std::size_t i = 0; i < effects.size(); ++i) {
        auto const edge = effects.edges[i];
        originals.push_back(
            {act.older, effects.vertices[i], known_.path_weight(edge), schema::basis_of(known_.type(edge))});
      }
    }
    for (auto const& edge : originals) repeat(edge);
  }

  void repeat(InfluenceEdge const& edge) {
    auto const cause = half_of(edge.cause);
    auto const effect = half_of(edge.effect);
    if (cause) add({*cause, edge.effect, edge.weight, edge.basis});
    if (effect) add({edge.cause, *effect, edge.weight, edge.basis});
    if (cause && effect) add({*cause, *effect, edge.weight, edge.basis});
  }

  [[nodiscard]] bool is_present(InfluenceEdge const& edge) const {
    if (present_.contains({edge.cause, edge.effect})) return true;
    if (!known_.contains(edge.cause) || !known_.contains(edge.effect)) return false;
    auto const causes = known_.causes(edge.effect);  // holds what its members view
    return std::ranges::find(causes.vertices, edge.cause) != causes.vertices.end();
  }

  /// An edge comes with a new record; between known ones with a revision of the half that gains the cause.
  void add(InfluenceEdge const& edge) {
    if (is_present(edge)) return;
    present_.emplace(edge.cause, edge.effect);
    bool const is_from = !known_.contains(edge.cause) && known_.contains(edge.effect);
    RowEdge const added{.type = schema::with_basis(EdgeType::through_act, edge.basis),
                        .owner_is_from = is_from,
                        .other = is_from ? edge.effect : edge.cause,
                        .value = edge.weight};
    if (is_from) {
      row_of(edge.cause).edges.push_back(added);
    } else if (!known_.contains(edge.effect)) {
      row_of(edge.effect).edges.push_back(added);
    } else {
      gained_[edge.effect].push_back(added);
    }
  }

  void add_revisions() {
    std::unordered_map<std::uint32_t, std::size_t> last;  // revision of a vertex, by number
    for (std::size_t i = 0; !gained_.empty() && i < plan_.revisions.size(); ++i) {
      last.insert_or_assign(schema::number(plan_.revisions[i].row.vertex), i);
    }
    for (auto& [vertex, edges] : gained_) {
      if (auto const found = last.find(schema::number(vertex)); found != last.end()) {
        auto& own = plan_.revisions[found->second].row.edges;
        own.insert(own.end(), edges.begin(), edges.end());
        continue;
      }
      auto const blank = *schema::blank_record(known_.type(vertex));
      auto const act = std::ranges::find(acts_, vertex, &NewAct::older);
      plan_.revise({.row = {.vertex = vertex,
                            .type = known_.type(vertex),
                            .revision = 0,
                            .kind = schema::RevisionKind::update,
                            .edges = std::move(edges),
                            .rows_before = act == acts_.end() ? store::all_rows : candidates_.rows_up_to(act->index)},
                    .content = blank,
                    .whole = blank},
                   known_);
    }
  }

  Candidates const& candidates_;
  graph::Snapshot const& known_;
  schema::Mode const mode_;
  Plan& plan_;
  Findings& findings_;
  std::vector<NewAct> acts_;
  std::unordered_map<std::uint32_t, VertexId> halves_;  // of new acts: the other half, by number
  std::set<std::pair<VertexId, VertexId>> present_;     // causes and effects of edges at acts that the plan has
  std::map<VertexId, std::vector<RowEdge>> gained_;     // edges between known vertices, by effect
};

}  // namespace

Result<void> join_acts(Candidates const& candidates, schema::Mode mode, RequestIndex& requests,
                       Index::Source const& source, Plan& plan, Findings& findings) {
  return ActJoiner(candidates, mode, plan, findings).run(requests, source);
}

void join_revised(Candidates const& candidates, schema::Mode mode, Plan& plan, Findings& findings) {
  ActJoiner(candidates, mode, plan, findings).run_revised();
}

}  // namespace whence::engine
