// The readers' side: every answer is cut to what the snapshot's transaction had.
#include "graph/snapshot.hpp"

#include "graph/impl/arena.hpp"
#include "graph/impl/storage.hpp"

#include <cassert>
#include <utility>

namespace whence::graph {

using impl::ListKind;
using schema::number;

namespace {

constexpr std::uint32_t narrow(TxId tx) noexcept {
  return static_cast<std::uint32_t>(number(tx));
}

/// The least number in [low, high) for which `holds` is true, `high` if none; `holds` stays true once it is.
template <class Holds>
std::uint32_t first_where(std::uint32_t low, std::uint32_t high, Holds const& holds) {
  while (low < high) {
    auto const middle = low + (high - low) / 2;
    if (holds(middle)) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

}  // namespace

std::string_view name_of(UnitStatus status) noexcept {
  switch (status) {
    case UnitStatus::active:
      return "active";
    case UnitStatus::updated:
      return "updated";
    case UnitStatus::deprecated:
      return "deprecated";
  }
  return "";
}

Snapshot::Snapshot(impl::Storage const& storage, std::shared_ptr<Epoch const> epoch, std::uint32_t tx,
                   std::uint32_t vertex_count, std::uint32_t edge_count)
    : storage_{&storage}, epoch_{std::move(epoch)}, tx_{tx}, vertex_count_{vertex_count}, edge_count_{edge_count} {}

schema::Time Snapshot::at() const {
  return committed_at(tx_);
}

schema::Time Snapshot::committed_at(TxId tx) const {
  assert(tx <= tx_);
  return storage_->transactions[narrow(tx)].at;
}

std::uint64_t Snapshot::vertex_count(RecordType type) const {
  return storage_->vertices_by_type[static_cast<std::size_t>(type)].count_below(vertex_count_);
}

std::uint64_t Snapshot::edge_count(EdgeType type) const {
  auto const& counts = storage_->edge_counts_by_type[static_cast<std::size_t>(type)];
  auto const entries = counts.count_below((number(tx_) + 1) << 32);
  return entries == 0 ? 0 : counts.at(entries - 1) & 0xffff'ffff;
}

std::optional<VertexId> Snapshot::find(RecordType type, std::string_view id) const {
  auto const& table = *storage_->id_table.load(std::memory_order_acquire);
  auto const is_it = [&](VertexId v) { return contains(v) && this->type(v) == type && this->id(v) == id; };
  return table.find(impl::hash_of(storage_->hash_key, type, id), is_it);
}

RecordType Snapshot::type(VertexId v) const noexcept {
  return storage_->types[number(v)];
}

std::string_view Snapshot::id(VertexId v) const noexcept {
  return storage_->id_at(number(v));
}

std::optional<schema::Time> Snapshot::time(VertexId v) const noexcept {
  auto const& time = storage_->times[number(v)];
  if (time.nanos == impl::VertexTime::none) return {};
  return schema::Time{time.seconds, time.nanos};
}

TxId Snapshot::created(VertexId v) const noexcept {
  return TxId{storage_->created[number(v)]};
}

std::vector<VertexId> Snapshot::vertices(RecordType type) const {
  auto const& numbers = storage_->vertices_by_type[static_cast<std::size_t>(type)];
  auto const count = numbers.count_below(vertex_count_);
  std::vector<VertexId> vertices(count);
  for (std::uint32_t i = 0; i < count; ++i) vertices[i] = VertexId{numbers.at(i)};
  return vertices;
}

Neighbours Snapshot::causes(VertexId v) const noexcept {
  return visible(storage_->lists(ListKind::causes)[number(v)], edge_count_);
}

Neighbours Snapshot::effects(VertexId v) const noexcept {
  return visible(storage_->lists(ListKind::effects)[number(v)], edge_count_);
}

Neighbours Snapshot::relations_from(VertexId v) const noexcept {
  return visible(storage_->lists(ListKind::relations_from)[number(v)], edge_count_);
}

Neighbours Snapshot::relations_to(VertexId v) const noexcept {
  return visible(storage_->lists(ListKind::relations_to)[number(v)], edge_count_);
}

EdgeType Snapshot::type(EdgeId e) const noexcept {
  return storage_->edge_types[number(e)];
}

double Snapshot::path_weight(EdgeId e) const noexcept {
  return storage_->path_weight(number(e));
}

std::optional<double> Snapshot::value(EdgeId e) const noexcept {
  auto const value = storage_->edge_values[number(e)];
  if (std::isnan(value)) return {};
  return value;
}

TxId Snapshot::tx(EdgeId e) const noexcept {
  auto const& rows = storage_->transactions;
  return TxId{first_where(1, narrow(tx_), [&](std::uint32_t tx) { return rows[tx].edge_count > number(e); })};
}

EdgeView Snapshot::edge(VertexId cause_or_from, VertexId effect_or_to, EdgeId e) const noexcept {
  // Where influence runs against the arrow, the effect is the drawn `from`. For a relation, the second end has no rule
  // as `from` or one without influence.
  auto const edge_type = type(e);
  auto const is_against = influence_of(edge_type, type(effect_or_to)) == schema::Influence::against;
  return {.from = is_against ? effect_or_to : cause_or_from,
          .to = is_against ? cause_or_from : effect_or_to,
          .type = edge_type,
          .tx = tx(e),
          .value = value(e)};
}

UnitState Snapshot::state(VertexId v) const {
  auto row = storage_->state_heads[number(v)].load(std::memory_order_acquire);
  while (row != impl::no_state && storage_->states[row].tx > number(tx_)) row = storage_->states[row].previous;
  return row == impl::no_state ? UnitState{} : storage_->states[row].state;
}

std::vector<StateChange> Snapshot::state_changes(VertexId v) const {
  std::vector<StateChange> changes;
  auto row = storage_->state_heads[number(v)].load(std::memory_order_acquire);
  for (; row != impl::no_state; row = storage_->states[row].previous) {
    auto const& change = storage_->states[row];
    if (change.tx <= number(tx_)) changes.push_back({TxId{change.tx}, change.cause, change.state});
  }
  return {changes.rbegin(), changes.rend()};
}

Snapshot Snapshot::as_of(TxId tx) const {
  assert(tx <= tx_);
  if (tx == tx_) return *this;
  auto const& row = storage_->transactions[narrow(tx)];
  return {*storage_, epoch_, narrow(tx), row.vertex_count, row.edge_count};
}

TxId Snapshot::last_tx_at(schema::Time time) const {
  auto const& rows = storage_->transactions;
  return TxId{first_where(1, narrow(tx_) + 1, [&](std::uint32_t tx) { return rows[tx].at > time; }) - 1};
}

}  // namespace whence::graph
