// The nodes of a small selection are read transaction by transaction, its edges from the graph, instead of searching
// the whole log. Everything else is one pass over the log.

#include "queries/export/scan.hpp"

#include "graph/walks/reduction.hpp"
#include "queries/export/describe.hpp"
#include "queries/live/events.hpp"
#include "queries/order.hpp"
#include "queries/owned_edges.hpp"
#include "queries/render/event_texts.hpp"
#include "queries/whole.hpp"
#include "schema/json/codec.hpp"

#include <algorithm>
#include <span>
#include <tuple>
#include <utility>

namespace whence::exports {
namespace {

using graph::Delta;
using graph::DeltaEdge;
using graph::EventOp;
using queries::StoredEdge;
using schema::EdgeType;
using schema::RecordType;
using schema::TxId;
using schema::VertexId;

constexpr std::size_t slice_nodes = 1024;  ///< read and written between two looks at the log
constexpr std::size_t slice_edges = 8192;
constexpr std::size_t slice_bytes = std::size_t{1} << 20;
constexpr std::uint64_t slice_transactions = 8192;  ///< looked at while a read transaction is open
constexpr std::size_t small_selection = 65'536;

bool is_new(Delta const& delta, graph::DeltaEvent const& event) {
  bool const has_record = event.op == EventOp::put || event.op == EventOp::version;
  return has_record && number(event.vertex) >= delta.vertices_before;
}

}  // namespace

std::uint64_t Counts::all_nodes() const {
  std::uint64_t sum = 0;
  for (auto const count : nodes) sum += count;
  return sum;
}

std::uint64_t Counts::all_edges() const {
  std::uint64_t sum = 0;
  for (auto const count : edges) sum += count;
  return sum;
}

Selection::Selection(std::vector<VertexId> vertices, std::uint32_t vertex_count)
    : vertices_(std::move(vertices)), members_(vertex_count) {
  std::ranges::sort(vertices_);
  vertices_.erase(std::unique(vertices_.begin(), vertices_.end()), vertices_.end());
  for (auto const vertex : vertices_) members_[schema::number(vertex)] = true;
}

bool Scan::wants(VertexId vertex) const {
  if (selection_ != nullptr) return selection_->has(vertex);
  return !source_.view.snapshot.is_deleted(vertex);
}

bool Scan::wants(DeltaEdge const& edge) const {
  if (!wants(edge.from) || !wants(edge.to)) return false;
  return left_out_.empty() || !std::ranges::binary_search(left_out_, edge.edge);
}

bool Scan::is_small() const {
  return selection_ != nullptr && selection_->vertices().size() <= small_selection;
}

Result<void> Scan::leave_out_implied_edges() {
  auto const& snapshot = source_.view.snapshot;
  auto const reduce = [&](std::span<VertexId const> vertices) -> Result<void> {
    auto implied = graph::implied_edges(snapshot, vertices, schema::EdgeTypeSet::all(), interrupt_);
    if (!implied) return implied.error();
    left_out_ = std::move(*implied);
    return {};
  };
  if (selection_ != nullptr) return reduce(selection_->vertices());
  std::vector<VertexId> visible;
  for (std::uint32_t i = 0; i < snapshot.vertex_count(); ++i) {
    if (wants(VertexId{i})) visible.push_back(VertexId{i});
  }
  return reduce(visible);
}

Counts Scan::count() const {
  auto const& snapshot = source_.view.snapshot;
  Counts counts;
  if (selection_ == nullptr) {
    for (auto const& row : schema::record_types()) {
      if (row.is_node) counts.nodes[static_cast<std::size_t>(row.type)] = snapshot.vertex_count(row.type);
    }
    for (std::size_t i = 1; i < counts.edges.size(); ++i) {
      counts.edges[i] = snapshot.edge_count(static_cast<EdgeType>(i));
    }
    for (auto const edge : left_out_) --counts.edges[static_cast<std::size_t>(snapshot.type(edge))];
    return counts;
  }
  std::vector<DeltaEdge> edges;
  for (auto const vertex : selection_->vertices()) {
    ++counts.nodes[static_cast<std::size_t>(snapshot.type(vertex))];
    edges.clear();
    queries::append_owned_edges(snapshot, vertex, edges);
    for (auto const& edge : edges) {
      if (wants(edge)) ++counts.edges[static_cast<std::size_t>(snapshot.type(edge.edge))];
    }
  }
  return counts;
}

bool Scan::is_closed() const {
  auto const& snapshot = source_.view.snapshot;
  auto const refers_inside = [&](VertexId vertex) {
    std::vector<DeltaEdge> edges;
    queries::append_owned_edges_ever(snapshot, vertex, edges);
    return std::ranges::all_of(edges, [&](DeltaEdge const& edge) { return wants(edge.from) && wants(edge.to); });
  };
  if (selection_ != nullptr) return std::ranges::all_of(selection_->vertices(), refers_inside);
  // A visible record can refer outside only to a deleted node.
  for (auto const& row : schema::record_types()) {
    if (!row.is_node) continue;
    for (auto const deleted : snapshot.deleted_vertices(row.type)) {
      for (auto const& list : {snapshot.causes_ever(deleted), snapshot.effects_ever(deleted),
                               snapshot.relations_from_ever(deleted), snapshot.relations_to_ever(deleted)}) {
        for (auto const other : list.vertices) {
          if (!snapshot.is_deleted(other) && !refers_inside(other)) return false;
        }
      }
    }
  }
  return true;
}

void Scan::rest() const {
  constexpr std::chrono::milliseconds between{100};
  auto const now = std::chrono::steady_clock::now();
  if (!source_.rest || now - rested_ < between) return;
  rested_ = now;
  source_.rest();
}

/// Calls `take` for each transaction and `after_slice` whenever it asked for a pause, with no read transaction open.
Result<void> Scan::walk_log(std::function<bool(Delta&&)> const& take,
                            std::function<Result<void>()> const& after_slice) const {
  schema::Poll poll(interrupt_);
  TxId const last = source_.view.snapshot.tx();
  for (TxId next{1}; next <= last;) {
    std::uint64_t seen = 0;
    auto const read = source_.read_deltas(next, [&](Delta&& delta) {
      next = schema::next(delta.tx);
      bool const goes_on = take(std::move(delta));
      return goes_on && ++seen < slice_transactions;
    });
    if (!read) return read.error();
    if (auto const done = after_slice(); !done) return done.error();
    rest();
    if (poll.must_stop(schema::Poll::steps_between)) return poll.error();
  }
  return {};
}

Result<void> Scan::nodes(schema::RecordTypeSet types, bool has_records,
                         std::function<void(Node const&)> const& visit) const {
  auto const& snapshot = source_.view.snapshot;
  std::vector<VertexId> slice;
  auto const take = [&](Delta const& delta) {
    for (auto const& event : delta.events) {
      if (!is_new(delta, event) || !wants(event.vertex)) continue;
      if (types.empty() || types.contains(snapshot.type(event.vertex))) slice.push_back(event.vertex);
    }
    return slice.size() < slice_nodes;
  };
  auto const visit_slice = [&]() -> Result<void> {
    auto visited = visit_nodes(slice, has_records, visit);
    slice.clear();
    return visited;
  };
  if (!is_small()) return walk_log(take, visit_slice);
  std::vector<TxId> created;
  for (auto const vertex : selection_->vertices()) created.push_back(snapshot.created(vertex));
  created.erase(std::unique(created.begin(), created.end()),
                created.end());  // vertices are numbered in order of commit
  schema::Poll poll(interrupt_);
  for (auto const tx : created) {
    bool is_full = false;
    auto const read = source_.read_deltas(tx, [&](Delta&& delta) {
      is_full = !take(delta);
      return false;
    });
    if (!read) return read.error();
    if (poll.must_stop()) return poll.error();
    if (!is_full) continue;
    if (auto visited = visit_slice(); !visited) return visited;
  }
  return visit_slice();
}

Result<void> Scan::visit_nodes(std::vector<VertexId> const& vertices, bool has_records,
                               std::function<void(Node const&)> const& visit) const {
  auto const& view = source_.view;
  if (!has_records) {
    for (auto const vertex : vertices) visit(describe(view.snapshot, vertex));
    return {};
  }
  Result<void> taken;
  auto const read = queries::read_whole(view, vertices, [&](std::size_t i, schema::Record&& record) {
    Node node = describe(view.snapshot, vertices[i]);
    taken = take_record(view, std::move(record), node, visit);
    return taken.has_value();
  });
  return taken ? read : taken;
}

Result<void> Scan::edges(std::function<void(Edge const&)> const& visit) const {
  std::vector<StoredEdge> slice;
  if (is_small()) {
    slice = selected_edges();
    visit_edges(slice, visit);
    return {};
  }
  auto const take = [&](Delta const& delta) {
    for (auto const& event : delta.events) {
      for (auto const& edge : delta.edges_of(event)) {
        if (wants(edge)) slice.push_back({edge.from, edge.to, edge.edge});
      }
    }
    return slice.size() < slice_edges;
  };
  return walk_log(take, [&]() -> Result<void> {
    visit_edges(slice, visit);
    slice.clear();
    return {};
  });
}

std::vector<StoredEdge> Scan::selected_edges() const {
  std::vector<DeltaEdge> owned;
  std::vector<StoredEdge> selected;
  for (auto const vertex : selection_->vertices()) {
    owned.clear();
    queries::append_owned_edges(source_.view.snapshot, vertex, owned);
    for (auto const& edge : owned) {
      if (wants(edge)) selected.push_back({edge.from, edge.to, edge.edge});
    }
  }
  return selected;
}

/// Refs are made before sorting: looking ids up at each comparison would cost a cache miss each.
void Scan::visit_edges(std::vector<StoredEdge> const& edges, std::function<void(Edge const&)> const& visit) const {
  auto const& snapshot = source_.view.snapshot;
  std::string refs;
  auto const append = [&](VertexId vertex) {
    auto const begin = refs.size();
    schema::append_ref(refs, snapshot.type(vertex), snapshot.id(vertex));
    return std::pair(begin, refs.size() - begin);
  };
  struct Row {
    TxId tx;
    std::pair<std::size_t, std::size_t> from;  // place and length in `refs`
    std::pair<std::size_t, std::size_t> to;
    std::string_view type;
    StoredEdge edge;
  };
  std::vector<Row> rows;
  rows.reserve(edges.size());
  for (auto const& edge : edges) {
    auto const type = schema::name_of(snapshot.type(edge.edge));
    rows.push_back({snapshot.tx(edge.edge), append(edge.from), append(edge.to), type, edge});
  }
  auto const text = [&](std::pair<std::size_t, std::size_t> const& place) {
    return std::string_view(refs).substr(place.first, place.second);
  };
  std::ranges::sort(rows, {}, [&](Row const& each) {
    return std::tuple(each.tx, text(each.from), text(each.to), each.type, each.edge.edge);
  });
  std::vector<Attribute> carried;
  for (auto const& each : rows) {
    take_carried(source_.view, each.edge, carried);
    visit({.from_vertex = each.edge.from,
           .to_vertex = each.edge.to,
           .type = snapshot.type(each.edge.edge),
           .from_type = snapshot.type(each.edge.from),
           .from = text(each.from),
           .to = text(each.to),
           .tx = each.tx,
           .carried = carried});
  }
}

Result<void> Scan::lines(std::function<void(std::string& text, TxId reached)> const& visit) const {
  std::string text;
  TxId reached{0};
  Result<void> made;
  auto const take = [&](Delta&& delta) {
    reached = delta.tx;
    made = append_lines(std::move(delta), text);
    return made.has_value() && text.size() < slice_bytes;
  };
  return walk_log(take, [&]() -> Result<void> {
    if (!made) return made;
    visit(text, reached);
    text.clear();
    return {};
  });
}

/// The lines of one transaction: its events in the form of live updates. The text of an attachment whose record only
/// names a blob is added, because an import could not make the record without it.
Result<void> Scan::append_lines(Delta&& delta, std::string& out) const {
  auto view = source_.view;
  view.snapshot = view.snapshot.as_of(delta.tx);
  queries::Events const events(view, std::move(delta));
  std::vector<std::uint32_t> wanted;
  for (std::uint32_t i = 0; i < events.size(); ++i) {
    if (selection_ == nullptr || selection_->has(events.event(i).vertex)) wanted.push_back(i);
  }
  auto const texts = queries::EventTexts::make(events, wanted, {.has_record = true, .has_edges = true});
  if (!texts) return texts.error();
  for (auto const i : wanted) {
    auto const event = events.event(i);
    texts->append_unlinked(out, i);
    if (event.op == EventOp::put && view.snapshot.type(event.vertex) == RecordType::xml_message_attachment) {
      auto const record = queries::read_one(view, event.vertex);
      if (!record) return record.error();
      auto const text = text_apart(view, std::get<schema::XmlMessageAttachment>(*record));
      if (!text) return text.error();
      if (!text->empty()) {
        out.pop_back();
        schema::json::append_string(out.append(R"(,"xml":)"), *text);
        out.push_back('}');
      }
    }
    out.push_back('\n');
  }
  return {};
}

}  // namespace whence::exports
