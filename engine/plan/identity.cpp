// Compares each record whose id is known with what is known under it. A repeat gives nothing, other content a conflict
// or a part of `Differing`, from which revisions are planned. Members that the server fills in are taken from the known
// record first, so that a repeat without them is equal. A record whose content is gone is compared with its edges and
// its time (engine/plan/kept_edges.hpp).

#include "engine/plan/identity.hpp"

#include "engine/plan/kept_edges.hpp"
#include "engine/plan/past_links.hpp"
#include "graph/snapshot/unit_version.hpp"
#include "schema/base/limits.hpp"
#include "schema/base/report.hpp"
#include "schema/prov/join.hpp"
#include "schema/prov/statements.hpp"
#include "schema/records/links.hpp"
#include "schema/records/prov/relations.hpp"
#include "schema/types/ref.hpp"

#include <algorithm>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <utility>

namespace whence::engine {
namespace {

using schema::ContextUnit;
using schema::LineageManifest;
using schema::ManifestNode;
using schema::RecordType;
using schema::SystemPromptTemplate;

constexpr std::string_view conflict_rule = "conflict";

bool is_compared(Candidate const& candidate) {
  return candidate.record != nullptr && !candidate.is_new && !candidate.has_field_errors;
}

/// The record of `vertex`; null where that is a record of the batch with field errors, or gone.
schema::Record const* record_at(VertexId vertex, Candidates const& candidates, Contents const& contents) {
  auto const* proposed = candidates.proposed(vertex);
  if (proposed == nullptr) return contents.find(vertex);
  return proposed->has_field_errors ? nullptr : proposed->record;
}

/// Members that the server fills in are taken from the existing record where the given one leaves them out.
template <class T>
void take_defaults(T& given, T const& existing) {
  if constexpr (std::is_same_v<T, schema::ContextUnit>) {
    if (!given.timestamp) given.timestamp = existing.timestamp;
  }
  if constexpr (requires { given.updated_at; }) {
    if (!given.updated_at) given.updated_at = existing.updated_at;
  }
  if constexpr (requires { given.id_hash; }) {
    if (!given.id_hash) given.id_hash = existing.id_hash;
  }
  if constexpr (std::is_same_v<T, schema::Keyword> || std::is_same_v<T, schema::Subject> ||
                std::is_same_v<T, schema::Summary> || std::is_same_v<T, schema::SystemPromptTemplate> ||
                std::is_same_v<T, schema::Discussion> || std::is_same_v<T, schema::SummaryEntry>) {
    if (!given.created_at) given.created_at = existing.created_at;
  }
  if constexpr (requires { given.flags; }) given.flags = existing.flags;
  if constexpr (std::is_same_v<T, schema::Hold>) {
    if (!given.cleared) given.cleared = existing.cleared;
    if (!given.query) given.query = existing.query;
  }
  if constexpr (std::is_same_v<T, schema::Response>) given.given_weights = existing.given_weights;
  if constexpr (std::is_same_v<T, schema::Answer>) {
    for (std::size_t i = 0; i < std::min(given.citations.size(), existing.citations.size()); ++i) {
      given.citations[i].flags = existing.citations[i].flags;
    }
  }
  if constexpr (std::is_same_v<T, schema::Discussion>) {
    given.open_round = existing.open_round;
    given.open_questions = existing.open_questions;
  }
  if constexpr (std::is_same_v<T, schema::DiscussionRound>) {
    if (!given.questions) given.questions = existing.questions;
    if (!given.user_answers) given.user_answers = existing.user_answers;
  }
  if constexpr (std::is_same_v<T, schema::SummaryEntry>) {
    if (!given.token_count_before) given.token_count_before = existing.token_count_before;
    if (!given.token_count_after) given.token_count_after = existing.token_count_after;
  }
  if constexpr (std::is_same_v<T, schema::SystemPromptTemplate>) {
    if (!given.xml_schema_version) given.xml_schema_version = existing.xml_schema_version;
    if (!given.active && existing.active) given.active = true;
  }
}

void take_defaults(schema::Record& given, schema::Record const& existing) {
  std::visit([&]<class T>(T& each) { take_defaults(each, std::get<T>(existing)); }, given);
}

/// What a manifest does not say of its response, and the order of what it used, are those of the known one.
void take_unsaid(schema::Response& given, schema::Record const& existing) {
  auto whole = std::get<schema::Response>(existing);
  auto const in_order = [](std::vector<schema::ContextReference> const& uses) {
    std::vector<std::pair<std::string_view, double>> named;
    named.reserve(uses.size());
    for (auto const& use : uses) named.emplace_back(use.name(), use.weight);
    std::ranges::sort(named);
    return named;
  };
  if (in_order(given.context_units) != in_order(whole.context_units)) whole.context_units = given.context_units;
  whole.timestamp = given.timestamp;
  whole.agent = given.agent;
  whole.model = given.model;
  whole.token_count = given.token_count;
  if (given.attributes) whole.attributes = given.attributes;
  given = std::move(whole);
}

/// The member that holds the id, as the path of an error.
std::string id_path(Candidate const& candidate) {
  if (candidate.origin == Origin::manifest) return "/response_id";
  return std::visit(
      [](auto const& each) {
        if constexpr (requires { each.id; }) return "/id";
        if constexpr (requires { each.request_id; }) return "/request_id";
        if constexpr (requires { each.document_name; }) return "/document_name";
        return "";
      },
      *candidate.record);
}

bool is_numbered(RecordType type) {
  return type == RecordType::discussion_round || type == RecordType::summary_entry;
}

/// Whether a client may write it anew at any time, whatever was said of it before.
bool may_be_written_anew(RecordType type) {
  return schema::info(type).is_replaceable || type == RecordType::document || schema::is_prov(type);
}

/// Whether what is known may change by what is captured later.
bool can_grow(schema::Record const& known) {
  return std::visit(
      []<class T>(T const&) { return std::is_same_v<T, schema::Response> || std::is_same_v<T, schema::ContextUnit>; },
      known);
}

/// Whether a document was only named so far, by its chunks: its first description contradicts nothing.
bool is_only_named(schema::Record const& known) {
  auto const* const document = std::get_if<schema::Document>(&known);
  if (document == nullptr) return false;
  schema::Document named{.document_name = document->document_name};
  named.flags = document->flags;
  return *document == named;
}

/// Whether `known` is a unit that stands in for one that was only named so far.
bool stands_in(schema::Record const& known) {
  auto const* const unit = std::get_if<ContextUnit>(&known);
  return unit != nullptr && schema::has_flag(unit->flags, schema::flag::unknown_source);
}

/// Takes the flag of stand-ins off a record: it is written in the place of one, and is none itself.
void clear_stand_in(schema::Record& record) {
  std::visit(
      []<class T>(T& each) {
        if constexpr (requires { each.flags; }) schema::drop_flag(each.flags, schema::flag::unknown_source);
      },
      record);
}

/// Whether two units came from the same others.
bool has_same_links(ContextUnit const& a, ContextUnit const& b) {
  return a.version == b.version && a.previous_version_id == b.previous_version_id &&
         a.updated_by_response_id == b.updated_by_response_id && a.derived_from == b.derived_from;
}

/// Whether a record says no more than that there is something of its name.
bool is_only_mentioned(schema::Record const& given) {
  return std::visit(
             []<class T>(T const& each) {
               if constexpr (std::is_base_of_v<schema::ProvNode, T>) {
                 return !each.is_declared.value_or(true) && !each.relations;
               } else {
                 return false;
               }
             },
             given) ||
         is_only_named(given);
}

/// Compares a unit that comes within a response with the known one, member by member; members it leaves out are not
/// compared.
void check_unit(TakenUnit const& taken, ContextUnit const& known, Findings& findings) {
  auto const& given = taken.unit;
  auto const report = [&](std::string_view member) {
    auto const path = "/context_units/" + std::to_string(taken.place) + std::string(member);
    findings.add(taken.index, {Errc::conflict, conflict_rule, path, schema::shown(given.id),
                               "the unit " + given.id + " is known with another value"});
  };
  if (stands_in(known)) return;
  if (given.type != known.type) report("/type");
  if (given.source != known.source) report("/source");
  bool const has_content = given.content || given.content_blob;
  if (has_content && (given.content != known.content || given.content_blob != known.content_blob)) report("/content");
  if (given.embedding_id && given.embedding_id != known.embedding_id) report("/embedding_id");
  if (given.summary && given.summary != known.summary) report("/summary");
  if (given.attributes && given.attributes != known.attributes) report("/attributes");
}

/// Compares candidates with the records known under their ids.
class Comparison {
 public:
  Comparison(WriteBatch const& batch, Candidates const& candidates, Contents& contents, Findings& findings)
      : batch_(batch), candidates_(candidates), contents_(contents), findings_(findings) {}

