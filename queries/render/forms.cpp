// Node and edge forms. This is the inner loop of every answer: refs are written from the id's own bytes, no string is
// built for a node, and names, which need no escapes, are appended together with the text around them.

#include "queries/render/forms.hpp"

#include "schema/base/limits.hpp"
#include "schema/json/escape.hpp"
#include "schema/prov/statements.hpp"
#include "schema/records/prov/relations.hpp"
#include "schema/records/record_reader.hpp"
#include "schema/records/retrieval/citation.hpp"
#include "schema/types/ref.hpp"
#include "schema/wire/codec.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>

namespace whence::queries {
namespace {

using schema::Carries;

// The member that shows the number an edge carries; empty where the number is not shown as it is.
std::string_view member_of(Carries carries) {
  switch (carries) {
    case Carries::weight:
      return "weight";
    case Carries::version:
      return "version";
    case Carries::score:
      return "score";
    case Carries::confidence:
      return "confidence";
    case Carries::similarity:
      return "similarity";
    case Carries::rank:
      return "rank";
    case Carries::none:
    case Carries::time:
    case Carries::citation:
    case Carries::relation:
      break;
  }
  return {};
}

// Appends the rest of a ref after its opening quote. The id comes with its quotes and escapes; its opening quote is the
// place of the colon.
void append_ref(std::string& text, Snapshot const& snapshot, VertexId vertex) {
  std::size_t const colon = text.append(schema::name_of(snapshot.type(vertex))).size();
  schema::json::append_string(text, snapshot.id(vertex));
  text[colon] = ':';
}

/// Appends `parts` one after the other. The text grows once.
template <class... Parts>
void append_all(std::string& text, Parts... parts) {
  std::size_t const size = text.size();
  text.resize(size + (parts.size() + ...));
  char* end = text.data() + size;
  ((end = static_cast<char*>(std::memcpy(end, parts.data(), parts.size())) + parts.size()), ...);
}

void append_first(std::vector<StoredEdge>& edges, graph::Neighbours const& neighbours, auto const& make) {
  std::size_t const count = std::min(neighbours.size(), schema::limits::node_edges_max);
  for (std::size_t i = 0; i < count; ++i) edges.push_back(make(neighbours.vertices[i], neighbours.edges[i]));
}

// Edge numbers follow the order of commit, and each list is in it: the first of all are among the first of each.
void write_edges_of(Writer& out, View const& view, VertexId vertex) {
  auto const& snapshot = view.snapshot;
  auto const causes = snapshot.causes(vertex);
  auto const effects = snapshot.effects(vertex);
  auto const relations_from = snapshot.relations_from(vertex);
  auto const relations_to = snapshot.relations_to(vertex);
  std::vector<StoredEdge> edges;
  append_first(edges, causes, [&](VertexId v, EdgeId e) { return stored_edge(snapshot, v, vertex, e); });
  append_first(edges, effects, [&](VertexId v, EdgeId e) { return stored_edge(snapshot, vertex, v, e); });
  append_first(edges, relations_from, [&](VertexId v, EdgeId e) { return StoredEdge{vertex, v, e}; });
  append_first(edges, relations_to, [&](VertexId v, EdgeId e) { return StoredEdge{v, vertex, e}; });
  std::sort(edges.begin(), edges.end(), [](StoredEdge const& a, StoredEdge const& b) { return a.edge < b.edge; });
  edges.resize(std::min(edges.size(), schema::limits::node_edges_max));

  out.key("edges").begin_array();
  for (StoredEdge const& edge : edges) write_edge(out, view, edge);
  out.end_array();
  std::uint64_t const total = causes.size() + effects.size() + relations_from.size() + relations_to.size();
  out.member("edges_total", total);
}

// The place and the excerpt of a citation are in the record of the answer. Where that cannot be read, the edge is shown
// without them.
void write_citation(Writer& out, View const& view, StoredEdge const& edge) {
  auto const said = read_one(view, edge.from);
  auto const* const record = said ? said->find() : nullptr;
  auto const* const answer = record != nullptr ? std::get_if<schema::Answer>(record) : nullptr;
  if (answer == nullptr) return;
  auto const chunk_id = view.snapshot.id(edge.to);
  auto const cited =
      std::ranges::find_if(answer->citations, [&](schema::Citation const& each) { return each.chunk_id == chunk_id; });
  if (cited == answer->citations.end()) return;
  if (cited->page_number) out.member("page_number", *cited->page_number);
  if (cited->section) out.member("section", *cited->section);
  if (!lost_excerpt(*cited, view.snapshot)) out.member("excerpt", cited->excerpt);
}

// A relation is in the record of the node it starts from: which of those of its type and end, the edge says.
void write_relation(Writer& out, View const& view, StoredEdge const& edge) {
  auto const place = view.snapshot.value(edge.edge);
  auto const said = read_one(view, edge.from);
  auto const* const record = said ? said->find() : nullptr;
  auto const* const node = record != nullptr ? schema::json::prov_node_of(*record) : nullptr;
  if (node == nullptr || !place) return;
  auto const other = schema::format_ref(view.snapshot.type(edge.to), view.snapshot.id(edge.to));
  auto const* const relation = schema::find_relation(*node, view.snapshot.type(edge.edge), other, *place);
  if (relation != nullptr) out.key("attributes").raw(relation->attributes.json);
}

/// Adapts a record to the moment of reading: the link of an attachment is an edge, a source may be deleted.
void finish(schema::XmlMessageAttachment& attachment, Snapshot const& /*snapshot*/) {
  attachment.response_id.reset();
}

template <class T>
void finish(T& record, Snapshot const& snapshot) {
  if constexpr (requires { record.dangling; }) {
    if (!record.source_xml_hash) return;
    if (!snapshot.find(schema::RecordType::xml_message_attachment, *record.source_xml_hash)) record.dangling = true;
  }
}

}  // namespace

Includes includes_of(std::vector<Include> const& include) {
  auto const has = [&](Include one) { return std::find(include.begin(), include.end(), one) != include.end(); };
  return {.has_record = has(Include::record), .has_status = has(Include::status), .has_edges = has(Include::edges)};
}

void write_ref(Writer& out, Snapshot const& snapshot, VertexId vertex) {
  append_ref(out.raw("\"").out(), snapshot, vertex);
}

void write_identity(Writer& out, Snapshot const& snapshot, VertexId vertex) {
  using namespace std::string_view_literals;
  std::string_view const type = schema::name_of(snapshot.type(vertex));
  std::string_view const id = snapshot.id(vertex);
  std::string& text = out.raw(R"("ref":")").out();
  if (schema::json::find_escape(id) == id.size()) {
    return append_all(text, type, ":"sv, id, R"(","type":")"sv, type, R"(","id":")"sv, id, "\""sv);
  }
  std::size_t const colon = text.size() + type.size();
  append_ref(text, snapshot, vertex);
  std::size_t const id_bytes = text.size() - colon - 1;  // with its escapes and its closing quote
  append_all(text, R"(,"type":")"sv, type, R"(","id":")"sv);
  text.append(text, colon + 1, id_bytes);
}

void write_edge(Writer& out, View const& view, StoredEdge const& edge, EdgeForm const& form) {
  auto const& snapshot = view.snapshot;
  graph::EdgeType const type = snapshot.type(edge.edge);
  std::string& text = out.begin_object().raw(R"("from":")").out();
  append_ref(text, snapshot, edge.from);
  append_ref(text.append(R"(,"to":")"), snapshot, edge.to);
  text.append(R"(,"type":")").append(schema::name_of(type)).push_back('"');
  out.member("tx", schema::number(form.tx ? *form.tx : snapshot.tx(edge.edge)));
  if (schema::influence_of(type, snapshot.type(edge.from)) != schema::Influence::none) {
    auto const basis = schema::basis_of(type);
    out.member("basis", schema::name_of(schema::without_role(basis)));
    if (auto const role = schema::role_of(basis); !role.empty()) out.member("role", role);
  }
  Carries const carries = schema::carried_by(type);
  if (carries == Carries::time) {
    if (auto const time = snapshot.time(edge.from)) out.member("timestamp", schema::format_rfc3339(*time));
  } else if (std::string_view const name = member_of(carries); !name.empty()) {
    if (auto const value = snapshot.value(edge.edge)) out.member(name, *value);
    if (carries == Carries::similarity) out.member("rank", snapshot.rank(edge.edge));
  } else if (carries == Carries::citation) {
    if (form.has_content) write_citation(out, view, edge);
  } else if (carries == Carries::relation) {
    if (form.has_content) write_relation(out, view, edge);
    if (schema::is_relation_variant(type)) out.member("cycle_cut", true);
  }
  out.end_object();
}

bool lost_excerpt(schema::Citation const& citation, Snapshot const& snapshot) {
  if (schema::has_flag(citation.flags, schema::redacted_flag)) return true;
  if (!citation.excerpt.empty() || !citation.chunk_id) return false;  // an older program wrote no flag
  auto const chunks = snapshot.find_all_ever(schema::RecordType::retrieved_chunk, *citation.chunk_id);
  return std::ranges::any_of(chunks, [&](VertexId each) { return snapshot.gone(each) == graph::GoneWhy::purged; });
}

void write_gone(Writer& out, Snapshot const& snapshot, VertexId vertex) {
  auto const why = snapshot.gone(vertex);
  if (why) write_gone(out, *why);
}

void write_gone(Writer& out, graph::GoneWhy why) {
  out.member("expired", true);
  if (why == graph::GoneWhy::purged) out.member("purged", true);
}

void write_gone_nodes(Writer& out, Snapshot const& snapshot, std::span<GoneNode const> gone) {
  if (gone.empty()) return;
  out.key("gone").begin_array();
  for (auto const& each : gone) {
    out.begin_object();
    write_identity(out, snapshot, each.vertex);
    write_gone(out, each.why);
    out.end_object();
  }
  out.end_array();
}

void write_status_and_edges(Writer& out, View const& view, VertexId vertex, Includes includes) {
  auto const& snapshot = view.snapshot;
  write_gone(out, snapshot, vertex);
  if (includes.has_status && schema::info(snapshot.type(vertex)).has_status) {
    out.member("status", schema::name_of(snapshot.state(vertex).status));
  }
  if (includes.has_edges) write_edges_of(out, view, vertex);
}

void finish_record(schema::Record& record, Snapshot const& snapshot) {
  std::visit([&](auto& each) { finish(each, snapshot); }, record);
}

void write_record(Writer& out, schema::Record&& record, Snapshot const& snapshot) {
  finish_record(record, snapshot);
  schema::json::write_record(out, record);
}

void write_without_type(Writer& out, schema::Record const& record) {
  std::string const text = schema::json::to_text(record);
  out.raw("{").out().append(text, text.find(',') + 1);  // `$type$` comes first and its value has no comma
}

}  // namespace whence::queries
