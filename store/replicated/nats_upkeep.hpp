#pragma once
// What an operator asks of a stream, and does to it, beside the nodes.

#include "schema/base/error.hpp"
#include "schema/base/ids.hpp"
#include "store/replicated/nats_address.hpp"
#include "store/replicated/shared_log.hpp"

#include <cstdint>
#include <string>

namespace whence::store {

struct NatsLogState {
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;            ///< on each server that has a copy
  schema::TxId begins_after{0};       ///< a store needs this transaction to join
  schema::TxId head{0};               ///< the last transaction in the stream
  std::uint64_t replicas = 0;         ///< copies that there are to be
  std::uint64_t replicas_behind = 0;  ///< copies that lack something, or whose server is away
  std::string leader = {};            ///< the server that orders it; empty: none now, or the server is alone
};

/// Fails with `not_found` where there is no such stream, `busy` where the log does not answer.
[[nodiscard]] Result<NatsLogState> read_log_state(NatsOptions options);

/// Removes what a store with the head `head` does not need to join: all before the group that made `head`, which
/// `check` must accept. Fails as `read_log_state`; with `conflict` where the stream has another history than `head`,
/// `resume_impossible` where it begins after it: then nothing is removed. Returns the state afterwards.
[[nodiscard]] Result<NatsLogState> trim_log(NatsOptions options, schema::TxId head, SharedLog::CheckHead const& check);

}  // namespace whence::store
