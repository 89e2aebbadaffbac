// The writer's side: appending, publishing, taking back.
#include "graph/graph.hpp"

#include "graph/image/image_root.hpp"
#include "graph/snapshot/access.hpp"
#include "graph/storage/arena.hpp"
#include "schema/base/limits.hpp"

#include <cassert>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

namespace whence::graph {

using impl::ListHeader;
using impl::ListKind;
using schema::number;

namespace {

/// For a full list. Doubling leaves up to half of the slots of a long list free, this a third.
constexpr std::uint32_t next_capacity(std::uint32_t capacity) noexcept {
  constexpr std::uint32_t doubled_below = 16;
  if (capacity == 0) return 2;
  return capacity < doubled_below ? capacity * 2 : capacity + capacity / 2;
}

}  // namespace

/// What only the writer knows.
///
/// Invariants: 1. the `undo_` lists name what changed on published vertices since the last publication; what hangs on
/// newer vertices is dropped with them, so replaying a whole store keeps no undo log. 2. where memory runs out in the
/// middle of a change, `rollback` takes all of it back: what may throw comes first, then the undo entry, then the
/// change.
struct Graph::Impl {
  struct ListChange {
    ListKind kind;
    std::uint32_t vertex;
  };

  impl::Storage storage;
  impl::Arena arena;
  std::shared_ptr<Epoch> epoch = std::make_shared<Epoch>();
  std::optional<impl::NextIdTable> next_ids;  ///< while the table of ids is nearly full
  std::uint32_t last_tx = 0;
  bool is_open = false;
  std::uint32_t vertex_count = 0;
  std::uint32_t edge_count = 0;
  std::uint32_t state_count = 0;
  std::uint32_t revision_count = 0;
  std::uint32_t numbers_used = 0;  ///< vertex numbers ever given, rolled back ones too: they may have extra rows
  std::uint64_t image_id_bytes = 0;

  // As of the watermark.
  std::uint32_t published_tx = 0;
  std::uint32_t published_vertices = 0;
  std::uint32_t published_edges = 0;
  std::uint32_t published_other_values = 0;
  impl::Arena::Mark published_arena = arena.mark();
  std::vector<ListChange> undo_lists;
  std::vector<std::uint32_t> undo_states;
  std::vector<std::uint32_t> undo_revisions;
  std::vector<std::uint32_t> undo_hides;

  /// Contents that are gone once the transactions are published.
  struct Forgotten {
    std::uint32_t vertex;
    std::uint32_t gone;
  };
  std::vector<Forgotten> forgotten;

