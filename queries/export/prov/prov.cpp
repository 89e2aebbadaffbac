// The mapping to PROV, one row per kind of edge.

#include "queries/export/prov/prov.hpp"

#include "queries/export/prov/qualified.hpp"
#include "schema/json/writer.hpp"
#include "schema/records/prov/relations.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <variant>

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
    {Statements::agents, "agent", Pass::Over::nothing, false, {}, 0},
    {Statements::generations, "wasGeneratedBy", Pass::Over::nodes, false, {RecordType::response}, 1},
    {Statements::associations, "wasAssociatedWith", Pass::Over::nodes, true, {RecordType::response}, 1},
    {Statements::usages, "used", Pass::Over::edges, false, {}, 0},
    {Statements::derivations, "wasDerivedFrom", Pass::Over::edges, false, {}, 0},
    {Statements::influences, "wasInfluencedBy", Pass::Over::edges, false, {}, 0},
    {Statements::memberships, "hadMember", Pass::Over::edges, false, {}, 0},
    {Statements::attributions,
     "wasAttributedTo",
     Pass::Over::nodes,
     true,
     {RecordType::feedback_record, RecordType::decision},
     2},
}};

constexpr char const* agent_prefix = "agent";

/// Whether an edge comes from an imported relation, which is written with the imported statements.
bool is_imported(EdgeType type) {
  return schema::carried_by(type) == schema::Carries::relation;
}

