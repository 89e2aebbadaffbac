// Nodes and edges from the snapshot and the records.

#include "queries/export/describe.hpp"

#include "queries/export/deleted_refs.hpp"
#include "queries/export/members.hpp"
#include "schema/records/prov/relations.hpp"
#include "schema/records/record_fields.hpp"
#include "schema/wire/codec.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

namespace whence::exports {
namespace {

using queries::StoredEdge;
using schema::RecordType;
using schema::VertexId;

struct CarriedName {
  std::string_view name;
  Kind kind;
};

constexpr std::array<CarriedName, 14> carried_names = {{
    {"weight", Kind::real},
    {"version", Kind::integer},
    {"timestamp", Kind::text},
    {"score", Kind::real},
    {"confidence", Kind::real},
    {"similarity", Kind::real},
    {"rank", Kind::integer},
    {"page_number", Kind::integer},
    {"section", Kind::text},
    {"excerpt", Kind::text},
    {"attributes", Kind::text},
    {"cycle_cut", Kind::flag},
    {"basis", Kind::text},
    {"role", Kind::text},
}};

/// Most edges carry nothing, or one number that is in the graph itself.
CarriedName const* plain_name(schema::Carries carries) {
  switch (carries) {
    case schema::Carries::weight:
      return &carried_names[0];
    case schema::Carries::version:
      return &carried_names[1];
    case schema::Carries::score:
      return &carried_names[3];
    default:
      return nullptr;
  }
}

/// The names of what is carried beside plain numbers, as `queries::write_edge` writes it.
std::span<std::string_view const> carried_with(schema::Carries carries) {
  using schema::Carries;
  static constexpr std::array<std::string_view, 1> time = {"timestamp"};
  static constexpr std::array<std::string_view, 1> confidence = {"confidence"};
  static constexpr std::array<std::string_view, 2> similarity = {"similarity", "rank"};
  static constexpr std::array<std::string_view, 3> citation = {"page_number", "section", "excerpt"};
  static constexpr std::array<std::string_view, 1> relation = {"attributes"};
  switch (carries) {
    case Carries::time:
      return time;
    case Carries::confidence:
      return confidence;
    case Carries::similarity:
      return similarity;
    case Carries::rank:
      return std::span(similarity).subspan(1);
    case Carries::citation:
      return citation;
    case Carries::relation:
      return relation;
    default:
      return {};
  }
}

/// The text of a member that people know a node by.
template <class Member>
std::string const* text_of(Member const& member) {
  if constexpr (std::is_same_v<Member, std::string>) return &member;
  if constexpr (std::is_same_v<Member, std::optional<std::string>>) return member ? &*member : nullptr;
  return nullptr;
}

void take_label(schema::Record const& record, std::string& label) {
  auto const take_from = [&]<class T>(T const& each) {
    schema::for_each_field<T>([&](auto const& field) {
      bool const is_label = field.name == "name" || field.name == "term" || field.name == "document_name";
      if (auto const* const text = is_label ? text_of(each.*field.member) : nullptr) label = *text;
    });
  };
  std::visit(take_from, record);
}

std::string_view template_status(schema::SystemPromptTemplate const& record) {
  return record.active.value_or(true) ? "active" : "inactive";
}

}  // namespace

void take_carried(queries::View const& view, StoredEdge const& edge, std::vector<Attribute>& carried) {
  carried.clear();
  auto const type = view.snapshot.type(edge.edge);
  auto const carries = schema::carried_by(type);
  bool const has_plain = carries == schema::Carries::none || plain_name(carries) != nullptr;
  if (has_plain && schema::influence_of(type, view.snapshot.type(edge.from)) != schema::Influence::none) {
    auto const basis = schema::basis_of(type);
    carried.push_back({"basis", Kind::text, std::string(schema::name_of(schema::without_role(basis)))});
    if (auto const role = schema::role_of(basis); !role.empty())
      carried.push_back({"role", Kind::text, std::string(role)});
  }
  if (carries == schema::Carries::none) return;
  std::string text;
  if (auto const* const plain = plain_name(carries)) {
    auto const value = view.snapshot.value(edge.edge);
    if (!value) return;
    schema::json::append_number(text, *value);
    carried.push_back({plain->name, plain->kind, std::move(text)});
    return;
  }
  queries::Writer out(text);
  queries::write_edge(out, view, edge);
  std::string buffer;
  for_each_member(text, [&](std::string_view name, std::string_view json) {
    auto const known = std::ranges::find(carried_names, name, &CarriedName::name);
    if (known == carried_names.end()) return;
    auto const value = known->kind == Kind::text ? plain_text(json, buffer) : json;
    carried.push_back({known->name, known->kind, std::string(value)});
  });
}

void for_each_possible_attribute(schema::EdgeType type, std::function<void(std::string_view, Kind)> const& visit) {
  visit("type", Kind::text);
  visit("tx", Kind::integer);
  visit("basis", Kind::text);
  visit("role", Kind::text);
  auto const carries = schema::carried_by(type);
  if (carries == schema::Carries::none) return;
  if (auto const* const plain = plain_name(carries)) return visit(plain->name, plain->kind);
  auto const names = carried_with(carries);
  if (schema::is_relation_variant(type)) visit("cycle_cut", Kind::flag);
  for (auto const name : names) visit(name, std::ranges::find(carried_names, name, &CarriedName::name)->kind);
}

Result<std::string> text_apart(queries::View const& view, schema::XmlMessageAttachment const& attachment) {
  auto const digest = attachment.xml_blob ? schema::blob_digest(*attachment.xml_blob) : std::nullopt;
  if (!digest) return std::string{};
  auto blob = view.records->read_blob(*digest);
  if (!blob) return blob.error();
  return std::move(*blob).value_or(std::string{});
}

void describe(graph::Snapshot const& snapshot, VertexId vertex, Node& node) {
  node.vertex = vertex;
  node.type = snapshot.type(vertex);
  node.id = snapshot.id(vertex);
  node.ref.clear();
  schema::append_ref(node.ref, node.type, node.id);
  node.label = node.id;
  auto const state = snapshot.state(vertex);
  auto const has_status = schema::info(node.type).has_status;
  node.status = has_status ? schema::name_of(state.status) : std::string_view{};
  node.score = has_status && state.count > 0 ? std::optional(state.score) : std::nullopt;
  auto const gone = snapshot.gone(vertex);
  node.is_gone = gone.has_value();
  node.is_purged = gone == graph::GoneWhy::purged;
  auto const time = snapshot.time(vertex);
  node.time = time ? schema::format_rfc3339(*time) : std::string{};
  node.tx = snapshot.created(vertex);
  node.record.clear();
  node.text.clear();
  node.left_out = 0;
  node.changed = {};
  node.needed.clear();
  node.line.clear();
  node.content = nullptr;
}

Result<void> take_record(queries::View const& view, schema::Record& record, bool has_json, bool is_shortened,
                         Node& node) {
  if (is_shortened || schema::is_prov(node.type)) {
    auto deleted = leave_out_deleted(view.snapshot, node.vertex, record, is_shortened && !schema::is_prov(node.type));
    node.left_out = deleted.left_out;
    node.changed = deleted.changed;
    node.needed = std::move(deleted.needed);
    node.line = std::move(deleted.line);
  }
  if (auto const* const attachment = std::get_if<schema::XmlMessageAttachment>(&record); attachment && has_json) {
    auto text = text_apart(view, *attachment);
    if (!text) return text.error();
    node.text = std::move(*text);
  }
  if (auto const* const made = std::get_if<schema::SystemPromptTemplate>(&record)) {
    node.status = template_status(*made);
  }
  take_label(record, node.label);
  node.content = &record;
  queries::finish_record(record, view.snapshot);
  if (!has_json) return {};
  queries::Writer out(node.record);
  schema::json::write_record(out, record);
  return {};
}

}  // namespace whence::exports