  Result<void> compare(Candidate const& candidate) {
    auto const& known_graph = candidates_.known();
    auto const why = known_graph.contains(candidate.vertex) ? known_graph.gone(candidate.vertex) : std::nullopt;
    if (why) return give_again(candidate, *why), Result<void>{};
    auto const* existing = record_at(candidate.vertex, candidates_, contents_);
    if (existing == nullptr) return {};
    if (schema::type_of(*candidate.record) == RecordType::system_prompt_template) {
      return compare_template(candidate, std::get<SystemPromptTemplate>(*existing));
    }
    if (candidate.origin == Origin::manifest) take_unsaid(std::get<schema::Response>(*candidate.record), *existing);
    if (schema::json::prov_node_of(*candidate.record) != nullptr) return describe(candidate, *existing), Result<void>{};
    auto const given_update = update_of(*candidate.record);
    auto as_given = batch_.grows_captured ? *candidate.record : schema::Record{};
    take_defaults(*candidate.record, *existing);
    keep_left_out(candidate, *existing);
    bool const grows = batch_.grows_captured && candidates_.known().contains(candidate.vertex) && can_grow(*existing);
    bool const is_linked_anew = grows && candidates_.names_renewed(*candidate.record);
    if (*existing == *candidate.record && !is_linked_anew) return {};
    if (!grows && is_same_passage(candidate, *existing)) return {};
    auto const type = schema::type_of(*candidate.record);
    bool const is_known = candidates_.known().contains(candidate.vertex);
    if (grows) {
      *candidate.record = std::move(as_given);
      differing_.revised.push_back(&candidate);
      return {};
    }
    if (is_numbered(type)) {
      differing_.numbered.push_back(&candidate);
      return {};
    }
    if (is_known && (is_only_named(*existing) || stands_in(*existing))) {
      clear_stand_in(*candidate.record);
      return change(candidate);
    }
    if (schema::info(type).is_replaceable && is_known) {
      if (auto* discussion = std::get_if<schema::Discussion>(candidate.record)) discussion->updated_at = given_update;
      return change(candidate);
    }
    findings_.add(candidate.index, {Errc::conflict, conflict_rule, id_path(candidate), schema::shown(candidate.id),
                                    "this id is known with other content"});
    return {};
  }