  Impl();
  [[nodiscard]] bool is_visible(VertexId v) const noexcept;
  [[nodiscard]] impl::ExtraRow& extra_of(std::uint32_t vertex);
  [[nodiscard]] ListHeader& header_of(ListKind kind, std::uint32_t vertex);
  void append(ListKind kind, std::uint32_t vertex, VertexId neighbour, EdgeId edge);
  void grow(ListHeader& header, std::uint32_t capacity);
  void index(std::uint32_t vertex);
  void hide_edges(ListKind kind, std::uint32_t vertex);
  void mark_edges(ListKind kind, std::uint32_t vertex);
  void restore_published();
  void forget_vertices();
  void forget_block(ListHeader& header) noexcept;
  void forget_counts();
};

Graph::Impl::Impl() {
  storage.transactions.ensure(0);
  storage.transactions[0] = {.at = {}, .vertex_count = 0, .edge_count = 0};
  storage.published.set({.tx = 0, .epoch = epoch});
}

bool Graph::Impl::is_visible(VertexId v) const noexcept {
  return number(v) < vertex_count && !storage.is_hidden(number(v), last_tx);
}

Graph::Graph() : impl_{std::make_unique<Impl>()} {}
Graph::~Graph() = default;
Graph::Graph(Graph&&) noexcept = default;
Graph& Graph::operator=(Graph&&) noexcept = default;

std::optional<Graph> Graph::from_image(std::unique_ptr<ImageMemory> image) {
  Graph graph;
  auto& my = *graph.impl_;
  auto const root = impl::take_image(std::move(image), my.storage);
  if (!root) return std::nullopt;
  my.last_tx = root->tx;
  my.vertex_count = root->vertices;
  my.edge_count = root->edges;
  my.state_count = root->states;
  my.revision_count = root->revisions;
  my.image_id_bytes = root->id_bytes;
  my.numbers_used = root->vertices;
  graph.publish();
  return graph;
}

void Graph::begin(TxId tx, schema::Time at) {
  auto& my = *impl_;
  assert(!my.is_open);
  assert(number(tx) == std::uint64_t{my.last_tx} + 1);
  assert(number(tx) <= schema::limits::graph_numbers_max);
  my.last_tx = static_cast<std::uint32_t>(number(tx));
  my.storage.transactions.ensure(my.last_tx);
  my.storage.transactions[my.last_tx] = {.at = at, .vertex_count = my.vertex_count, .edge_count = my.edge_count};
  my.is_open = true;
}

VertexId Graph::add_vertex(RecordType type, std::string_view id, std::optional<schema::Time> time) {
  auto& my = *impl_;
  auto& storage = my.storage;
  assert(my.is_open);
  assert(my.vertex_count < schema::limits::graph_numbers_max);
  auto const v = my.vertex_count;
  storage.types.ensure(v);
  storage.created.ensure(v);
  storage.times.ensure(v);
  storage.ids.ensure(v);
  storage.extra_places.ensure(v);
  for (auto& headers : storage.influence_headers) headers.ensure(v);
  storage.types[v] = type;
  storage.created[v] = my.last_tx;
  storage.times[v] = time ? impl::VertexTime{time->seconds, time->nanos} : impl::VertexTime{};
  storage.ids[v] = my.arena.add(id);
  if (v == my.numbers_used) {
    storage.extra_places[v].store(0, std::memory_order_relaxed);
    ++my.numbers_used;
  }
  for (auto& headers : storage.influence_headers) {
    headers[v].block.store(nullptr, std::memory_order_relaxed);
    headers[v].count.store(0, std::memory_order_relaxed);
    headers[v].newest.store(0, std::memory_order_relaxed);
  }
  storage.vertices_by_type[static_cast<std::size_t>(type)].push(v);
  storage.vertices_made = ++my.vertex_count;
  my.index(v);
  return VertexId{v};
}

void Graph::Impl::index(std::uint32_t vertex) {
  auto* const table = storage.id_table.load(std::memory_order_relaxed);
  auto const hash = impl::hash_of(storage.hash_key, storage.types[vertex], storage.id_at(vertex));
  auto const slot = table->insert(hash, VertexId{vertex});
  // The vertex is in its table before memory may run out here, or taking it back would look for it in vain.
  if (next_ids) {
    next_ids->inserted(slot, hash, VertexId{vertex});
  } else if (table->is_nearly_full()) {
    next_ids.emplace(*table);
  }
  if (!next_ids || !next_ids->copy_some()) return;
  epoch->tables.emplace_back();
  epoch->tables.back().reset(storage.id_table.exchange(next_ids->take().release(), std::memory_order_release));
  next_ids.reset();
}

void Graph::reserve_causes(VertexId v, std::uint32_t count) {
  auto& header = impl_->storage.lists(ListKind::causes)[number(v)];
  auto const wanted = header.count.load(std::memory_order_relaxed) + count;
  if (wanted > header.capacity()) impl_->grow(header, wanted);
}

EdgeId Graph::add_edge(EdgeType type, VertexId from, VertexId to, std::optional<double> value, std::uint32_t rank) {
  auto& my = *impl_;
  auto& storage = my.storage;
  assert(my.is_open);
  assert(my.is_visible(from));
  assert(my.is_visible(to));
  assert(my.edge_count < schema::limits::graph_edges_max);
  EdgeId const edge{my.edge_count};
  storage.edge_types.ensure(my.edge_count);
  storage.edge_types[my.edge_count] = type;
  storage.edge_values.append(my.edge_count, value.value_or(impl::no_value));
  if (rank != 0) storage.edge_ranks.push(impl::ranked(my.edge_count) | rank);

  auto const influence = influence_of(type, storage.types[number(from)]);
  if (influence == schema::Influence::none) {
    my.append(ListKind::relations_from, number(from), to, edge);
    my.append(ListKind::relations_to, number(to), from, edge);
  } else {
    auto const is_along = influence == schema::Influence::along;
    auto const cause = is_along ? from : to;
    auto const effect = is_along ? to : from;
    my.append(ListKind::causes, number(effect), cause, edge);
    my.append(ListKind::effects, number(cause), effect, edge);
  }
  ++my.edge_count;
  storage.edges_made[static_cast<std::size_t>(type)].add_one(my.last_tx);
  return edge;
}

/// The row of a vertex, an empty one where it had none.
impl::ExtraRow& Graph::Impl::extra_of(std::uint32_t vertex) {
  if (auto* const known = storage.extra_of(vertex)) return *known;
  storage.extras.ensure(storage.extras_made);
  auto& row = storage.extras[storage.extras_made];
  for (auto& header : row.relations) header.block.store(nullptr, std::memory_order_relaxed);
  row.clear();
  storage.extra_places[vertex].store(++storage.extras_made, std::memory_order_release);
  return row;
}

ListHeader& Graph::Impl::header_of(ListKind kind, std::uint32_t vertex) {
  return is_influence(kind) ? storage.lists(kind)[vertex] : extra_of(vertex).relations[relation_place(kind)];
}

void Graph::Impl::append(ListKind kind, std::uint32_t vertex, VertexId neighbour, EdgeId edge) {
  auto& header = header_of(kind, vertex);
  auto const capacity = header.capacity();
  if (header.count.load(std::memory_order_relaxed) == capacity) grow(header, next_capacity(capacity));
  if (vertex < published_vertices) undo_lists.push_back({kind, vertex});
  impl::append(header, neighbour, edge);
  bool const may_be_hidden = storage.types[number(neighbour)] == RecordType::xml_message_attachment;
  if (may_be_hidden && storage.visible_list(opposite_of(kind), number(neighbour), edge_count).is_marked)
    impl::mark(header);
}

void Graph::Impl::grow(ListHeader& header, std::uint32_t capacity) {
  auto const bytes_before = header.capacity() == 0 ? 0 : impl::Block::bytes_for(header.capacity());
  epoch->blocks.emplace_back();  // readers may hold the old block, so there is a place for it before it is replaced
  auto old = impl::grow(header, capacity);
  if (storage.is_in_image(old.get())) static_cast<void>(old.release());
  if (old) {
    epoch->blocks.back() = std::move(old);
  } else {
    epoch->blocks.pop_back();
  }
  storage.block_bytes.fetch_add(impl::Block::bytes_for(capacity) - bytes_before, std::memory_order_relaxed);
}

std::uint32_t Graph::revise(VertexId v, RevisionKind kind) {
  auto& my = *impl_;
  auto& storage = my.storage;
  assert(my.is_open);
  assert(my.is_visible(v));
  auto const row = my.revision_count;
  auto& head = my.extra_of(number(v)).revision_head;
  auto const previous = head.load(std::memory_order_relaxed);
  auto const is_first = previous == impl::no_revision;
  std::uint32_t const revision = is_first ? 1 : storage.revisions[previous].number + 1U;
  assert(revision <= schema::revisions_max);
  auto const is_skipped = !is_first && storage.revisions[previous].kind == RevisionKind::update;
  storage.revisions.ensure(row);
  if (number(v) < my.published_vertices) my.undo_revisions.push_back(number(v));
  ++my.revision_count;
  storage.revisions[row] = {.previous = previous,
                            .needed = is_skipped ? storage.revisions[previous].needed : previous,
                            .tx = my.last_tx,
                            .vertex = number(v),
                            .number = revision & schema::revisions_max,
                            .kind = kind};
  head.store(row, std::memory_order_release);
  return revision;
}

void Graph::hide(VertexId v) {
  auto& my = *impl_;
  auto& storage = my.storage;
  assert(my.is_open);
  assert(my.is_visible(v));
  assert(storage.created[number(v)] < my.last_tx);
  auto& extra = my.extra_of(number(v));
  if (number(v) < my.published_vertices) my.undo_hides.push_back(number(v));
  for (auto const kind : {ListKind::causes, ListKind::effects, ListKind::relations_from, ListKind::relations_to}) {
    my.hide_edges(kind, number(v));
  }
  storage.has_hidden.store(true, std::memory_order_relaxed);
  storage.hidden_vertices[static_cast<std::size_t>(storage.types[number(v)])].add_one(my.last_tx);
  extra.hidden.store(my.last_tx, std::memory_order_relaxed);
}

/// Marks a list of a vertex and the lists that name it: some snapshots do not show it.
void Graph::Impl::mark_edges(ListKind kind, std::uint32_t vertex) {
  auto const list = storage.visible_list(kind, vertex, edge_count);
  if (list.size() == 0) return;
  impl::mark(header_of(kind, vertex));
  for (auto const neighbour : list.vertices) impl::mark(header_of(opposite_of(kind), number(neighbour)));
}

/// Marks a list of a vertex about to be deleted and the lists that name it, and counts its edges. Those to neighbours
/// deleted before were counted then. No edge leads from a vertex to itself, so none is met twice.
void Graph::Impl::hide_edges(ListKind kind, std::uint32_t vertex) {
  auto const list = storage.visible_list(kind, vertex, edge_count);
  if (list.size() == 0) return;
  impl::mark(header_of(kind, vertex));
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (!is_visible(list.vertices[i])) continue;
    impl::mark(header_of(opposite_of(kind), number(list.vertices[i])));
    auto const type = storage.edge_types[number(list.edges[i])];
    storage.hidden_edges[static_cast<std::size_t>(type)].add_one(last_tx);
  }
}

