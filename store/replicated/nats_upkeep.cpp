#include "store/replicated/nats_upkeep.hpp"

#include "store/replicated/nats_stream.hpp"

#include <utility>

namespace whence::store {
namespace {

using schema::TxId;

Result<NatsLogState> state_of(NatsStream& stream, jsStreamInfo const& info) {
  NatsLogState state{.messages = info.State.Msgs,
                     .bytes = info.State.Bytes,
                     .replicas = static_cast<std::uint64_t>(info.Config->Replicas)};
  if (auto const* const cluster = info.Cluster; cluster != nullptr) {
    if (cluster->Leader != nullptr) state.leader = cluster->Leader;
    for (int i = 0; i < cluster->ReplicasLen; ++i) {
      auto const& replica = *cluster->Replicas[i];
      if (replica.Offline || !replica.Current) ++state.replicas_behind;
    }
  }
  if (state.messages == 0) return state;
  // Messages that no node has written may be anywhere.
  auto at = info.State.FirstSeq;
  auto first = stream.label_of(at);
  while (first && !*first && at < info.State.LastSeq) first = stream.label_of(++at);
  if (!first) return first.error();
  auto until = info.State.LastSeq;
  auto last = stream.label_of(until);
  while (last && !*last && until > at) last = stream.label_of(--until);
  if (!last) return last.error();
  if (*first) state.begins_after = (*first)->base;
  if (*last) state.head = (*last)->head;
  return state;
}

Result<NatsStreamInfo> open(NatsStream& stream) {
  if (auto connected = stream.connect(); !connected) return connected.error();
  return stream.info(NatsStream::Missing::is_error);
}

}  // namespace

Result<NatsLogState> read_log_state(NatsOptions options) {
  NatsStream stream(std::move(options), nullptr, nullptr);
  auto const info = open(stream);
  if (!info) return info.error();
  return state_of(stream, **info);
}

Result<NatsLogState> trim_log(NatsOptions options, TxId head, SharedLog::CheckHead const& check) {
  NatsStream stream(std::move(options), nullptr, nullptr);
  auto const before = open(stream);
  if (!before) return before.error();
  auto const& held = (*before)->State;
  auto const place = stream.find_place(head, check, held.FirstSeq, held.LastSeq);
  if (!place) return place.error();
  if (place->group > held.FirstSeq) {
    if (auto const removed = stream.remove_before(place->group); !removed) return removed.error();
  }
  auto const after = stream.info(NatsStream::Missing::is_error);
  if (!after) return after.error();
  return state_of(stream, **after);
}

}  // namespace whence::store
