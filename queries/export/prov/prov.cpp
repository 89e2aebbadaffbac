// The mapping to PROV, one row per kind of edge.

#include "queries/export/prov/prov.hpp"

#include "queries/export/formats/percent.hpp"
#include "queries/export/members.hpp"
#include "schema/records/prov/relations.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace whence::exports {
namespace {

using schema::EdgeType;
using schema::Influence;
using schema::RecordType;
using Type = ProvValue::Type;

/// The statements that a pass writes.
enum class Statements : std::uint8_t {
  imported,  ///< none: the imported statements are collected
  entities,
  activities,
  agents,
  generations,
  associations,
  usages,
  derivations,
  influences,
  memberships,
  attributions,
};

struct PassRow {
  Statements statements;
  std::string_view section;
  Pass::Over over;
  bool has_records;
  std::array<RecordType, 3> types;  ///< of nodes; the first `type_count`, 0: all of ours
  std::size_t type_count;
};

constexpr std::array<PassRow, 11> pass_rows = {{
    {Statements::imported,
     "",
     Pass::Over::nodes,
     true,
     {RecordType::prov_entity, RecordType::prov_activity, RecordType::prov_agent},
     3},
    {Statements::entities, "entity", Pass::Over::nodes, true, {}, 0},
    {Statements::activities, "activity", Pass::Over::nodes, false, {RecordType::response}, 1},
    {Statements::agents, "agent", Pass::Over::nodes, true, {RecordType::response, RecordType::feedback_record}, 2},
    {Statements::generations, "wasGeneratedBy", Pass::Over::nodes, false, {RecordType::response}, 1},
    {Statements::associations, "wasAssociatedWith", Pass::Over::nodes, true, {RecordType::response}, 1},
    {Statements::usages, "used", Pass::Over::edges, false, {}, 0},
    {Statements::derivations, "wasDerivedFrom", Pass::Over::edges, false, {}, 0},
    {Statements::influences, "wasInfluencedBy", Pass::Over::edges, false, {}, 0},
    {Statements::memberships, "hadMember", Pass::Over::edges, false, {}, 0},
    {Statements::attributions, "wasAttributedTo", Pass::Over::nodes, true, {RecordType::feedback_record}, 1},
}};

constexpr char const* agent_prefix = "agent";

/// Whether an edge comes from an imported relation, which is written with the imported statements.
bool is_imported(EdgeType type) {
  return schema::carried_by(type) == schema::Carries::relation;
}

/// The section that an edge belongs to. What has no influence in the graph, a rating for example, is no derivation.
Statements section_of(Edge const& edge, Influence influence) {
  switch (edge.type) {
    case EdgeType::used_in:
    case EdgeType::prompted:
      return Statements::usages;
    case EdgeType::updated_by:
    case EdgeType::retrieved_for:
    case EdgeType::through_act:
      return Statements::influences;
    case EdgeType::part_of:
      return influence == Influence::none ? Statements::memberships : Statements::derivations;
    default:
      return influence == Influence::none ? Statements::influences : Statements::derivations;
  }
}

std::string member(Node const& node, std::string_view wanted) {
  std::string found;
  std::string buffer;
  for_each_member(node.record, [&](std::string_view name, std::string_view json) {
    if (name == wanted) found = plain_text(json, buffer);
  });
  return found;
}

std::string name_of_ref(std::string_view ref) {
  auto const colon = ref.find(':');
  return qualified_name(ref.substr(0, colon), ref.substr(colon + 1));
}

std::string activity_of(std::string_view response_ref) {
  return qualified_name("gen", response_ref.substr(response_ref.find(':') + 1));
}

ProvAttribute text(std::string_view name, std::string_view value) {
  return {name, {Type::text, std::string(value)}};
}

ProvAttribute qualified(std::string_view name, std::string value) {
  return {name, {Type::name, std::move(value)}};
}

ProvAttribute transaction(schema::TxId tx) {
  return {"whence:tx", {Type::integer, std::to_string(schema::number(tx))}};
}

/// The attributes of edges, with the prefix of this vocabulary.
struct CarriedName {
  std::string_view name;
  std::string_view prov_name;
};
constexpr std::array<CarriedName, 10> carried_names = {{
    {"weight", "whence:weight"},
    {"version", "whence:version"},
    {"timestamp", "whence:timestamp"},
    {"score", "whence:score"},
    {"confidence", "whence:confidence"},
    {"similarity", "whence:similarity"},
    {"rank", "whence:rank"},
    {"page_number", "whence:page_number"},
    {"section", "whence:section"},
    {"excerpt", "whence:excerpt"},
}};

Type type_of(Attribute const& attribute) {
  if (attribute.name == "timestamp") return Type::time;
  if (attribute.kind == Kind::integer) return Type::integer;
  return attribute.kind == Kind::real ? Type::real : Type::text;
}

std::vector<ProvAttribute> attributes_of_relation(Edge const& edge) {
  std::vector<ProvAttribute> attributes;
  bool const has_version =
      std::ranges::any_of(edge.carried, [](Attribute const& each) { return each.name == "version"; });
  bool const is_revision = has_version || edge.type == EdgeType::revision_of;
  if (is_revision) attributes.push_back(qualified("prov:type", "prov:Revision"));
  if (edge.type == EdgeType::cites) attributes.push_back(qualified("prov:type", "prov:Quotation"));
  attributes.push_back(text("whence:edge", schema::name_of(edge.type)));
  attributes.push_back(transaction(edge.tx));
  for (auto const& carried : edge.carried) {
    auto const row = std::ranges::find(carried_names, carried.name, &CarriedName::name);
    if (row != carried_names.end()) attributes.push_back({row->prov_name, {type_of(carried), carried.value}});
  }
  return attributes;
}

ProvStatement entity(Node const& node) {
  ProvStatement statement{.section = "entity", .id = name_of_ref(node.ref)};
  auto& attributes = statement.attributes;
  attributes.push_back(qualified("prov:type", "whence:" + std::string(schema::name_of(node.type))));
  attributes.push_back(text("prov:label", node.label));
  attributes.push_back(transaction(node.tx));
  if (schema::info(node.type).has_status) attributes.push_back(text("whence:status", node.status));
  if (!node.record.empty()) attributes.push_back(text("whence:record", node.record));
  if (!node.text.empty()) attributes.push_back(text("whence:xml", node.text));
  return statement;
}

ProvStatement relation(Statements statements, Edge const& edge) {
  auto const influence = schema::influence_of(edge.type, edge.from_type);
  bool const is_against = influence == Influence::against;
  auto const& cause = is_against ? edge.to : edge.from;
  auto const& effect = is_against ? edge.from : edge.to;
  switch (statements) {
    case Statements::usages:
      return {
          .section = "used",
          .arguments = {{"prov:activity", activity_of(effect)}, {"prov:entity", name_of_ref(cause)}, {"prov:time", {}}},
          .attributes = attributes_of_relation(edge)};
    case Statements::influences: {
      // Without influence the stored direction is from the record that is about the other, such as a rating.
      bool const is_about = influence == Influence::none;
      return {.section = "wasInfluencedBy",
              .arguments = {{"prov:influencee", name_of_ref(is_about ? edge.from : effect)},
                            {"prov:influencer", name_of_ref(is_about ? edge.to : cause)}},
              .attributes = attributes_of_relation(edge)};
    }
    case Statements::memberships:
      return {.section = "hadMember",
              .arguments = {{"prov:collection", name_of_ref(edge.to)}, {"prov:entity", name_of_ref(edge.from)}}};
    default:
      return {.section = "wasDerivedFrom",
              .arguments = {{"prov:generatedEntity", name_of_ref(effect)}, {"prov:usedEntity", name_of_ref(cause)}},
              .attributes = attributes_of_relation(edge)};
  }
}

bool is_local_character(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

}  // namespace

std::string qualified_name(std::string_view prefix, std::string_view local) {
  std::string name(prefix);
  name.push_back(':');
  for (std::size_t i = 0; i < local.size(); ++i) {
    char const c = local[i];
    bool const is_inner = i > 0 && i + 1 < local.size();
    if (is_local_character(c) || (is_inner && (c == '-' || c == '.' || c == '/'))) {
      name.push_back(c);
    } else {
      append_percent(name, local.substr(i, 1));
    }
  }
  return name;
}

std::vector<Pass> ProvWriter::passes() const {
  std::vector<Pass> passes;
  for (auto const& row : pass_rows) {
    Pass pass{.over = row.over, .has_records = row.has_records};
    for (std::size_t i = 0; i < row.type_count; ++i) pass.types.insert(row.types[i]);
    for (auto const& type : schema::record_types()) {
      if (row.type_count == 0 && type.is_node && !schema::is_prov(type.type)) pass.types.insert(type.type);
    }
    passes.push_back(pass);
  }
  return passes;
}

void ProvWriter::begin(Counts const& counts, schema::TxId) {
  foreign_.reserve_prefix("whence", "urn:whence:ns#");
  if (counts.of(RecordType::response) > 0) {
    foreign_.reserve_prefix("gen", "urn:whence:generation:");
    foreign_.reserve_prefix(foreign_.writable(agent_prefix), "urn:whence:agent:");
  }
  if (counts.of(RecordType::feedback_record) > 0) foreign_.reserve_prefix("user", "urn:whence:user:");
  for (auto const& row : schema::record_types()) {
    if (counts.of(row.type) == 0 || schema::is_prov(row.type)) continue;
    foreign_.reserve_prefix(std::string(row.name), "urn:whence:" + std::string(row.name) + ":");
  }
}

std::string ProvWriter::name_of_agent(std::string_view agent) const {
  return qualified_name(foreign_.writable(agent_prefix), agent);
}

void ProvWriter::begin_pass(std::size_t pass, std::string& out) {
  if (pass_rows[pass].statements != Statements::entities) return;
  std::vector<ProvPrefix> prefixes;
  for (auto const& [name, iri] : foreign_.document().prefixes) prefixes.push_back({name, iri});
  out.append(document_begin(prefixes));
}

void ProvWriter::write_foreign_section(std::string_view section, std::string& out) {
  auto& sections = foreign_.document().sections;
  auto const found = sections.find(std::string(section));
  if (found == sections.end()) return;
  write_foreign(section, found->second, out);
  sections.erase(found);
}

void ProvWriter::end_pass(std::size_t pass, std::string& out) {
  write_foreign_section(pass_rows[pass].section, out);
  if (pass + 1 < pass_rows.size()) return;
  while (!foreign_.document().sections.empty()) {
    write_foreign_section(std::string(foreign_.document().sections.begin()->first), out);
  }
  if (!foreign_.bundles().empty()) write_bundles(foreign_.bundles(), out);
  out.append(document_end());
}

void ProvWriter::write_agent(std::string const& id, std::string_view type, std::string_view label, std::string& out) {
  if (!agents_.insert(id).second) return;
  write({.section = "agent",
         .id = id,
         .attributes = {qualified("prov:type", std::string(type)), text("prov:label", label)}},
        out);
}

void ProvWriter::node(std::size_t pass, Node const& node, std::string& out) {
  bool const is_response = node.type == RecordType::response;
  switch (pass_rows[pass].statements) {
    case Statements::imported:
      return foreign_.add(*node.content);
    case Statements::entities:
      return write(entity(node), out);
    case Statements::activities:
      return write({.section = "activity",
                    .id = activity_of(node.ref),
                    .arguments = {{"prov:startTime", {}}, {"prov:endTime", node.time}}},
                   out);
    case Statements::agents: {
      auto const name = member(node, is_response ? "agent" : "user_id");
      if (name.empty()) return;
      auto const id = is_response ? name_of_agent(name) : qualified_name("user", name);
      return write_agent(id, is_response ? "prov:SoftwareAgent" : "prov:Person", name, out);
    }
    case Statements::generations:
      return write({.section = "wasGeneratedBy",
                    .arguments = {{"prov:entity", name_of_ref(node.ref)},
                                  {"prov:activity", activity_of(node.ref)},
                                  {"prov:time", node.time}}},
                   out);
    case Statements::associations:
      return write({.section = "wasAssociatedWith",
                    .arguments = {{"prov:activity", activity_of(node.ref)},
                                  {"prov:agent", name_of_agent(member(node, "agent"))},
                                  {"prov:plan", {}}},
                    .attributes = {text("whence:model", member(node, "model"))}},
                   out);
    case Statements::attributions: {
      auto const user = member(node, "user_id");
      if (user.empty()) return;
      return write(
          {.section = "wasAttributedTo",
           .arguments = {{"prov:entity", name_of_ref(node.ref)}, {"prov:agent", qualified_name("user", user)}}},
          out);
    }
    default:
      return;
  }
}

void ProvWriter::edge(std::size_t pass, Edge const& edge, std::string& out) {
  if (is_imported(edge.type)) return;
  auto const influence = schema::influence_of(edge.type, edge.from_type);
  if (section_of(edge, influence) == pass_rows[pass].statements) write(relation(pass_rows[pass].statements, edge), out);
}

}  // namespace whence::exports