void Graph::forget_contents(VertexId v, GoneWhy why) {
  auto& my = *impl_;
  assert(my.is_open);
  assert(number(v) < my.vertex_count);
  auto const latest = my.storage.revision_at(number(v), my.last_tx - 1);
  (void)my.extra_of(number(v));  // `publish` must not fail
  auto const count = latest == impl::no_revision ? 1 : my.storage.revisions[latest].number + 1U;
  auto const bit = why == GoneWhy::purged ? impl::GoneContents::purged : 0;
  my.forgotten.push_back({number(v), count | bit});
  if (why == GoneWhy::purged && my.storage.types[number(v)] == RecordType::xml_message_attachment) {
    for (auto const kind : {ListKind::causes, ListKind::effects, ListKind::relations_from, ListKind::relations_to})
      my.mark_edges(kind, number(v));
  }
  set_state(v, why == GoneWhy::purged ? StateCause::purged : StateCause::expired, pending().state(v));
}

void Graph::set_state(VertexId unit, StateCause cause, UnitState state) {
  auto& my = *impl_;
  assert(my.is_open);
  assert(number(unit) < my.vertex_count);
  auto const row = my.state_count;
  auto& head = my.extra_of(number(unit)).state_head;
  my.storage.states.ensure(row);
  if (number(unit) < my.published_vertices) my.undo_states.push_back(number(unit));
  ++my.state_count;
  my.storage.states[row] = {head.load(std::memory_order_relaxed), my.last_tx, state, cause};
  head.store(row, std::memory_order_release);
}