  /// A unit within a response, which is known and gone.
  void give_again(TakenUnit& taken, VertexId vertex, graph::GoneWhy why) {
    auto const& response = candidates_.all()[taken.index];
    bool const does = comes_back(why, response.is_new || batch_.grows_captured);
    warn_of_gone(findings_, taken.index, "/context_units/" + std::to_string(taken.place), taken.unit.id, why, does);
    if (!does) return;
    take_kept(taken.unit, vertex, candidates_.known());
    auto& record = differing_.units.emplace_back(taken.unit);
    if (!again_.try_emplace(schema::number(vertex), &record).second) {
      if (record != *again_.at(schema::number(vertex)))
        check_unit(taken, std::get<ContextUnit>(*again_.at(schema::number(vertex))), findings_);
      differing_.units.pop_back();
      return;
    }
    differing_.revised_units.push_back(
        {.record = &record, .id = taken.unit.id, .index = taken.index, .vertex = vertex});
  }

  /// A unit within a response, under whose id another represents it.
  void replace(TakenUnit const& taken, VertexId vertex) {
    if (!again_.try_emplace(schema::number(vertex), nullptr).second) return;
    auto& record = differing_.units.emplace_back(taken.unit);
    again_.at(schema::number(vertex)) = &record;
    differing_.revised_units.push_back(
        {.record = &record, .id = taken.unit.id, .index = taken.index, .vertex = vertex});
  }

  [[nodiscard]] Differing take_differing() { return std::move(differing_); }

