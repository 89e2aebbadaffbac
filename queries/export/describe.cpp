// Nodes and edges from the snapshot and the records.

#include "queries/export/describe.hpp"

#include "queries/export/members.hpp"
#include "schema/json/codec.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace whence::exports {
namespace {

using queries::StoredEdge;
using schema::RecordType;
using schema::VertexId;

struct CarriedName {
  std::string_view name;
  Kind kind;
};

constexpr std::array<CarriedName, 11> carried_names = {{
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

std::string label_of(Node const& node) {
  std::string label(node.id);
  std::string buffer;
  for_each_member(node.record, [&](std::string_view name, std::string_view json) {
    if (name == "name" || name == "term" || name == "document_name") label = plain_text(json, buffer);
  });
  return label;
}

std::string_view template_status(schema::SystemPromptTemplate const& record) {
  return record.active.value_or(true) ? "active" : "inactive";
}

}  // namespace

void take_carried(queries::View const& view, StoredEdge const& edge, std::vector<Attribute>& carried) {
  carried.clear();
  auto const carries = schema::carried_by(view.snapshot.type(edge.edge));
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

Result<std::string> text_apart(queries::View const& view, schema::XmlMessageAttachment const& attachment) {
  auto const digest = attachment.xml_blob ? schema::blob_digest(*attachment.xml_blob) : std::nullopt;
  if (!digest) return std::string{};
  auto blob = view.records->read_blob(*digest);
  if (!blob) return blob.error();
  return std::move(*blob).value_or(std::string{});
}

Node describe(graph::Snapshot const& snapshot, VertexId vertex) {
  auto const type = snapshot.type(vertex);
  auto const time = snapshot.time(vertex);
  Node node{.vertex = vertex,
            .type = type,
            .ref = schema::format_ref(type, snapshot.id(vertex)),
            .id = snapshot.id(vertex),
            .label = std::string(snapshot.id(vertex)),
            .status = {},
            .time = time ? schema::format_rfc3339(*time) : std::string{},
            .tx = snapshot.created(vertex),
            .record = {},
            .text = {},
            .content = nullptr};
  if (schema::info(type).has_status) node.status = graph::name_of(snapshot.state(vertex).status);
  return node;
}

Result<void> take_record(queries::View const& view, schema::Record&& record, Node& node,
                         std::function<void(Node const&)> const& visit) {
  if (auto const* const attachment = std::get_if<schema::XmlMessageAttachment>(&record)) {
    auto text = text_apart(view, *attachment);
    if (!text) return text.error();
    node.text = std::move(*text);
  }
  if (auto const* const made = std::get_if<schema::SystemPromptTemplate>(&record)) {
    node.status = template_status(*made);
  }
  if (view.snapshot.gone(node.vertex)) {
    visit(node);
    return {};
  }
  queries::Writer out(node.record);
  queries::write_record(out, std::move(record), view.snapshot);
  node.label = label_of(node);
  node.content = &record;
  visit(node);
  return {};
}

}  // namespace whence::exports
