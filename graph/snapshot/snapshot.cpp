// The readers' side: every answer is cut to what the snapshot's transaction had.
#include "graph/snapshot/snapshot.hpp"

#include "graph/storage/arena.hpp"
#include "graph/storage/storage.hpp"

#include <algorithm>
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

bool is_known_as(Snapshot const& snapshot, VertexId v, RecordType type, std::string_view id) noexcept {
  return snapshot.contains(v) && snapshot.type(v) == type && snapshot.id(v) == id;
}

Neighbours ever(impl::ListView const& list) noexcept {
  return {list.vertices, list.edges};
}

/// What `Neighbours::kept` owns.
struct Kept {
  std::vector<VertexId> vertices;
  std::vector<EdgeId> edges;
};

/// The list itself where none of it is left out, else a copy of the rest.
template <class Predicate>
Neighbours without(Neighbours all, Predicate const& is_left_out) {
  if (std::none_of(all.vertices.begin(), all.vertices.end(), is_left_out)) return all;
  auto kept = std::make_shared<Kept>();
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (is_left_out(all.vertices[i])) continue;
    kept->vertices.push_back(all.vertices[i]);
    kept->edges.push_back(all.edges[i]);
  }
  return {kept->vertices, kept->edges, kept};
}

/// A marked list as it is where it holds nothing deleted, else a copy without. Kept out of the way of the common case.
[[gnu::noinline]] Neighbours without_deleted(Snapshot const& snapshot, VertexId v, impl::ListView const& list) {
  auto const is_deleted = [&snapshot](VertexId each) { return snapshot.is_deleted(each); };
  if (is_deleted(v)) return {};
  return without({list.vertices, list.edges}, is_deleted);
}

Neighbours visible(Snapshot const& snapshot, VertexId v, impl::ListView const& list) {
  if (list.is_marked) return without_deleted(snapshot, v, list);
  return {list.vertices, list.edges};
}

}  // namespace

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
  auto const at = static_cast<std::size_t>(type);
  return storage_->vertices_by_type[at].count_below(vertex_count_) - storage_->hidden_vertices[at].as_of(number(tx_));
}

std::uint64_t Snapshot::edge_count(EdgeType type) const {
  auto const count = [&](EdgeType each) {
    auto const at = static_cast<std::size_t>(each);
    return storage_->edges_made[at].as_of(number(tx_)) - storage_->hidden_edges[at].as_of(number(tx_));
  };
  auto all = count(type);
  if (schema::named_type(type) != type) return all;  // a variant has none, although its relation has one
  schema::for_each_variant(type, [&](EdgeType variant) { all += count(variant); });
  return all;
}

std::uint64_t Snapshot::hash_of(RecordType type, std::string_view id) const noexcept {
  return impl::hash_of(storage_->hash_key, type, id);
}

std::optional<VertexId> Snapshot::find(RecordType type, std::string_view id) const {
  return find(type, id, hash_of(type, id));
}

std::optional<VertexId> Snapshot::find(RecordType type, std::string_view id, std::uint64_t hash) const {
  auto const& table = *storage_->id_table.load(std::memory_order_acquire);
  auto const is_it = [&](VertexId v) { return is_known_as(*this, v, type, id) && !is_deleted(v); };
  return table.find(hash, is_it);
}

std::optional<VertexId> Snapshot::find_deleted(RecordType type, std::string_view id) const {
  auto const& table = *storage_->id_table.load(std::memory_order_acquire);
  std::optional<VertexId> last;
  auto const is_visible = [&](VertexId v) {
    if (!is_known_as(*this, v, type, id) || is_hidden(v)) return false;
    if (!is_deleted(v)) return true;
    last = std::max(last, std::optional{v});
    return false;
  };
  auto const visible = table.find(impl::hash_of(storage_->hash_key, type, id), is_visible);
  return visible ? std::nullopt : last;
}

std::vector<VertexId> Snapshot::find_all_ever(RecordType type, std::string_view id) const {
  auto const& table = *storage_->id_table.load(std::memory_order_acquire);
  std::vector<VertexId> found;
  auto const collect = [&](VertexId v) {
    if (is_known_as(*this, v, type, id) && !is_hidden(v)) found.push_back(v);
    return false;
  };
  (void)table.find(impl::hash_of(storage_->hash_key, type, id), collect);
  std::sort(found.begin(), found.end());
  return found;
}

std::optional<TxId> Snapshot::deleted_at(VertexId v) const noexcept {
  if (!storage_->is_hidden(number(v), narrow(tx_))) return std::nullopt;
  return TxId{storage_->hidden_at(number(v))};
}

bool Snapshot::is_deleted(VertexId v) const noexcept {
  return storage_->is_hidden(number(v), narrow(tx_)) || is_hidden(v);
}

bool Snapshot::is_hidden(VertexId v) const noexcept {
  return hides_purged_texts_ && type(v) == RecordType::xml_message_attachment && gone(v) == GoneWhy::purged;
}

Neighbours Snapshot::without_hidden(Neighbours all) const {
  if (!hides_purged_texts_) return all;
  return without(std::move(all), [this](VertexId each) { return is_hidden(each); });
}

Snapshot Snapshot::hiding_purged_texts() const {
  auto hiding = *this;
  hiding.hides_purged_texts_ = true;
  return hiding;
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
  auto const at = static_cast<std::size_t>(type);
  auto const& numbers = storage_->vertices_by_type[at];
  std::vector<VertexId> vertices(numbers.count_below(vertex_count_));
  for (std::uint32_t i = 0; i < vertices.size(); ++i) vertices[i] = VertexId{numbers.at(i)};
  if (storage_->hidden_vertices[at].as_of(number(tx_)) != 0 || hides_purged_texts_) {
    std::erase_if(vertices, [this](VertexId v) { return is_deleted(v); });
  }
  return vertices;
}