 private:
  /// A discussion keeps what is left out of it; what is null is cleared. So are questions and answers of a round.
  void keep_left_out(Candidate const& candidate, schema::Record const& existing) const {
    if (candidate.origin != Origin::given) return;
    auto const& cleared = batch_.records[candidate.index].cleared;
    if (auto* const round = std::get_if<schema::DiscussionRound>(candidate.record)) {
      if (std::ranges::find(cleared, "questions") != cleared.end()) round->questions.reset();
      if (std::ranges::find(cleared, "userAnswers") != cleared.end()) round->user_answers.reset();
    }
    auto* const given = std::get_if<schema::Discussion>(candidate.record);
    if (given == nullptr) return;
    auto const& known = std::get<schema::Discussion>(existing);
    auto const keep = [&](std::string_view name, auto schema::Discussion::*member) {
      if (!(given->*member) && std::ranges::find(cleared, name) == cleared.end()) given->*member = known.*member;
    };
    keep("topic", &schema::Discussion::topic);
    keep("isResolved", &schema::Discussion::is_resolved);
    keep("needsUserInput", &schema::Discussion::needs_user_input);
    keep("attributes", &schema::Discussion::attributes);
  }

  /// A thing of PROV that is described again: what is said of it adds up.
  void describe(Candidate const& candidate, schema::Record const& existing) {
    auto const& known = candidates_.known();
    bool const is_known = known.contains(candidate.vertex);
    auto const [first, is_first] = described_.try_emplace(schema::number(candidate.vertex), candidate.record);
    // What the batch said of it before, whether or not the graph knew it then.
    auto* const before = is_known && is_first ? nullptr : is_known ? first->second : record_of(candidate.vertex);
    auto const& whole = before != nullptr ? *before : existing;
    bool const says_nothing = is_only_mentioned(*candidate.record);
    if (says_nothing && (batch_.grows_captured || !is_only_mentioned(whole))) {
      if (is_known && is_first) described_.erase(first);
      return;
    }
    auto joined = is_known && batch_.grows_captured ? grown(whole, *candidate.record) : joined_with(whole, candidate);
    bool const has_edges = is_known && (candidates_.names_renewed(joined) || names_another(candidate));
    if (joined == whole && !has_edges) {
      if (is_known && is_first) described_.erase(first);
      return;
    }
    check_size(candidate, joined);
    auto& descriptions = differing_.described;
    if (before != nullptr) {
      if (is_known) descriptions[schema::number(candidate.vertex)].push_back({candidate.index, candidate.record});
      *before = std::move(joined);
      return;
    }
    auto const& said = differing_.said.emplace_back(std::move(*candidate.record));
    descriptions[schema::number(candidate.vertex)].push_back({candidate.index, &said});
    *candidate.record = std::move(joined);
    differing_.revised.push_back(&candidate);
  }

  /// Whether it names a node that has the id of a deleted one which it had an edge to, and has none to that yet.
  [[nodiscard]] bool names_another(Candidate const& candidate) const {
    PastLinks const past(candidates_.known(), candidate.vertex);
    return std::ranges::any_of(schema::links_of(*candidate.record), [&](schema::Link const& link) {
      if (!past.has_deleted(link.other_type, link.other_id())) return false;
      auto const other = candidates_.find(link.other_type, link.other_id());
      return other && !past.has(*other);
    });
  }

  [[nodiscard]] schema::Record* record_of(VertexId vertex) const {
    auto const* const proposed = candidates_.proposed(vertex);
    return proposed == nullptr ? nullptr : proposed->record;
  }

  [[nodiscard]] schema::Record grown(schema::Record const& known, schema::Record const& given) const {
    auto const is_there = [&](std::string const& text) {
      auto const ref = schema::parse_ref(text);
      return ref && candidates_.find(ref->type, ref->id);
    };
    auto node =
        schema::json::grown_prov(*schema::json::prov_node_of(known), *schema::json::prov_node_of(given), is_there);
    return with_node(given, std::move(node));
  }

  [[nodiscard]] schema::Record joined_with(schema::Record const& known, Candidate const& candidate) {
    auto joined =
        schema::json::join_prov(*schema::json::prov_node_of(known), *schema::json::prov_node_of(*candidate.record));
    for (auto& path : joined.contradictions) {
      findings_.warn(candidate.index,
                     {Errc::conflict, "prov_contradiction", std::move(path), schema::shown(candidate.id),
                      "this contradicts what is known of it: both are kept"});
    }
    return with_node(known, std::move(joined.node));
  }

