#pragma once
// The node form and the edge form: how a vertex, an edge and a record look in every answer.

#include "queries/view/gone.hpp"
#include "queries/view/order.hpp"
#include "queries/view/params.hpp"
#include "queries/view/stored_edge.hpp"
#include "queries/view/view.hpp"
#include "queries/view/whole.hpp"
#include "schema/json/writer.hpp"
#include "schema/records/records.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace whence::queries {

using schema::json::Writer;

/// The parts that `include` names.
struct Includes {
  bool has_record = false;
  bool has_status = false;
  bool has_edges = false;
};

[[nodiscard]] Includes includes_of(std::vector<Include> const& include);

/// Writes `"Type:id"` as a value.
void write_ref(Writer& out, Snapshot const& snapshot, VertexId vertex);

/// Writes `ref`, `type` and `id` into the open object.
void write_identity(Writer& out, Snapshot const& snapshot, VertexId vertex);

/// How an edge is written.
struct EdgeForm {
  std::optional<schema::TxId> tx = {};  ///< the edge's, where the caller knows it
  bool has_content = true;              ///< with what a record says of it, which can be gone at another time
};

/// Writes the edge form: `from`, `to`, `type`, `tx` and the number that its type carries; with the content, the
/// citation or the attributes, too. A citation then costs a read of its answer, a relation of PROV one of its record.
void write_edge(Writer& out, View const& view, StoredEdge const& edge, EdgeForm const& form = {});

/// Whether a purge of the chunk took the excerpt of a citation: what is empty then was not given so.
[[nodiscard]] bool lost_excerpt(schema::Citation const& citation, Snapshot const& snapshot);

/// Writes `expired: true`, and `purged: true` where somebody asked for it, of a node whose content is gone.
void write_gone(Writer& out, Snapshot const& snapshot, VertexId vertex);
void write_gone(Writer& out, graph::GoneWhy why);

/// Writes `gone`, a list of refs with why, where there are any.
void write_gone_nodes(Writer& out, Snapshot const& snapshot, std::span<GoneNode const> gone);

/// Writes the parts that `include` adds besides the record: `status` (units only), `edges` and `edges_total`; and what
/// `write_gone` writes.
void write_status_and_edges(Writer& out, View const& view, VertexId vertex, Includes includes);

/// Adapts a whole record to the moment of reading, as `write_record` shows it.
void finish_record(schema::Record& record, Snapshot const& snapshot);

/// Writes a whole record as a value, as answers show it: without members that are edges, with `dangling` where its
/// source is missing.
void write_record(Writer& out, schema::Record&& record, Snapshot const& snapshot);

/// Writes a whole record as a value without its `$type$`: the form that `rag.get` shows.
void write_without_type(Writer& out, schema::Record const& record);

/// Makes room for the identities of `items`. Ids lie anywhere in memory: looking at all of them first lets the
/// processor fetch several at once, where each would be waited for between the texts of two nodes.
template <class Item>
void reserve_identities(Writer& out, Snapshot const& snapshot, std::span<Item const> items) {
  constexpr std::size_t beside_id_bytes = 96;  // names of members, the type twice, the usual numbers
  std::size_t bytes = 0;
  for (Item const& item : items) bytes += beside_id_bytes + 2 * snapshot.id(vertex_of(item)).size();
  std::string& text = out.out();
  if (text.capacity() - text.size() < bytes) text.reserve(std::max(text.size() + bytes, 2 * text.capacity()));
}

/// Writes items that are or have a `vertex` in node form, one after the other: identity, what `write_members(out,
/// item)` adds, then the parts that `includes` names. Fails with `corrupt` where a record cannot be read.
template <class Item, class WriteMembers>
[[nodiscard]] Result<void> write_nodes(Writer& out, View const& view, Includes includes, std::span<Item const> items,
                                       WriteMembers const& write_members) {
  auto const open = [&](Item const& item) {
    out.begin_object();
    write_identity(out, view.snapshot, vertex_of(item));
    write_members(out, item);
  };
  auto const close = [&](Item const& item) {
    write_status_and_edges(out, view, vertex_of(item), includes);
    out.end_object();
  };
  if (includes.has_record) {
    std::vector<VertexId> vertices;
    vertices.reserve(items.size());
    for (Item const& item : items) vertices.push_back(vertex_of(item));
    return read_whole(view, vertices, [&](std::size_t i, graph::Said&& said) {
      open(items[i]);
      if (auto* const record = said.find()) write_record(out.key("record"), std::move(*record), view.snapshot);
      close(items[i]);
      return true;
    });
  }
  reserve_identities(out, view.snapshot, items);
  for (Item const& item : items) {
    open(item);
    close(item);
  }
  return {};
}

}  // namespace whence::queries