std::vector<VertexId> Snapshot::deleted_vertices(RecordType type) const {
  auto const at = static_cast<std::size_t>(type);
  std::vector<VertexId> deleted;
  if (storage_->hidden_vertices[at].as_of(number(tx_)) == 0) return deleted;
  auto const& numbers = storage_->vertices_by_type[at];
  auto const count = numbers.count_below(vertex_count_);
  for (std::uint32_t i = 0; i < count; ++i) {
    if (deleted_at(VertexId{numbers.at(i)}) && !is_hidden(VertexId{numbers.at(i)}))
      deleted.push_back(VertexId{numbers.at(i)});
  }
  return deleted;
}

Neighbours Snapshot::causes(VertexId v) const {
  return without_hidden(visible(*this, v, storage_->visible_list(ListKind::causes, number(v), edge_count_)));
}

Neighbours Snapshot::effects(VertexId v) const {
  return without_hidden(visible(*this, v, storage_->visible_list(ListKind::effects, number(v), edge_count_)));
}

Neighbours Snapshot::relations_from(VertexId v) const {
  return without_hidden(visible(*this, v, storage_->visible_list(ListKind::relations_from, number(v), edge_count_)));
}

Neighbours Snapshot::relations_to(VertexId v) const {
  return without_hidden(visible(*this, v, storage_->visible_list(ListKind::relations_to, number(v), edge_count_)));
}

Neighbours Snapshot::causes_ever(VertexId v) const {
  return without_hidden(ever(storage_->visible_list(ListKind::causes, number(v), edge_count_)));
}

Neighbours Snapshot::effects_ever(VertexId v) const {
  return without_hidden(ever(storage_->visible_list(ListKind::effects, number(v), edge_count_)));
}

Neighbours Snapshot::relations_from_ever(VertexId v) const {
  return without_hidden(ever(storage_->visible_list(ListKind::relations_from, number(v), edge_count_)));
}

Neighbours Snapshot::relations_to_ever(VertexId v) const {
  return without_hidden(ever(storage_->visible_list(ListKind::relations_to, number(v), edge_count_)));
}

std::vector<std::uint32_t> Snapshot::contents(VertexId v) const {
  auto const& rows = storage_->revisions;
  std::vector<std::uint32_t> numbers;
  auto row = storage_->revision_at(number(v), narrow(tx_));
  while (row != impl::no_revision) {
    numbers.push_back(rows[row].number);
    if (rows[row].kind == RevisionKind::whole) break;
    row = rows[row].needed;
  }
  if (row == impl::no_revision) numbers.push_back(0);
  std::reverse(numbers.begin(), numbers.end());
  return numbers;
}

std::vector<Revision> Snapshot::revisions(VertexId v) const {
  auto const& rows = storage_->revisions;
  std::vector<Revision> revisions;
  auto row = storage_->revision_at(number(v), narrow(tx_));
  for (; row != impl::no_revision; row = rows[row].previous) {
    revisions.push_back({TxId{rows[row].tx}, rows[row].number, rows[row].kind});
  }
  std::reverse(revisions.begin(), revisions.end());
  return revisions;
}

std::uint32_t Snapshot::contents_count(VertexId v) const noexcept {
  auto const latest = storage_->revision_at(number(v), narrow(tx_));
  return latest == impl::no_revision ? 1 : storage_->revisions[latest].number + 1U;
}

std::optional<GoneWhy> Snapshot::gone(VertexId v) const noexcept {
  auto const gone = storage_->gone_of(number(v));
  if (gone == 0) return std::nullopt;
  auto const count = gone & impl::GoneContents::count_mask;
  for (auto row = storage_->revision_at(number(v), narrow(tx_)); row != impl::no_revision;) {
    auto const& revision = storage_->revisions[row];
    if (revision.number < count) break;
    if (revision.kind != RevisionKind::update) return std::nullopt;  // an update adds to what is there
    row = revision.previous;
  }
  return (gone & impl::GoneContents::purged) != 0 ? GoneWhy::purged : GoneWhy::expired;
}

EdgeType Snapshot::type(EdgeId e) const noexcept {
  return storage_->edge_types[number(e)];
}

double Snapshot::path_weight(EdgeId e) const noexcept {
  return storage_->path_weight(number(e));
}

std::uint32_t Snapshot::rank(EdgeId e) const noexcept {
  auto const& ranks = storage_->edge_ranks;
  auto const place = ranks.count_below(impl::ranked(number(e)));
  if (place >= ranks.size()) return 0;
  auto const found = ranks.at(place);
  return found >> 32U == number(e) ? static_cast<std::uint32_t>(found) : 0;
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
  // Where influence runs against the arrow, the effect is the stored `from`. For a relation, the second end has no rule
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
  auto const row = storage_->state_at(number(v), narrow(tx_));
  return row == impl::no_state ? UnitState{} : storage_->states[row].state;
}

std::vector<StateChange> Snapshot::state_changes(VertexId v) const {
  std::vector<StateChange> changes;
  auto row = storage_->state_head(number(v));
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
  Snapshot earlier{*storage_, epoch_, narrow(tx), row.vertex_count, row.edge_count};
  earlier.hides_purged_texts_ = hides_purged_texts_;
  earlier.is_earlier_ = true;
  return earlier;
}

TxId Snapshot::last_tx_at(schema::Time time) const {
  auto const& rows = storage_->transactions;
  return TxId{first_where(1, narrow(tx_) + 1, [&](std::uint32_t tx) { return rows[tx].at > time; }) - 1};
}

}  // namespace whence::graph