  static schema::Record with_node(schema::Record const& of, schema::ProvNode node) {
    auto record = of;
    std::visit(
        [&]<class T>(T& each) {
          if constexpr (std::is_base_of_v<schema::ProvNode, T>) static_cast<schema::ProvNode&>(each) = std::move(node);
        },
        record);
    return record;
  }

  /// Each description fits; all of them together may not.
  void check_size(Candidate const& candidate, schema::Record const& joined) {
    auto const& node = *schema::json::prov_node_of(joined);
    auto const report = [&](std::string path, std::size_t size, std::size_t size_max, std::string_view unit) {
      if (size <= size_max) return;
      findings_.add(candidate.index,
                    {Errc::limit_exceeded, "size", std::move(path), std::to_string(size),
                     "all that was said of it may have at most " + std::to_string(size_max) + std::string(unit)});
    };
    using namespace schema;
    if (node.attributes)
      report("/attributes", node.attributes->json.size(), limits::prov_attributes_bytes_max, " bytes");
    if (node.prefixes) report("/prefixes", node.prefixes->entries.size(), limits::prov_prefixes_max, " prefixes");
    std::size_t bytes = 0;
    for (auto const& each : node.relations.value_or(std::vector<ProvRelation>{})) bytes += each.attributes.json.size();
    report("/relations", bytes, limits::prov_relations_bytes_max, " bytes of relations");
  }

  /// The time of change of a discussion, where a client gives it.
  static std::optional<schema::EpochMs> update_of(schema::Record const& record) {
    auto const* discussion = std::get_if<schema::Discussion>(&record);
    return discussion != nullptr ? discussion->updated_at : std::nullopt;
  }

  /// Nothing is left to compare with but what the graph keeps.
  void give_again(Candidate const& candidate, graph::GoneWhy why) {
    auto& given = *candidate.record;
    bool const is_itself_given = candidate.origin == Origin::given && std::holds_alternative<schema::Document>(given);
    if (is_only_mentioned(given) && !is_itself_given) return;
    bool const is_anew = candidate.origin == Origin::given && may_be_written_anew(schema::type_of(given));
    bool const does = comes_back(why, batch_.grows_captured || is_anew);
    if (auto* const unit = std::get_if<ContextUnit>(&given)) {
      auto const version = graph::version_of(candidates_.known(), candidate.vertex);
      if (does && (unit->version != version.number || !is_predecessor(*unit, version))) {
        findings_.add(candidate.index, {Errc::conflict, conflict_rule, id_path(candidate), schema::shown(candidate.id),
                                        "this id is known as version " + std::to_string(version.number)});
        return;
      }
    }
    if (does && !agrees(candidate, why)) return;
    auto const [first, is_first] = again_.try_emplace(schema::number(candidate.vertex), &given);
    if (!is_first) {
      if (given == *first->second || is_only_mentioned(given)) return;
      if (is_only_named(*first->second)) {  // the batch says more of a document than its name
        auto const* const name_alone = first->second;
        std::ranges::replace_if(
            differing_.revised, [=](Candidate const* each) { return each->record == name_alone; }, &candidate);
        first->second = &given;
        return;
      }
      findings_.add(candidate.index, {Errc::conflict, conflict_rule, id_path(candidate), schema::shown(candidate.id),
                                      "the batch gives this id with other content"});
      return;
    }
    warn_of_gone(findings_, candidate.index, id_path(candidate), candidate.id, why, does);
    if (!does) return;
    auto* const prompt = std::get_if<SystemPromptTemplate>(&given);
    if (prompt != nullptr && prompt->active == true) {
      differing_.activated.push_back(&candidate);
      return;
    }
    if (prompt != nullptr) prompt->active = false;  // becoming active is asked for
    differing_.revised.push_back(&candidate);
  }

  [[nodiscard]] bool is_predecessor(ContextUnit const& unit, graph::UnitVersion const& version) const {
    if (!version.predecessor) return !unit.previous_version_id;
    return unit.previous_version_id == candidates_.known().id(*version.predecessor);
  }

  /// What a record does not say is what the graph keeps: the first time of a passage, and of a unit that telemetry
  /// gives again, and what a manifest has no members for.
  [[nodiscard]] bool agrees(Candidate const& candidate, graph::GoneWhy why) {
    auto& given = *candidate.record;
    auto const& known = candidates_.known();
    auto* const unit = std::get_if<ContextUnit>(&given);
    bool const is_passage = candidate.origin == Origin::given && batch_.records[candidate.index].has_made_id;
    if (unit != nullptr && (is_passage || batch_.grows_captured)) {
      if (auto const time = known.time(candidate.vertex)) unit->timestamp = *time;
    }
    if (candidate.origin == Origin::manifest) take_kept(std::get<schema::Response>(given), candidate.vertex, known);
    return agrees_with_kept(candidate, why, candidates_, findings_);
  }