void Graph::end() {
  auto& my = *impl_;
  assert(my.is_open);
  auto& row = my.storage.transactions[my.last_tx];
  row.vertex_count = my.vertex_count;
  row.edge_count = my.edge_count;
  my.is_open = false;
}

void Graph::publish() {
  auto& my = *impl_;
  assert(!my.is_open);
  my.published_tx = my.last_tx;
  my.published_vertices = my.vertex_count;
  my.published_edges = my.edge_count;
  my.published_other_values = my.storage.edge_values.others_count();
  my.published_arena = my.arena.mark();
  my.undo_lists.clear();
  my.undo_states.clear();
  my.undo_revisions.clear();
  my.undo_hides.clear();
  for (auto const& each : my.forgotten) {
    my.storage.extra_of(each.vertex)->gone.store(each.gone, std::memory_order_relaxed);
  }
  if (!my.forgotten.empty()) my.storage.has_gone.store(true, std::memory_order_relaxed);
  my.storage.gone_changes.fetch_add(my.forgotten.size(), std::memory_order_release);
  my.forgotten.clear();
  if (!my.epoch->empty()) {
    my.epoch->next = std::make_shared<Epoch>();
    my.epoch = my.epoch->next;
  }
  my.storage.id_bytes.store(my.image_id_bytes + my.arena.bytes(), std::memory_order_relaxed);
  my.storage.other_values.store(my.published_other_values, std::memory_order_relaxed);
  my.storage.extra_rows.store(my.storage.extras_made, std::memory_order_relaxed);
  my.storage.state_rows.store(my.state_count, std::memory_order_relaxed);
  my.storage.revision_rows.store(my.revision_count, std::memory_order_release);  // followers read the rows
  my.storage.published.set({.tx = my.published_tx, .epoch = my.epoch});
}

void Graph::rollback() {
  auto& my = *impl_;
  my.forgotten.clear();
  my.restore_published();
  my.forget_vertices();
  my.forget_counts();
  my.arena.rewind(my.published_arena);
  my.edge_count = my.published_edges;
  my.storage.edge_values.cut_others(my.published_other_values);
  my.storage.edge_ranks.cut(my.storage.edge_ranks.count_below(impl::ranked(my.edge_count)));
  my.last_tx = my.published_tx;
  my.is_open = false;
}

