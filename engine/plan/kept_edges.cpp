// A record whose content is gone keeps its vertex, its time and its edges. A record given again under its id is
// compared with these both ways: each link that it names needs its edge with an equal value, and each edge that only
// the record itself can have made must be named again.

#include "engine/plan/kept_edges.hpp"

#include "graph/snapshot/unit_version.hpp"
#include "schema/base/report.hpp"
#include "schema/base/time.hpp"
#include "schema/records/links.hpp"
#include "schema/records/prov/relations.hpp"
#include "schema/types/belonging.hpp"
#include "schema/types/ref.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

namespace whence::engine {
namespace {

using schema::EdgeType;
using schema::Link;
using schema::RecordType;

/// What a record names: how, the type and the id of the other.
using Named = std::tuple<EdgeType, RecordType, std::string_view>;

/// The edges of a vertex as what its record named.
struct KeptEdges {
  std::map<Named, std::optional<double>> all = {};  ///< with their values
  std::set<Named> own = {};                         ///< those that no other record adds
};

/// Whether an edge from a cause or along a relation was named by the record at its effect or start, which names it
/// again. An answer cites chunks by their labels, too, and those that are gone are not found by these.
bool is_own(EdgeType type, RecordType owner, RecordType other) {
  if (schema::is_added_by_engine(type) || type == EdgeType::retrieved_for || type == EdgeType::cites) return false;
  if (type == EdgeType::included_in) return other == RecordType::retrieved_chunk;
  if (schema::named_type(type) != EdgeType::prompted) return true;
  return owner == RecordType::response && other != RecordType::xml_message_attachment;
}

KeptEdges kept_edges(graph::Snapshot const& known, VertexId vertex) {
  KeptEdges kept;
  auto const take = [&](graph::Neighbours const& neighbours, bool may_be_own) {
    for (std::size_t i = 0; i < neighbours.size(); ++i) {
      auto const edge = neighbours.edges[i];
      auto const other = neighbours.vertices[i];
      Named const named{known.type(edge), known.type(other), known.id(other)};
      kept.all.insert_or_assign(named, known.value(edge));
      if (may_be_own && is_own(known.type(edge), known.type(vertex), known.type(other))) kept.own.insert(named);
    }
  };
  take(known.causes_ever(vertex), true);
  take(known.relations_from_ever(vertex), true);
  // Only these name what they influence.
  auto const type = known.type(vertex);
  if (type == RecordType::xml_message_attachment || type == RecordType::embedding_vector)
    take(known.effects_ever(vertex), false);
  return kept;
}

/// The member that would name an edge, where the record has no such member.
std::string_view member_of(EdgeType type, RecordType owner) {
  switch (schema::named_type(type)) {
    case EdgeType::used_in:
      return "context_units";
    case EdgeType::derived_from:
      return "derived_from";
    case EdgeType::updated_by:
      return "updated_by_response_id";
    case EdgeType::prompted:
      return "prompt_refs";
    case EdgeType::rendered_as:
      return "responseId";
    case EdgeType::extracted_from:
      return "sourceXmlHash";
    case EdgeType::revision_of:
      return "previousVersion";
    case EdgeType::summarizes:
      return "replacesRounds";
    case EdgeType::included_in:
      return "retrieved_chunks";
    case EdgeType::replay_of:
      return "replay_of";
    case EdgeType::decides:
      return "subject";
    case EdgeType::of_person:
      return owner == RecordType::feedback_record ? "user_id" : "person";
    case EdgeType::of_session:
      return "conversation";
    default:
      return "";
  }
}

/// The member that the value of an edge is from.
std::string value_path(Link const& link) {
  auto place = link.place;
  if (link.type == EdgeType::used_in) place.item_member = "weight";
  if (link.type == EdgeType::evaluates) place = {"score"};
  if (link.type == EdgeType::derived_from || link.type == EdgeType::revision_of) place = {"version"};
  return place.pointer();
}

/// `/context_units/3/weight` of a manifest's response is `/context_tree/3/weight` of the manifest.
std::string path_in(Candidate const& candidate, std::string path) {
  constexpr std::string_view uses = "/context_units";
  if (candidate.origin != Origin::manifest || !path.starts_with(uses)) return path;
  return "/context_tree" + path.substr(uses.size());
}

/// A record gives one of these, and a node that was named anew has more.
bool names_one(EdgeType type) {
  return type == EdgeType::of_person || type == EdgeType::of_session || type == EdgeType::extracted_from;
}

bool agrees_with_anything(RecordType type) {
  return schema::info(type).is_replaceable || schema::is_prov(type) || type == RecordType::document;
}

/// Sets a time that a record leaves to the server.
template <class T>
void take_time(T& record, schema::Time time) {
  if constexpr (requires { record.timestamp.has_value(); }) {
    if (record.timestamp.has_value()) return;
    if constexpr (requires { record.timestamp = time; }) record.timestamp = time;
  } else if constexpr (requires { record.created_at.has_value(); }) {
    if (!record.created_at) record.created_at = schema::epoch_ms_of(time);
  }
}

class Agreement {
 public:
  Agreement(Candidate const& candidate, graph::GoneWhy why, Candidates const& candidates, Findings& findings)
      : candidate_{candidate}, why_{why}, known_{candidates.known()}, findings_{findings} {}

