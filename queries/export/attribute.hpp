#pragma once
// Nodes and edges as tools for graphs know them: names with plain values, each name of one kind.

#include "schema/edge_type.hpp"
#include "schema/ids.hpp"
#include "schema/record_type.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace whence::exports {

/// The kind belongs to a name, never to a value seen, so that a column is of one kind.
enum class Kind : std::uint8_t { text, integer, real, flag };

/// `value` is the text itself of a `text`, else as JSON writes it.
struct Attribute {
  std::string_view name;
  Kind kind;
  std::string value;
};

/// The kind of a record's member by its name on the wire; `text` for what is unknown or a list or an object.
[[nodiscard]] Kind kind_of(std::string_view name) noexcept;

/// One node: what formats choose from.
struct Node {
  schema::VertexId vertex;
  schema::RecordType type;
  std::string ref;
  std::string_view id;
  std::string label;        ///< its `name`, `term` or `document_name`, else the id
  std::string_view status;  ///< of units and templates; else empty
  std::string time;         ///< RFC 3339; empty where the record has none
  schema::TxId tx;          ///< of its first record
  std::string record;       ///< compact JSON; empty where it was not asked for or its content is gone
  std::string text;         ///< of an attachment that stands apart from its record; only with the record
};

struct Edge {
  schema::VertexId from_vertex;
  schema::VertexId to_vertex;
  schema::EdgeType type;
  std::string from;
  std::string to;
  schema::TxId tx;
  std::vector<Attribute> carried;  ///< weight, version, ...: what edges of its type carry, where it does
};

/// `ref`, `type`, `tx`, `label`, `status`, then the members of its record but the id; lists and objects as JSON text.
[[nodiscard]] std::vector<Attribute> attributes_of(Node const& node);

/// `type`, `tx`, then what it carries.
[[nodiscard]] std::vector<Attribute> attributes_of(Edge const& edge);

}  // namespace whence::exports
