// The vocabulary of types, from the catalogues of record and edge types.

#include "net/params/type_vocabulary.hpp"

#include "schema/encoding/ascii.hpp"
#include "schema/types/edge_type.hpp"
#include "schema/types/record_type.hpp"

#include <map>
#include <string>
#include <string_view>

namespace whence::net {

namespace {

using schema::EdgeType;
using schema::Influence;
using schema::RecordType;
using schema::json::Writer;

/// `USED_IN` as "used in", `PROV_wasDerivedFrom` as "was derived from".
std::string label_of(std::string_view name) {
  constexpr std::string_view prov = "PROV_";
  bool const is_prov = name.starts_with(prov);
  if (is_prov) name.remove_prefix(prov.size());
  std::string label;
  for (char const each : name) {
    if (is_prov && schema::lower(each) != each) label.push_back(' ');
    label.push_back(each == '_' ? ' ' : schema::lower(each));
  }
  return label;
}

void write_names(Writer& out, std::string_view key, schema::MemberNames const& members) {
  out.key(key).begin_array();
  for (std::string_view const name : members) out.value(name);
  out.end_array();
}

void write_record_type(Writer& out, schema::RecordTypeInfo const& row) {
  out.begin_object().member("name", row.name).member("label", row.label).member("family", row.group);
  write_names(out, "label_members", row.label_members);
  write_names(out, "search_members", row.search_members);
  out.key("time_member");
  if (row.time_member.empty())
    out.null();
  else
    out.value(row.time_member);
  out.member("is_node", row.is_node).end_object();
}

/// The influence of one edge type by the type of its `from` record.
using Influences = std::map<RecordType, Influence>;

/// The influence that most pairs of ends have.
Influence usual(Influences const& influences) {
  std::map<Influence, std::size_t> counts;
  for (auto const& [from, influence] : influences) ++counts[influence];
  auto most = counts.begin();
  for (auto at = counts.begin(); at != counts.end(); ++at) {
    if (at->second > most->second) most = at;
  }
  return most->first;
}

void write_edge_type(Writer& out, EdgeType type, Influences const& influences) {
  auto const name = schema::name_of(type);
  auto const influence = usual(influences);
  out.begin_object()
      .member("name", name)
      .member("label", label_of(name))
      .member("influence", schema::name_of(influence));
  out.key("influence_from").begin_object();
  for (auto const& [from, own] : influences) {
    if (own != influence) out.member(schema::name_of(from), schema::name_of(own));
  }
  out.end_object().end_object();
}

}  // namespace

void write_types(Writer& out) {
  out.key("x-whence-types").begin_object().key("records").begin_array();
  for (auto const& row : schema::record_types()) write_record_type(out, row);
  out.end_array().key("edges").begin_array();
  std::map<EdgeType, Influences> edges;
  for (auto const& rule : schema::edge_rules()) edges[rule.type][rule.from] = rule.influence;
  for (auto const& [type, influences] : edges) write_edge_type(out, type, influences);
  out.end_array().end_object();
}

}  // namespace whence::net