/// The section that an edge belongs to. What has no influence in the graph, a rating for example, is no derivation.
Statements section_of(EdgeType type, RecordType from) {
  auto const influence = schema::influence_of(type, from);
  switch (schema::named_type(type)) {
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

void append_name(std::string& out, std::string_view ref) {
  auto const colon = ref.find(':');
  append_qualified(out, ref.substr(0, colon), ref.substr(colon + 1));
}

/// An end of an edge, which may be a thing of others.
void append_end(std::string& out, std::string_view ref, ForeignProv const& foreign) {
  auto const type = schema::find_record_type(ref.substr(0, ref.find(':')));
  if (type && schema::is_prov(*type)) return foreign.append_name(out, ref);
  append_name(out, ref);
}

void append_activity(std::string& out, std::string_view response_ref) {
  append_qualified(out, "gen", response_ref.substr(response_ref.find(':') + 1));
}

void add_transaction(ProvStatement& statement, std::string_view tx) {
  statement.attribute("whence:tx", Type::integer).append(tx);
}

/// The attributes of edges, with the prefix of this vocabulary.
struct CarriedName {
  std::string_view name;
  std::string_view prov_name;
};
constexpr std::array<CarriedName, 12> carried_names = {{
    {"basis", "whence:basis"},
    {"role", "whence:role"},
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

void add_attributes(ProvStatement& statement, Edge const& edge) {
  bool const has_version =
      std::ranges::any_of(edge.carried, [](Attribute const& each) { return each.name == "version"; });
  bool const is_revision = has_version || edge.type == EdgeType::revision_of;
  if (is_revision) statement.attribute("prov:type", Type::name).append("prov:Revision");
  if (edge.type == EdgeType::cites) statement.attribute("prov:type", Type::name).append("prov:Quotation");
  statement.attribute("whence:edge", Type::text).append(schema::name_of(edge.type));
  add_transaction(statement, edge.tx_text);
  for (auto const& carried : edge.carried) {
    auto const row = std::ranges::find(carried_names, carried.name, &CarriedName::name);
    if (row != carried_names.end()) statement.attribute(row->prov_name, type_of(carried)).append(carried.value);
  }
}

void append_list(std::string& out, std::vector<std::string> const& texts) {
  schema::json::Writer writer(out);
  writer.begin_array();
  for (auto const& each : texts) writer.value(std::string_view(each));
  writer.end_array();
}

void make_entity(ProvStatement& statement, Node const& node) {
  statement.begin("entity");
  append_name(statement.id, node.ref);
  statement.attribute("prov:type", Type::name).append("whence:").append(schema::name_of(node.type));
  statement.attribute("prov:label", Type::text).append(node.label);
  add_transaction(statement, std::to_string(schema::number(node.tx)));
  if (schema::info(node.type).has_status) statement.attribute("whence:status", Type::text).append(node.status);
  if (node.score) schema::json::append_number(statement.attribute("whence:score", Type::real), *node.score);
  for (auto const& [name, is_so] :
       {std::pair("whence:expired", node.is_gone), std::pair("whence:purged", node.is_purged)}) {
    if (is_so) statement.attribute(name, Type::text).append("true");
  }
  if (!node.record.empty()) statement.attribute("whence:record", Type::text).append(node.record);
  if (node.left_out > 0) statement.attribute("whence:left_out", Type::integer).append(std::to_string(node.left_out));
  if (!node.needed.empty()) statement.attribute("whence:deleted", Type::text).append(node.needed);
  if (!node.line.empty()) append_list(statement.attribute("whence:deleted_before", Type::text), node.line);
  if (!node.text.empty()) statement.attribute("whence:xml", Type::text).append(node.text);
}

void make_relation(ProvStatement& statement, Statements statements, Edge const& edge, ForeignProv const& foreign) {
  auto const influence = schema::influence_of(edge.type, edge.from_type);
  bool const is_against = influence == Influence::against;
  auto const& cause = is_against ? edge.to : edge.from;
  auto const& effect = is_against ? edge.from : edge.to;
  switch (statements) {
    case Statements::usages:
      statement.begin("used");
      append_activity(statement.argument("prov:activity"), effect);
      append_name(statement.argument("prov:entity"), cause);
      static_cast<void>(statement.argument("prov:time"));
      break;
    case Statements::influences: {
      // Without influence the stored direction is from the record that is about the other, such as a rating.
      bool const is_about = influence == Influence::none;
      statement.begin("wasInfluencedBy");
      append_end(statement.argument("prov:influencee"), is_about ? edge.from : effect, foreign);
      append_end(statement.argument("prov:influencer"), is_about ? edge.to : cause, foreign);
      break;
    }
    case Statements::memberships:
      statement.begin("hadMember");
      append_name(statement.argument("prov:collection"), edge.to);
      append_name(statement.argument("prov:entity"), edge.from);
      return;
    default:
      statement.begin("wasDerivedFrom");
      append_end(statement.argument("prov:generatedEntity"), effect, foreign);
      append_end(statement.argument("prov:usedEntity"), cause, foreign);
  }
  add_attributes(statement, edge);
}

}  // namespace

/// What a thread knows of a pass.
struct ProvPart final : Part {
  ProvStatement statement = {};
  std::uint64_t end = 0;      ///< of what it wrote, counted in the entries of the pass
  std::uint64_t written = 0;  ///< by it
  Agents agents = {};
  std::size_t joined_agents = 0;
  Makers makers = {};
  std::vector<std::optional<std::uint32_t>> made_by = {};  ///< of the responses of one slice
  bool lacks_maker = false;                                ///< the content of a response was gone
};

std::vector<Pass> ProvWriter::passes() const {
  std::vector<Pass> passes;
  for (auto const& row : pass_rows) {
    auto const statements = row.statements;
    Pass pass{.over = row.over, .has_records = row.has_records, .has_json = statements == Statements::entities};
    for (std::size_t i = 0; i < row.type_count; ++i) pass.types.insert(row.types[i]);
    for (auto const& type : schema::record_types()) {
      if (row.type_count == 0 && type.is_node && !schema::is_prov(type.type)) pass.types.insert(type.type);
    }
    pass.is_shortened = statements == Statements::imported || statements == Statements::entities;
    if (statements == Statements::associations) pass.has_records = !knows_makers_;
    if (row.over == Pass::Over::edges) {
      pass.takes = [statements](EdgeType type, RecordType from) {
        return !is_imported(type) && section_of(type, from) == statements;
      };
    }
    // Imported statements are collected; a feedback without a user has no attribution, a response whose content is gone
    // no association.
    pass.is_in_order = statements == Statements::imported || statements == Statements::attributions ||
                       (statements == Statements::associations && lacks_makers_);
    passes.push_back(std::move(pass));
  }
  return passes;
}

void ProvWriter::begin(Counts const& counts, schema::TxId) {
  foreign_.reserve_prefix("whence", "urn:whence:ns#");
  if (counts.of(RecordType::response) > 0) {
    foreign_.reserve_prefix("gen", "urn:whence:generation:");
    foreign_.reserve_prefix(foreign_.writable(agent_prefix), "urn:whence:agent:");
  }
  if (counts.of(RecordType::feedback_record) + counts.of(RecordType::decision) > 0)
    foreign_.reserve_prefix("user", "urn:whence:user:");
  for (auto const& row : schema::record_types()) {
    if (counts.of(row.type) == 0 || schema::is_prov(row.type)) continue;
    foreign_.reserve_prefix(std::string(row.name), "urn:whence:" + std::string(row.name) + ":");
  }
}

void ProvWriter::append_agent(std::string& out, std::string_view agent) const {
  append_qualified(out, foreign_.writable(agent_prefix), agent);
}

std::unique_ptr<Part> ProvWriter::new_part(std::size_t) const {
  return std::make_unique<ProvPart>();
}

void ProvWriter::begin_pass(std::size_t pass, std::string& out) {
  entries_ = 0;
  if (pass_rows[pass].statements == Statements::agents) return write_agents(out);
  if (pass_rows[pass].statements != Statements::entities) return;
  std::vector<ProvPrefix> prefixes;
  for (auto const& [name, iri] : foreign_.document().prefixes) prefixes.push_back({name, iri});
  out.append(document_begin(prefixes));
}

/// Writes the part's statement, the one after `entry` others of its section.
void ProvWriter::write_next(ProvPart& part, std::uint64_t entry) const {
  part.end = entry + 1;
  part.statement.place = {.is_first = entry == 0, .has_section = has_sections_};
  part.statement.relation = relations_ + part.end;
  write(part.statement, part.text);
}

void ProvWriter::write_agents(std::string& out) {
  ProvPart part;
  for (auto const& agent : agents_.all()) {
    auto& statement = part.statement;
    statement.begin("agent");
    if (agent.is_person) {
      append_qualified(statement.id, "user", *agent.name);
    } else {
      append_agent(statement.id, *agent.name);
    }
    statement.attribute("prov:type", Type::name).append(agent.is_person ? "prov:Person" : "prov:SoftwareAgent");
    statement.attribute("prov:label", Type::text).append(*agent.name);
    write_next(part, entries_++);
  }
  out.append(part.text);
}

namespace {

/// Whether the statements of a pass are relations, which are numbered.
bool has_relations(Statements statements) {
  return statements != Statements::imported && statements != Statements::entities &&
         statements != Statements::activities && statements != Statements::agents;
}

/// Who rated or decided; empty where the record does not say.
std::string_view user_of(Node const& node) {
  if (node.content == nullptr) return {};
  if (auto const* const decision = std::get_if<schema::Decision>(node.content)) return decision->by;
  auto const* const feedback = std::get_if<schema::FeedbackRecord>(node.content);
  return feedback != nullptr && feedback->user_id ? std::string_view(*feedback->user_id) : std::string_view{};
}

/// The agent and the model of a response; the agent, which no response is without, is empty where its content is gone.
std::pair<std::string_view, std::string_view> maker_of(Node const& node) {
  auto const* const response = node.content == nullptr ? nullptr : std::get_if<schema::Response>(node.content);
  if (response == nullptr) return {};
  return {response->agent, response->model};
}

}  // namespace

/// Notes what later passes need of a record, so that they need not read it.
void ProvWriter::learn(Node const& node, ProvPart& part) const {
  if (node.type == RecordType::feedback_record || node.type == RecordType::decision)
    part.agents.add(true, user_of(node));
  if (node.type != RecordType::response) return;
  auto const [agent, model] = maker_of(node);
  part.agents.add(false, agent);
  part.lacks_maker = part.lacks_maker || agent.empty();
  part.made_by.push_back(part.makers.place_of(agent, model));
}

void ProvWriter::join(std::size_t, Part& part) {
  auto& joined = static_cast<ProvPart&>(part);
  entries_ = std::max(entries_, joined.end);
  for (auto const& all = joined.agents.all(); joined.joined_agents < all.size(); ++joined.joined_agents) {
    agents_.add(all[joined.joined_agents].is_person, *all[joined.joined_agents].name);
  }
  for (auto const place : joined.made_by) {
    auto const* const pair = place ? &joined.makers.at(*place) : nullptr;
    auto const here = pair != nullptr ? makers_.place_of(pair->first, pair->second) : std::nullopt;
    knows_makers_ = knows_makers_ && here.has_value();
    if (knows_makers_) made_by_.push_back(*here);
  }
  joined.made_by.clear();
  lacks_makers_ = lacks_makers_ || joined.lacks_maker;
}

void ProvWriter::write_association(Node const& node, ProvPart& part) const {
  std::pair<std::string_view, std::string_view> const maker =
      knows_makers_ ? std::pair<std::string_view, std::string_view>(makers_.at(made_by_[part.place])) : maker_of(node);
  if (maker.first.empty()) return;
  part.statement.begin("wasAssociatedWith");
  append_activity(part.statement.argument("prov:activity"), node.ref);
  append_agent(part.statement.argument("prov:agent"), maker.first);
  static_cast<void>(part.statement.argument("prov:plan"));
  part.statement.attribute("whence:model", Type::text).append(maker.second);
  write_next(part, lacks_makers_ ? part.written++ : part.place);
}

void ProvWriter::node(std::size_t pass, Node const& node, Part& given) {
  auto& part = static_cast<ProvPart&>(given);
  auto& statement = part.statement;
  switch (pass_rows[pass].statements) {
    case Statements::imported:
      if (node.content != nullptr) foreign_.add(*node.content);
      if (node.is_gone) part.lose("gone_record_left_out");
      return;
    case Statements::entities:
      learn(node, part);
      make_entity(statement, node);
      if (node.is_gone) part.lose("gone_record_left_out");
      return write_next(part, part.place);
    case Statements::activities:
      statement.begin("activity");
      append_activity(statement.id, node.ref);
      static_cast<void>(statement.argument("prov:startTime"));
      statement.argument("prov:endTime").append(node.time);
      return write_next(part, part.place);
    case Statements::generations:
      statement.begin("wasGeneratedBy");
      append_name(statement.argument("prov:entity"), node.ref);
      append_activity(statement.argument("prov:activity"), node.ref);
      statement.argument("prov:time").append(node.time);
      return write_next(part, part.place);
    case Statements::associations:
      return write_association(node, part);
    case Statements::attributions: {
      auto const user = user_of(node);
      if (user.empty()) return;
      statement.begin("wasAttributedTo");
      append_name(statement.argument("prov:entity"), node.ref);
      append_qualified(statement.argument("prov:agent"), "user", user);
      return write_next(part, part.written++);
    }
    default:
      return;
  }
}

void ProvWriter::edge(std::size_t pass, Edge const& edge, Part& given) {
  auto& part = static_cast<ProvPart&>(given);
  make_relation(part.statement, pass_rows[pass].statements, edge, foreign_);
  write_next(part, part.place);
}

/// `is_open`: the section has statements already.
void ProvWriter::write_foreign_section(std::string_view section, bool is_open, Part& part) {
  auto& sections = foreign_.document().sections;
  auto const found = sections.find(std::string(section));
  if (found == sections.end()) return;
  for (auto const& entry : found->second) {
    ProvPlace const place{.is_first = !std::exchange(is_open, true), .has_section = has_sections_};
    write_foreign(section, entry, place, entry.key.empty() ? next_relation() : 0, part);
    has_sections_ = true;
  }
  sections.erase(found);
}

void ProvWriter::end_pass(std::size_t pass, Part& part) {
  if (has_relations(pass_rows[pass].statements)) relations_ += entries_;
  has_sections_ = has_sections_ || entries_ > 0;
  write_foreign_section(pass_rows[pass].section, entries_ > 0, part);
  if (pass + 1 < pass_rows.size()) return;
  while (!foreign_.document().sections.empty()) {
    write_foreign_section(std::string(foreign_.document().sections.begin()->first), false, part);
  }
  if (!foreign_.bundles().empty()) {
    write_bundles(foreign_.bundles(), {.is_first = true, .has_section = has_sections_}, part);
    has_sections_ = true;
  }
  part.text.append(document_end(has_sections_));
}

}  // namespace whence::exports