  bool check() {
    check_time();
    auto const kept = kept_edges(known_, candidate_.vertex);
    auto const links = schema::links_of(*candidate_.record);
    std::set<Named> named;
    std::set<EdgeType> named_types;
    for (auto const& link : links) {
      if (link.type == EdgeType::retrieved_for || link.other_id().empty()) continue;  // a retrieval of its own
      Named const each{link.type, link.other_type, link.other_id()};
      named.insert(each);
      named_types.insert(schema::named_type(link.type));
      check_link(link, each, kept);
    }
    for (auto const& each : kept.own) {
      auto const type = schema::named_type(std::get<EdgeType>(each));
      bool const is_named = names_one(type) ? named_types.contains(type) : named.contains(each);
      if (!is_named) report("/" + std::string(member_of(type, candidate_.type)), "");
    }
    return agrees_;
  }

 private:
  void check_link(Link const& link, Named const& named, KeptEdges const& kept) {
    auto const found = kept.all.find(named);
    if (found == kept.all.end()) {
      // A record of an older program has no such edges; a reference that leads nowhere never made one.
      bool const is_free = schema::is_belonging(link.type) && has_none(kept, link.type);
      bool const leads_nowhere = !link.is_enforced && !known_.find(link.other_type, link.other_id());
      if (!is_free && !(leads_nowhere && !schema::is_belonging(link.type)))
        report(link.place.pointer(), link.other_id());
    } else if (link.value && found->second && *link.value != *found->second) {
      report(value_path(link), schema::shown(*link.value));
    }
  }

  static bool has_none(KeptEdges const& kept, EdgeType type) {
    return std::ranges::none_of(kept.own, [=](Named const& each) { return std::get<EdgeType>(each) == type; });
  }

  void check_time() {
    auto const kept = known_.time(candidate_.vertex);
    auto const given = schema::time_of(*candidate_.record);
    if (!given && kept) {
      std::visit([&](auto& each) { take_time(each, *kept); }, *candidate_.record);
    } else if (given != kept) {
      report("/" + std::string(schema::info(candidate_.type).time_member), schema::format_rfc3339(*given));
    }
  }

  void report(std::string path, std::string_view seen) {
    agrees_ = false;
    std::string const gone = why_ == graph::GoneWhy::purged ? "was purged" : "expired";
    findings_.add(
        candidate_.index,
        {Errc::conflict, "conflict", path_in(candidate_, std::move(path)), schema::shown(seen),
         "this id is taken by a record that " + gone + " and said something else here: write it under another id"});
  }

  Candidate const& candidate_;
  graph::GoneWhy const why_;
  graph::Snapshot const& known_;
  Findings& findings_;
  bool agrees_ = true;
};

}  // namespace

bool agrees_with_kept(Candidate const& candidate, graph::GoneWhy why, Candidates const& candidates,
                      Findings& findings) {
  if (agrees_with_anything(candidate.type)) return true;
  return Agreement(candidate, why, candidates, findings).check();
}

void take_kept(schema::ContextUnit& unit, VertexId vertex, graph::Snapshot const& known) {
  auto const version = graph::version_of(known, vertex);
  unit.version = version.number;
  unit.previous_version_id.reset();
  if (version.predecessor) unit.previous_version_id = known.id(*version.predecessor);
  unit.updated_by_response_id.reset();
  std::vector<std::string> sources;
  auto const causes = known.causes_ever(vertex);
  for (std::size_t i = 0; i < causes.size(); ++i) {
    auto const id = known.id(causes.vertices[i]);
    auto const type = known.type(causes.edges[i]);
    if (type == EdgeType::updated_by) unit.updated_by_response_id = id;
    if (type == EdgeType::derived_from && !known.value(causes.edges[i])) sources.emplace_back(id);
  }
  unit.derived_from.reset();
  if (!sources.empty()) unit.derived_from = std::move(sources);
  if (auto const time = known.time(vertex)) unit.timestamp = *time;
}

void take_kept(schema::Response& response, VertexId vertex, graph::Snapshot const& known) {
  auto const causes = known.causes_ever(vertex);
  for (std::size_t i = 0; i < causes.size(); ++i) {
    auto const type = known.type(causes.edges[i]);
    auto const other = causes.vertices[i];
    if (!is_own(type, RecordType::response, known.type(other)) || schema::named_type(type) != EdgeType::prompted)
      continue;
    if (!response.prompt_refs) response.prompt_refs.emplace();
    if (!response.prompt_basis) response.prompt_basis.emplace();
    response.prompt_refs->push_back(schema::format_ref(known.type(other), known.id(other)));
    response.prompt_basis->push_back(schema::basis_of(type));
  }
  auto const relations = known.relations_from_ever(vertex);
  for (std::size_t i = 0; i < relations.size(); ++i) {
    auto const type = known.type(relations.edges[i]);
    auto const other = relations.vertices[i];
    if (type == EdgeType::of_person) response.person = known.id(other);
    if (type == EdgeType::of_session) response.conversation = known.id(other);
    if (type == EdgeType::replay_of) response.replay_of = schema::format_ref(known.type(other), known.id(other));
  }
}

}  // namespace whence::engine
