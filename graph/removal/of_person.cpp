// A person's records are found over their edges; what only these rest on, and its copies, in rounds until none is new.
#include "graph/removal/of_person.hpp"

#include "graph/removal/copies.hpp"
#include "schema/types/belonging.hpp"
#include "schema/types/edge_type.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <unordered_set>
#include <utility>
#include <variant>

namespace whence::graph {
namespace {

using schema::EdgeType;
using schema::RecordType;
using schema::VertexId;

/// Runs of programs and what their log records say, as telemetry keeps them (net/capture).
constexpr std::string_view telemetry_prefix = "urn:otel:";

class Gathering {
 public:
  Gathering(Snapshot const& known, std::string_view id, ReadRecord const& read) : known_{known}, id_{id}, read_{read} {}

  Result<OfPerson> run() {
    for (auto const person : known_.find_all_ever(RecordType::person, id_)) {
      add(person);
      if (auto const named = add_named(person); !named) return named.error();
    }
    for (std::size_t before = 0; before != own_.size();) {
      before = own_.size();
      Copies copies{known_, false};
      copies.find(own_);
      auto const found = copies.found();
      for (auto const vertex : found) add(vertex);
      for (auto const vertex : found) gather_beside(vertex);
    }
    return OfPerson{.own = own_, .shared = shared()};
  }

 private:
  void add(VertexId vertex) {
    if (!is_own_.insert(schema::number(vertex)).second) return;
    own_.push_back(vertex);
    written_.insert(schema::number(known_.created(vertex)));
    for (auto const& revision : known_.revisions(vertex)) written_.insert(schema::number(revision.tx));
  }
  [[nodiscard]] bool is_own(VertexId vertex) const { return is_own_.contains(schema::number(vertex)); }

  template <class Visit>
  void each(Neighbours const& neighbours, Visit const& visit) const {
    for_each_neighbour(known_, neighbours, visit);
  }

  /// Records that name the person. One that names somebody else by now has both edges.
  Result<void> add_named(VertexId person) {
    std::vector<VertexId> named;
    each(known_.relations_to_ever(person), [&](VertexId from, EdgeType edge) {
      if (edge == EdgeType::of_person) named.push_back(from);
    });
    for (auto const vertex : named) {
      std::size_t persons = 0;
      each(known_.relations_from_ever(vertex),
           [&](VertexId, EdgeType edge) { persons += edge == EdgeType::of_person ? 1 : 0; });
      auto const is_theirs = persons > 1 ? names_person(vertex) : Result<bool>{true};
      if (!is_theirs) return is_theirs.error();
      if (*is_theirs) add(vertex);
    }
    return {};
  }

  /// What is gone is not known any more; it is removed with either.
  Result<bool> names_person(VertexId vertex) const {
    auto const record = read_(vertex);
    if (!record) return record.error();
    auto const* const response = *record ? std::get_if<schema::Response>(&**record) : nullptr;
    return response == nullptr || (response->person && schema::belonging_id(*response->person) == id_);
  }

  void gather_beside(VertexId vertex) {
    switch (known_.type(vertex)) {
      case RecordType::response:
        add_sessions(vertex);
        add_sources(vertex);
        return add_runs(vertex);
      case RecordType::answer:
      case RecordType::prompt_context:
        return add_sources(vertex);
      default:
        return;
    }
  }

  void add_sessions(VertexId response) {
    std::vector<VertexId> sessions;
    each(known_.relations_from_ever(response), [&](VertexId session, EdgeType edge) {
      if (edge == EdgeType::of_session && !is_own(session)) sessions.push_back(session);
    });
    for (auto const session : sessions) {
      if (has_only_own(known_.relations_to_ever(session))) add(session);
    }
  }

  /// What a text was made from and nothing else was.
  void add_sources(VertexId effect) {
    std::vector<VertexId> sources;
    each(known_.causes_ever(effect), [&](VertexId cause, EdgeType) {
      if (!is_own(cause) && may_be_own(cause)) sources.push_back(cause);
    });
    for (auto const source : sources) {
      if (has_only_own(known_.effects_ever(source))) add(source);
    }
  }

  /// Units, questions and prompts that came with a record of the person's.
  [[nodiscard]] bool may_be_own(VertexId source) const {
    auto const type = known_.type(source);
    bool const is_text =
        type == RecordType::context_unit || type == RecordType::query || type == RecordType::prompt_context;
    return is_text && written_.contains(schema::number(known_.created(source)));
  }

  [[nodiscard]] bool has_only_own(Neighbours const& neighbours) const {
    return std::ranges::all_of(neighbours.vertices, [&](VertexId vertex) { return is_own(vertex); });
  }

  [[nodiscard]] bool is_of_telemetry(VertexId vertex) const { return known_.id(vertex).starts_with(telemetry_prefix); }

  /// The span that an answer was captured from; and its whole trace, where all answers of that are the person's.
  void add_runs(VertexId response) {
    std::vector<VertexId> spans;
    each(known_.relations_to_ever(response), [&](VertexId span, EdgeType edge) {
      if (edge == EdgeType::prov_had_member && is_of_telemetry(span)) spans.push_back(span);
    });
    for (auto const span : spans) {
      if (is_own(span)) continue;
      add(span);
      std::vector<VertexId> traces;
      each(known_.causes_ever(span), [&](VertexId trace, EdgeType edge) {
        if (edge == EdgeType::prov_was_informed_by && is_of_telemetry(trace)) traces.push_back(trace);
      });
      for (auto const trace : traces) add_trace(trace);
    }
  }

  void add_trace(VertexId trace) {
    std::vector<VertexId> runs;
    std::vector<VertexId> members;
    bool is_shared = is_own(trace);
    each(known_.effects_ever(trace), [&](VertexId run, EdgeType) {
      if (!is_of_telemetry(run)) return;
      runs.push_back(run);
      each(known_.relations_from_ever(run), [&](VertexId member, EdgeType edge) {
        if (edge != EdgeType::prov_had_member) return;
        is_shared = is_shared || (known_.type(member) == RecordType::response && !is_own(member));
        members.push_back(member);
      });
    });
    if (is_shared) return;  // others' answers, or done before
    add(trace);
    for (auto const run : runs) add(run);
    for (auto const member : members) {
      bool const is_text = known_.type(member) == RecordType::context_unit || known_.type(member) == RecordType::query;
      if (is_text && has_only_own(known_.effects_ever(member))) add(member);
    }
  }

  [[nodiscard]] std::vector<VertexId> shared() const {
    std::vector<VertexId> others;
    std::unordered_set<std::uint32_t> seen;
    for (auto const vertex : own_) {
      if (known_.type(vertex) != RecordType::response && known_.type(vertex) != RecordType::answer) continue;
      each(known_.causes_ever(vertex), [&](VertexId cause, EdgeType) {
        if (!is_own(cause) && seen.insert(schema::number(cause)).second) others.push_back(cause);
      });
    }
    return others;
  }

  Snapshot const& known_;
  std::string_view id_;
  ReadRecord const& read_;
  std::vector<VertexId> own_;
  std::unordered_set<std::uint32_t> is_own_;   // `own_` by number
  std::unordered_set<std::uint64_t> written_;  // the transactions that wrote any of them
};

}  // namespace

Result<OfPerson> find_of_person(Snapshot const& known, std::string_view id, ReadRecord const& read) {
  return Gathering{known, id, read}.run();
}

}  // namespace whence::graph
