// Reading a subscription's past.

#include "net/live/replay.hpp"

#include "engine/engine.hpp"

#include <numeric>
#include <utility>

namespace whence::net {

namespace {

constexpr std::uint32_t nodes_per_step = 512;
constexpr std::uint32_t steps_max = 64;  ///< of one slice, also where nothing matches

queries::View view_at(queries::View const& head, schema::TxId tx) {
  queries::View view = head;
  view.snapshot = head.snapshot.as_of(tx);
  return view;
}

}  // namespace

Replay::Replay(engine::Engine const& engine, queries::Match const& match, queries::EventParts parts,
               schema::TxId position, bool has_snapshot)
    : engine_(engine), match_(match), parts_(parts), position_(position) {
  if (has_snapshot) next_node_ = 0;
  for (auto& spec : queries::walks_of(match_)) walks_.emplace_back(std::move(spec));
}

Result<void> Replay::read(queries::View const& head, std::size_t bytes_max, std::size_t transactions_max,
                          Slice& slice) {
  if (!is_started_) {
    for (auto& walk : walks_) walk.start(head.snapshot.as_of(position_));
    is_started_ = true;
  }
  if (next_node_) return read_nodes(head, bytes_max, slice);
  return read_transactions(head, bytes_max, transactions_max, slice);
}

std::size_t Replay::weight() const noexcept {
  std::size_t bytes = 0;
  for (auto const& walk : walks_) bytes += walk.weight();
  return bytes;
}

Result<void> Replay::read_nodes(queries::View const& head, std::size_t bytes_max, Slice& slice) {
  auto const view = view_at(head, position_);
  auto const count = view.snapshot.vertex_count();
  for (std::uint32_t step = 0; step < steps_max && *next_node_ < count && slice.bytes < bytes_max; ++step) {
    auto const end = std::min(count, *next_node_ + nodes_per_step);
    std::vector<queries::VertexId> nodes;
    for (auto node = *next_node_; node < end; ++node) {
      if (!view.snapshot.is_deleted(queries::VertexId{node})) nodes.push_back(queries::VertexId{node});
    }
    queries::Events events(view, nodes);
    if (auto taken = take(events, slice); !taken) return taken;
    next_node_ = end;
  }
  if (*next_node_ >= count) next_node_.reset();
  return {};
}

Result<void> Replay::read_transactions(queries::View const& head, std::size_t bytes_max, std::size_t transactions_max,
                                       Slice& slice) {
  Result<void> taken;
  auto const read = engine_.read_deltas(schema::next(position_), head.snapshot, [&](graph::Delta&& delta) {
    auto const view = view_at(head, delta.tx);
    queries::Events events(view, std::move(delta));
    for (auto& walk : walks_) walk.advance(events.view().snapshot, events.delta());
    taken = take(events, slice);
    if (!taken) return false;
    position_ = events.delta().tx;
    return --transactions_max > 0 && slice.bytes < bytes_max;
  });
  return taken ? read : taken;
}

Result<void> Replay::take(queries::Events& events, Slice& slice) {
  std::vector<queries::Standing const*> walks;
  for (auto const& walk : walks_) walks.push_back(&walk);
  auto selected = events.select(match_, walks);
  if (!selected) return selected.error();
  if (selected->empty()) return {};
  auto texts = queries::EventTexts::make(events, *selected, parts_);
  if (!texts) return texts.error();
  auto shared = std::make_shared<queries::EventTexts const>(std::move(*texts));
  slice.bytes += shared->bytes();
  slice.deliveries.push_back({std::move(shared),
                              std::make_shared<std::vector<std::uint32_t> const>(std::move(*selected)),
                              events.is_snapshot()});
  return {};
}

}  // namespace whence::net