  /// Other versions make a template inactive, and writing it with `active: true` makes it active again: a repeat of
  /// what was first written is no change, unless it asks for that.
  Result<void> compare_template(Candidate const& candidate, SystemPromptTemplate const& existing) {
    auto const original = first_written(candidate);
    if (!original) return original.error();
    auto const& first = *original ? std::get<SystemPromptTemplate>(**original) : existing;
    auto& given = std::get<SystemPromptTemplate>(*candidate.record);
    bool const asks = candidates_.known().contains(candidate.vertex) && given.active == true;
    bool const is_activated = asks && existing.active == false;
    auto same = given;
    take_defaults(same, first);
    if (asks) same.active = first.active;
    if (is_activated) same.updated_at = first.updated_at;
    if (same != first) {
      findings_.add(candidate.index, {Errc::precondition, "version", "/version", schema::shown(candidate.id),
                                      "this version is known with other content"});
    } else if (is_activated) {
      auto const update = given.updated_at == first.updated_at ? std::nullopt : given.updated_at;
      given = existing;
      given.active = true;
      given.updated_at = update;
      differing_.activated.push_back(&candidate);
    }
    return {};
  }

  /// A template as it was first written, where it changed since.
  Result<std::optional<schema::Record>> first_written(Candidate const& candidate) {
    using Original = std::optional<schema::Record>;
    auto const& known = candidates_.known();
    if (!known.contains(candidate.vertex) || known.revisions(candidate.vertex).empty()) return Original{};
    return contents_.first_written(candidate.vertex);
  }

  /// No change where a client wrote exactly this before and only extraction has changed the record since.
  Result<void> change(Candidate const& candidate) {
    auto const last = contents_.last_written(candidate.vertex);
    if (!last) return last.error();
    if (*last) {
      auto same = *candidate.record;
      take_defaults(same, **last);
      if (same == **last && !std::holds_alternative<schema::Discussion>(same)) return {};
    }
    differing_.revised.push_back(&candidate);
    return {};
  }

  /// The same passage again, whatever else is said of it.
  [[nodiscard]] bool is_same_passage(Candidate const& candidate, schema::Record const& existing) const {
    if (candidate.origin != Origin::given || !batch_.records[candidate.index].has_made_id) return false;
    return has_same_links(std::get<ContextUnit>(*candidate.record), std::get<ContextUnit>(existing));
  }

