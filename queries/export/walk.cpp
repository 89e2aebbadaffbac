// The nodes of a small selection are read transaction by transaction, its edges from the graph, instead of searching
// the whole log. Everything else is one pass over the log, or over the numbers of nodes where these are in its order.

#include "queries/export/walk.hpp"

#include "queries/view/owned_edges.hpp"

#include <algorithm>
#include <utility>

namespace whence::exports {
namespace {

using graph::Delta;
using graph::DeltaEdge;
using graph::EventOp;
using queries::StoredEdge;
using schema::RecordType;
using schema::TxId;
using schema::VertexId;

constexpr std::size_t slice_numbers = 65'536;       ///< of nodes looked at for one slice
constexpr std::uint64_t slice_transactions = 8192;  ///< looked at while a read transaction is open
constexpr std::size_t small_selection = 65'536;

bool is_new(Delta const& delta, graph::DeltaEvent const& event) {
  bool const has_record = event.op == EventOp::put || event.op == EventOp::version;
  return has_record && number(event.vertex) >= delta.vertices_before;
}

/// Whether nodes of `types` have their numbers in the order of the log: all do but derived records, which are numbered
/// at the end of their transaction and shown behind their source.
bool are_numbers_in_order(Counts const& counts, schema::RecordTypeSet types) {
  return std::ranges::none_of(schema::record_types(), [&](schema::RecordTypeInfo const& row) {
    return row.is_extracted && counts.of(row.type) > 0 && (types.empty() || types.contains(row.type));
  });
}

}  // namespace

bool is_small(Selection const* selection) {
  return selection != nullptr && selection->vertices().size() <= small_selection;
}

Result<bool> LogReader::read(std::function<bool(Delta&&)> const& take) {
  if (next_ > scan_.view().snapshot.tx()) return false;
  std::uint64_t seen = 0;
  auto const read = scan_.source().read_deltas(next_, [&](Delta&& delta) {
    next_ = schema::next(delta.tx);
    bool const goes_on = take(std::move(delta));
    return goes_on && ++seen < slice_transactions;
  });
  if (!read) return read.error();
  return true;
}

NodeWalk::NodeWalk(Scan& scan, Counts const& counts, schema::RecordTypeSet types)
    : scan_(scan), types_(types), is_by_number_(are_numbers_in_order(counts, types)), log_(scan) {
  if (is_by_number_ || !is_small(scan.selection())) return;
  // Vertices are numbered in order of commit.
  for (auto const vertex : scan.selection()->vertices()) selected_.push_back(scan.view().snapshot.created(vertex));
  selected_.erase(std::unique(selected_.begin(), selected_.end()), selected_.end());
}

bool NodeWalk::wants(VertexId vertex) const {
  if (!types_.empty() && !types_.contains(scan_.view().snapshot.type(vertex))) return false;
  return scan_.wants(vertex);
}

/// Whether there is room for more.
bool NodeWalk::take(Delta const& delta, std::vector<VertexId>& slice) const {
  for (auto const& event : delta.events) {
    if (is_new(delta, event) && wants(event.vertex)) slice.push_back(event.vertex);
  }
  return slice.size() < slice_nodes;
}

Result<bool> NodeWalk::next(std::vector<VertexId>& slice) {
  slice.clear();
  scan_.rest();
  if (is_by_number_) return next_by_number(slice);
  if (is_small(scan_.selection())) return next_selected(slice);
  return log_.read([&](Delta const& delta) { return take(delta, slice); });
}

bool NodeWalk::next_by_number(std::vector<VertexId>& slice) {
  auto const* const selection = scan_.selection();
  auto const first = next_number_;
  auto const count = selection == nullptr ? scan_.view().snapshot.vertex_count() : selection->vertices().size();
  while (next_number_ < count && next_number_ - first < slice_numbers && slice.size() < slice_nodes) {
    auto const place = next_number_++;
    auto const vertex =
        selection == nullptr ? VertexId{static_cast<std::uint32_t>(place)} : selection->vertices()[place];
    if (wants(vertex)) slice.push_back(vertex);
  }
  return first < count;
}

Result<bool> NodeWalk::next_selected(std::vector<VertexId>& slice) {
  if (next_selected_ == selected_.size()) return false;
  for (bool has_room = true; has_room && next_selected_ < selected_.size(); ++next_selected_) {
    auto const read = scan_.source().read_deltas(selected_[next_selected_], [&](Delta const& delta) {
      has_room = take(delta, slice);
      return false;
    });
    if (!read) return read.error();
  }
  return true;
}

EdgeWalk::EdgeWalk(Scan& scan, std::function<bool(schema::EdgeType, RecordType)> takes)
    : scan_(scan), takes_(std::move(takes)), log_(scan) {
  if (is_small(scan.selection())) select();
}

bool EdgeWalk::wants(DeltaEdge const& edge) const {
  auto const& snapshot = scan_.view().snapshot;
  if (takes_ && !takes_(snapshot.type(edge.edge), snapshot.type(edge.from))) return false;
  return scan_.wants(edge);
}

void EdgeWalk::select() {
  std::vector<DeltaEdge> owned;
  for (auto const vertex : scan_.selection()->vertices()) {
    owned.clear();
    queries::append_owned_edges(scan_.view().snapshot, vertex, owned);
    for (auto const& edge : owned) {
      if (wants(edge)) selected_.push_back({edge.from, edge.to, edge.edge});
    }
  }
  // Edges are numbered in order of commit.
  std::ranges::sort(selected_, {}, &StoredEdge::edge);
}

Result<bool> EdgeWalk::next(EdgeSlice& slice) {
  slice.clear();
  scan_.rest();
  if (!is_small(scan_.selection())) {
    return log_.read([&](Delta const& delta) {
      for (auto const& event : delta.events) {
        for (auto const& edge : delta.edges_of(event)) {
          if (wants(edge)) slice.edges.push_back({edge.from, edge.to, edge.edge});
        }
      }
      slice.transactions.push_back({delta.tx, slice.edges.size()});
      return slice.edges.size() < slice_edges;
    });
  }
  if (next_selected_ == selected_.size()) return false;
  auto const& snapshot = scan_.view().snapshot;
  for (; next_selected_ < selected_.size(); ++next_selected_) {
    auto const tx = snapshot.tx(selected_[next_selected_].edge);
    bool const is_next = slice.transactions.empty() || slice.transactions.back().tx != tx;
    if (is_next && slice.edges.size() >= slice_edges) break;
    if (is_next) slice.transactions.push_back({tx, 0});
    slice.edges.push_back(selected_[next_selected_]);
    slice.transactions.back().end = slice.edges.size();
  }
  return true;
}

}  // namespace whence::exports
