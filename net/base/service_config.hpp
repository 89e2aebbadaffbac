#pragma once
// The settings of a service: the limits an operator may change, and where its log goes.

#include "net/base/log.hpp"
#include "queries/retention/retention.hpp"
#include "schema/proof/signed_note.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace whence::net {

class Tracer;

/// Of a log: so that a checkpoint with the signatures of all witnesses is a note that everybody reads.
inline constexpr std::size_t witnesses_max = 64;

/// The settings of one service. A plain value; the defaults serve a workstation.
struct ServiceConfig {
  std::uint32_t page_max = 10'000;
  std::uint32_t batch_max = 1'000;                         ///< requests in one JSON-RPC batch
  std::uint64_t vertices_max = 50'000'000;                 ///< reached by one evaluation; then `reason: "nodes"`
  std::chrono::milliseconds read_timeout{30'000};          ///< of a read that names no `timeout_ms`
  std::chrono::milliseconds timeout_max{60'000};           ///< a longer `timeout_ms` of a read is cut to this
  std::chrono::milliseconds timeout_max_admin{3'600'000};  ///< likewise, of the role admin
  std::size_t cursor_cache_bytes = std::size_t{64} << 20;  ///< evaluated answers kept for their next page
  unsigned workers = 4;  ///< threads for evaluations that leave the I/O threads; one peer has all but one at most
  std::uint64_t inline_steps_max = 4'000;  ///< evaluation steps tried on the calling thread before a worker takes over
  std::size_t request_memory_bytes = 0;    ///< for all that requests and answers hold; 0: `MemoryBudget`'s default
  bool takes_file_edits = false;           ///< what is edited in a discussion's file becomes what the store holds
  bool repairs_token_sync = false;         ///< likewise, and a count that is a little off is written anew
  bool validates_token_sync = false;       ///< compare a discussion's file with the store when its context is loaded
  queries::RetentionRules retention = {};  ///< how long contents are kept
  std::vector<schema::proof::VerifierKey> witnesses = {};  ///< whose cosignatures of the log are kept
  std::string namespace_name = {};      ///< what its store is called; empty: the one at the server's root
  std::shared_ptr<Tracer> tracer = {};  ///< gets the requests that were answered; null: they are not traced
  LogSink log = {};                     ///< receives what happens; empty: nothing is logged
  LogSink reads = {};                   ///< receives who read what; empty: that is not logged
};

}  // namespace whence::net