void Graph::Impl::restore_published() {
  for (auto const& change : undo_lists) {
    auto& count = header_of(change.kind, change.vertex).count;
    count.store(count.load(std::memory_order_relaxed) - 1, std::memory_order_release);
  }
  for (auto const unit : undo_states) {
    auto& head = extra_of(unit).state_head;
    head.store(storage.states[head.load(std::memory_order_relaxed)].previous, std::memory_order_release);
  }
  for (auto const v : undo_revisions) {
    auto& head = extra_of(v).revision_head;
    head.store(storage.revisions[head.load(std::memory_order_relaxed)].previous, std::memory_order_release);
  }
  for (auto const v : undo_hides) extra_of(v).hidden.store(impl::never_hidden, std::memory_order_relaxed);
  undo_lists.clear();
  undo_states.clear();
  undo_revisions.clear();
  undo_hides.clear();
}

void Graph::Impl::forget_vertices() {
  auto* const table = storage.id_table.load(std::memory_order_relaxed);
  while (vertex_count > published_vertices) {
    auto const v = --vertex_count;
    auto const type = storage.types[v];
    auto const hash = impl::hash_of(storage.hash_key, type, storage.id_at(v));
    auto const slot = table->erase(hash, VertexId{v});
    if (next_ids) next_ids->erased(slot, hash, VertexId{v});
    auto& same_type = storage.vertices_by_type[static_cast<std::size_t>(type)];
    same_type.cut(same_type.size() - 1);
    for (auto& headers : storage.influence_headers) forget_block(headers[v]);
    if (auto* const extra = storage.extra_of(v)) {
      for (auto& header : extra->relations) forget_block(header);
      extra->clear();
    }
  }
  storage.vertices_made = vertex_count;
}

/// Of a vertex that no reader sees, so the block needs no epoch.
void Graph::Impl::forget_block(ListHeader& header) noexcept {
  if (header.capacity() == 0) return;
  storage.block_bytes.fetch_sub(impl::Block::bytes_for(header.capacity()), std::memory_order_relaxed);
  auto const dropped = header.release();
}

void Graph::Impl::forget_counts() {
  for (auto& count : storage.edges_made) count.roll_back_to(published_tx);
  for (auto& count : storage.hidden_edges) count.roll_back_to(published_tx);
  for (auto& count : storage.hidden_vertices) count.roll_back_to(published_tx);
}

Snapshot Graph::pending() const {
  return impl::Access::make(impl_->storage, impl_->epoch, impl_->last_tx, impl_->vertex_count, impl_->edge_count);
}

Snapshot Graph::snapshot() const {
  auto published = impl_->storage.published.copy();
  auto const& row = impl_->storage.transactions[published.tx];
  return impl::Access::make(impl_->storage, std::move(published.epoch), published.tx, row.vertex_count, row.edge_count);
}

MemoryUse Graph::memory() const {
  auto const now = snapshot();  // keeps the table of ids alive
  auto const& storage = impl_->storage;
  auto const column_bytes = sizeof(RecordType) + sizeof(std::uint32_t) + sizeof(impl::VertexTime) +
                            sizeof(char const*) + 2 * sizeof(std::uint32_t);  // places of the extra row, among its type
  auto const extra_rows = storage.extra_rows.load(std::memory_order_relaxed);
  auto const table_bytes = storage.id_table.load(std::memory_order_acquire)->bytes();
  return {.adjacency = storage.block_bytes.load(std::memory_order_relaxed) +
                       now.vertex_count() * impl::influence_kind_count * sizeof(ListHeader) +
                       extra_rows * sizeof(impl::ExtraRow::relations) +
                       now.edge_count() * (sizeof(std::uint32_t) + sizeof(EdgeType)) +
                       storage.other_values.load(std::memory_order_relaxed) * sizeof(double),
          .vertices = now.vertex_count() * column_bytes +
                      extra_rows * (sizeof(impl::ExtraRow) - sizeof(impl::ExtraRow::relations)) +
                      storage.id_bytes.load(std::memory_order_relaxed) + table_bytes,
          .states = storage.state_rows.load(std::memory_order_relaxed) * sizeof(impl::StateRow) +
                    storage.revision_rows.load(std::memory_order_relaxed) * sizeof(impl::RevisionRow)};
}

}  // namespace whence::graph