  WriteBatch const& batch_;
  Candidates const& candidates_;
  Contents& contents_;
  Findings& findings_;
  Differing differing_;
  std::unordered_map<std::uint32_t, schema::Record const*> again_;  // what is given again, by vertex number
  std::unordered_map<std::uint32_t, schema::Record*> described_;  // known PROV nodes that the batch describes, likewise
};

/// The known unit, or the batch's, under the id of `taken`, where it must not differ: one whose id is made from its
/// text is that text, and the first one's other members stay.
std::optional<VertexId> compared_unit(WriteBatch const& batch, TakenUnit const& taken, Candidates const& candidates) {
  if (taken.has_made_id || !batch.records[taken.index].violations.empty()) return std::nullopt;
  return candidates.find(RecordType::context_unit, taken.unit.id);
}

/// Compares a manifest's node with its unit, member by member; members it leaves out are not compared.
void check_node(ManifestNode const& node, ContextUnit const& unit, std::string const& path, std::uint32_t index,
                Findings& findings) {
  auto const report = [&](std::string_view member, std::string_view seen) {
    findings.add(index, {Errc::conflict, conflict_rule, path + std::string(member), schema::shown(seen),
                         "the unit " + unit.id + " is known with another value"});
  };
  if (node.type && *node.type != unit.type) report("/type", schema::name_of(*node.type));
  if (!node.source.empty() && node.source != unit.source) report("/source", node.source);
  if (node.embedding_id && node.embedding_id != unit.embedding_id) report("/embedding_id", *node.embedding_id);
  if (node.summary && node.summary != unit.summary) report("/summary", *node.summary);
}

void check_nodes(LineageManifest const& manifest, std::uint32_t index, Candidates const& candidates,
                 Contents const& contents, Findings& findings) {
  for (std::size_t i = 0; i < manifest.context_tree.size(); ++i) {
    auto const& node = manifest.context_tree[i];
    auto const vertex = candidates.find(RecordType::context_unit, node.id);
    auto const* record = vertex ? record_at(*vertex, candidates, contents) : nullptr;
    if (record == nullptr) continue;
    check_node(node, std::get<ContextUnit>(*record), "/context_tree/" + std::to_string(i), index, findings);
  }
}

LineageManifest const* comparable_manifest(WriteBatch const& batch, Candidate const& candidate) {
  if (candidate.origin != Origin::manifest || candidate.has_field_errors) return nullptr;
  return &std::get<LineageManifest>(batch.records[candidate.index].record);
}

}  // namespace

std::vector<VertexId> compared_vertices(WriteBatch const& batch, std::span<TakenUnit const> units,
                                        Candidates const& candidates) {
  std::vector<VertexId> vertices;
  auto const& known = candidates.known();
  for (auto const& taken : units) {
    auto const vertex = compared_unit(batch, taken, candidates);
    if (vertex && known.contains(*vertex)) vertices.push_back(*vertex);
  }
  for (auto const& candidate : candidates.all()) {
    if (is_compared(candidate) && known.contains(candidate.vertex)) vertices.push_back(candidate.vertex);
    auto const* manifest = comparable_manifest(batch, candidate);
    if (manifest == nullptr) continue;
    for (auto const& node : manifest->context_tree) {
      if (auto const unit = known.find(RecordType::context_unit, node.id)) vertices.push_back(*unit);
    }
  }
  return vertices;
}

void warn_of_gone(Findings& findings, std::uint32_t index, std::string path, std::string_view id, graph::GoneWhy why,
                  bool does_come_back) {
  bool const is_purged = why == graph::GoneWhy::purged;
  findings.warn(
      index,
      Findings::Finding{.code = is_purged ? Errc::purged : Errc::expired,
                        .rule = is_purged ? "purged" : "expired",
                        .path = std::move(path),
                        .seen = schema::shown(id),
                        .message = std::string(is_purged ? "its content was purged" : "its content had expired") +
                                   (does_come_back ? " and is there again from now on" : " and is not stored again")});
}

Result<Differing> check_identity(WriteBatch const& batch, std::span<TakenUnit> units, Candidates const& candidates,
                                 Contents& contents, Findings& findings) {
  Comparison comparison(batch, candidates, contents, findings);
  for (auto const& taken : units) {
    auto const vertex = compared_unit(batch, taken, candidates);
    auto const* record = vertex ? record_at(*vertex, candidates, contents) : nullptr;
    if (record != nullptr) check_unit(taken, std::get<ContextUnit>(*record), findings);
  }
  for (auto const& candidate : candidates.all()) {
    auto const* const manifest = comparable_manifest(batch, candidate);
    bool const is_gone = manifest != nullptr && manifest->expired.value_or(false);  // it says nothing to compare
    if (is_gone && candidate.is_new) {
      findings.add(candidate.index, {Errc::invalid_record, "required", "/agent", "",
                                     "a manifest of a response that is gone is taken where the response is known"});
    }
    if (!is_gone && is_compared(candidate) && !std::holds_alternative<schema::RetrievedChunk>(*candidate.record)) {
      if (auto const compared = comparison.compare(candidate); !compared) return compared.error();
    }
    if (manifest != nullptr) {
      check_nodes(*manifest, candidate.index, candidates, contents, findings);
    }
  }
  for (auto& taken : units) {  // a record of its own goes before a unit within a response
    if (!batch.records[taken.index].violations.empty()) continue;
    auto const vertex = candidates.known().find(RecordType::context_unit, taken.unit.id);
    auto const why = vertex ? candidates.known().gone(*vertex) : std::nullopt;
    if (why) comparison.give_again(taken, *vertex, *why);
    auto const* const known = vertex && !why && !taken.has_made_id ? record_at(*vertex, candidates, contents) : nullptr;
    if (known != nullptr && stands_in(*known)) comparison.replace(taken, *vertex);
  }
  return comparison.take_differing();
}

}  // namespace whence::engine
