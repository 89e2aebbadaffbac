#pragma once
// Nodes and edges as graph tools expect them: named attributes with plain values, where a name always has one kind.

#include "queries/export/deleted_refs.hpp"
#include "queries/export/members.hpp"
#include "schema/base/ids.hpp"
#include "schema/records/records.hpp"
#include "schema/types/edge_type.hpp"
#include "schema/types/record_type.hpp"
#include "schema/wire/codec.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace whence::exports {

/// The kind belongs to a name, never to a value, so that a column has one kind.
enum class Kind : std::uint8_t { text, integer, real, flag };

/// `value` is the text itself for `text`, and JSON for the other kinds.
struct Attribute {
  std::string_view name;
  Kind kind;
  std::string value;
};

/// The kind of a record's member by its name on the wire; `text` for unknown names, lists and objects.
[[nodiscard]] Kind kind_of(std::string_view name) noexcept;

/// One node, with everything that formats choose from.
struct Node {
  schema::VertexId vertex;
  schema::RecordType type;
  std::string ref;
  std::string_view id;
  std::string label;                 ///< its `name`, `term` or `document_name`, else the id
  std::string_view status;           ///< of units and templates; else empty
  std::optional<double> score = {};  ///< of units, chunks and documents, where something they made was rated
  bool is_gone = false;              ///< its content expired or was purged
  bool is_purged = false;
  std::string time;                         ///< RFC 3339; empty where the record has none
  schema::TxId tx;                          ///< of its first record
  std::string record;                       ///< compact JSON; empty if it was not asked for or its content is gone
  std::string text;                         ///< of an attachment whose record only names it; only with the record
  std::uint64_t left_out = 0;               ///< references to deleted nodes that the record no longer names
  ChangedByImport changed = {};             ///< beside these
  std::string needed;                       ///< the ref of a deleted node that the record cannot be without
  std::vector<std::string> line;            ///< of a deleted version: those before it, up to one that is there
  schema::Record const* content = nullptr;  ///< the decoded record; valid during the visit; null as `record` is empty
};

/// Views are valid during the visit.
struct Edge {
  schema::VertexId from_vertex;
  schema::VertexId to_vertex;
  schema::EdgeType type;
  schema::RecordType from_type;
  std::string_view from;
  std::string_view to;
  schema::TxId tx;
  std::string_view tx_text;            ///< the number of `tx`
  std::span<Attribute const> carried;  ///< weight, version, ...: the attributes of this edge
};

/// The name of a record's member as an attribute; empty for a member that is none. The id and the node's type are left
/// out because the ref and `type` have them; a context unit has a member `type` with another meaning.
[[nodiscard]] std::string_view attribute_name(schema::RecordType type, std::string_view member) noexcept;

/// Calls `visit(name, kind, value)` for `ref`, `type`, `tx`, `label`, `status`, `expired`, `purged`, then the members
/// of its record; lists and objects are JSON text.
template <class Visit>
void for_each_attribute(Node const& node, Visit&& visit) {
  visit("ref", Kind::text, std::string_view(node.ref));
  visit("type", Kind::text, schema::name_of(node.type));
  visit("tx", Kind::integer, std::string_view(std::to_string(schema::number(node.tx))));
  visit("label", Kind::text, std::string_view(node.label));
  if (!node.status.empty()) visit("status", Kind::text, node.status);
  if (node.is_gone) visit("expired", Kind::flag, std::string_view("true"));
  if (node.is_purged) visit("purged", Kind::flag, std::string_view("true"));
  std::string buffer;
  for_each_member(node.record, [&](std::string_view member, std::string_view json) {
    auto const name = attribute_name(node.type, member);
    if (name.empty()) return;
    auto const kind = kind_of(member);
    visit(name, kind, kind == Kind::text ? plain_text(json, buffer) : json);
  });
}

/// Calls `visit(name, kind)` for the same attributes, of a node whose record need not be there as JSON.
template <class Visit>
void for_each_attribute_name(Node const& node, Visit&& visit) {
  for (auto const name : {"ref", "type"}) visit(name, Kind::text);
  visit("tx", Kind::integer);
  visit("label", Kind::text);
  if (!node.status.empty()) visit("status", Kind::text);
  if (node.is_gone) visit("expired", Kind::flag);
  if (node.is_purged) visit("purged", Kind::flag);
  if (node.content == nullptr) return;
  schema::json::for_each_name(*node.content, [&](std::string_view member) {
    auto const name = attribute_name(node.type, member);
    if (!name.empty()) visit(name, kind_of(member));
  });
}

/// The same for `type`, `tx`, then what it carries.
template <class Visit>
void for_each_attribute(Edge const& edge, Visit&& visit) {
  visit("type", Kind::text, schema::name_of(edge.type));
  visit("tx", Kind::integer, edge.tx_text);
  for (auto const& carried : edge.carried) visit(carried.name, carried.kind, std::string_view(carried.value));
}

}  // namespace whence::exports
