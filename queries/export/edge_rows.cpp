// Sorting by numbers: the refs at the ends of a slice are ordered once, each of them, and edges compare their places.

#include "queries/export/edge_rows.hpp"

#include "queries/export/describe.hpp"
#include "queries/view/order.hpp"
#include "schema/types/ref.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace whence::exports {
namespace {

using schema::EdgeType;
using schema::VertexId;

/// The place of each type among the names of all; a variant has the name of its type.
std::array<std::uint8_t, schema::edge_type_count> places_by_name() {
  std::array<std::uint8_t, schema::edge_type_count> places{};
  for (std::size_t one = 1; one < places.size(); ++one) {
    for (std::size_t other = 1; other < places.size(); ++other) {
      if (schema::name_of(static_cast<EdgeType>(other)) < schema::name_of(static_cast<EdgeType>(one))) ++places[one];
    }
  }
  return places;
}

}  // namespace

void EdgeRows::set(EdgeSlice const& slice) {
  slice_ = &slice;
  collect_ends();
  rank_ends();
  sort_rows();
}

void EdgeRows::collect_ends() {
  vertices_.clear();
  end_places_.clear();
  slots_.assign(std::bit_ceil(std::max<std::size_t>(slice_->edges.size() * 4, 1)), 0);  // at most half full
  for (auto const& edge : slice_->edges) {
    auto const from = place_of(edge.from);
    end_places_.emplace_back(from, place_of(edge.to));
  }
}

std::uint32_t EdgeRows::place_of(VertexId vertex) {
  auto const mask = slots_.size() - 1;
  // Numbers often follow one another; the multiplication spreads them (Fibonacci hashing).
  auto slot = static_cast<std::size_t>((schema::number(vertex) * std::uint64_t{0x9e37'79b9'7f4a'7c15}) >> 32U) & mask;
  for (; slots_[slot] != 0; slot = (slot + 1) & mask) {
    if (vertices_[slots_[slot] - 1] == vertex) return slots_[slot] - 1;
  }
  vertices_.push_back(vertex);
  slots_[slot] = static_cast<std::uint32_t>(vertices_.size());
  return slots_[slot] - 1;
}

void EdgeRows::rank_ends() {
  auto const& snapshot = view_.snapshot;
  ends_.clear();
  refs_.clear();
  for (auto const vertex : vertices_) {
    auto const begin = refs_.size();
    schema::append_ref(refs_, snapshot.type(vertex), snapshot.id(vertex));
    ends_.push_back({begin, refs_.size() - begin, 0});
  }
  // No two nodes of an export have the same ref.
  std::uint32_t rank = 0;
  for (auto const place : queries::ref_order(snapshot, vertices_)) ends_[place].rank = rank++;
}

void EdgeRows::sort_rows() {
  static std::array<std::uint8_t, schema::edge_type_count> const type_places = places_by_name();
  auto const& snapshot = view_.snapshot;
  rows_.clear();
  for (std::uint32_t i = 0; i < slice_->edges.size(); ++i) {
    auto const [from, to] = end_places_[i];
    auto const edge = slice_->edges[i].edge;
    auto const type = std::uint64_t{type_places[static_cast<std::size_t>(snapshot.type(edge))]};
    rows_.push_back({.ends = std::uint64_t{ends_[from].rank} << 32U | ends_[to].rank,
                     .type = type << 32U | schema::number(edge),
                     .edge = i});
  }
  std::size_t begin = 0;
  for (auto const& transaction : slice_->transactions) {
    std::sort(rows_.begin() + static_cast<std::ptrdiff_t>(begin),
              rows_.begin() + static_cast<std::ptrdiff_t>(transaction.end),
              [](Row const& a, Row const& b) { return a.ends != b.ends ? a.ends < b.ends : a.type < b.type; });
    begin = transaction.end;
  }
}

Edge EdgeRows::edge_of(Row const& row, schema::TxId tx, std::string_view tx_text) {
  auto const& snapshot = view_.snapshot;
  auto const& edge = slice_->edges[row.edge];
  auto const [from, to] = end_places_[row.edge];
  take_carried(view_, edge, carried_);
  return {.from_vertex = edge.from,
          .to_vertex = edge.to,
          .type = snapshot.type(edge.edge),
          .from_type = snapshot.type(edge.from),
          .from = ref(from),
          .to = ref(to),
          .tx = tx,
          .tx_text = tx_text,
          .carried = carried_};
}

}  // namespace whence::exports
