#pragma once
// The methods of the transparency log: `log.bundle`, `log.checkpoint`, `log.consistency`, `log.cosign`, `log.proof`,
// `log.rotate`, `person.certificate`.

#include "net/rpc/method.hpp"
#include "schema/base/error.hpp"

#include <string>

#include <boost/json/object.hpp>

namespace whence::net {

// Each answers its result object as JSON text, and may wait a second for a tree that is being made anew: for a
// worker. Common failures: `invalid_params`, `busy` where the tree is not there yet.

/// What a record was made from, with the proofs (`make_bundle`). `not_found`, `limit_exceeded`.
[[nodiscard]] Result<std::string> log_bundle(ServiceState& service, boost::json::object const& params,
                                             Progress const& progress);
/// The newest checkpoint, the key of its signature, and what witnesses signed.
[[nodiscard]] Result<std::string> log_checkpoint(ServiceState& service, boost::json::object const& params,
                                                 Progress const& progress);
/// That one size of the tree continues another.
[[nodiscard]] Result<std::string> log_consistency(ServiceState& service, boost::json::object const& params,
                                                  Progress const& progress);
/// Keeps what witnesses signed of a checkpoint. `conflict` where this log's key signed what is not in its tree, which
/// is logged.
[[nodiscard]] Result<std::string> log_cosign(ServiceState& service, boost::json::object const& params,
                                             Progress const& progress);
/// A fresh key for the checkpoints, which the log records (`TransparencyLog::change_key`). `conflict`, as a write.
[[nodiscard]] Result<std::string> log_rotate(ServiceState& service, boost::json::object const& params,
                                             Progress const& progress);
/// One event and its proof. `not_found`.
[[nodiscard]] Result<std::string> log_proof(ServiceState& service, boost::json::object const& params,
                                            Progress const& progress);
/// What proves that somebody was erased, without naming them (`make_bundle`). `not_found`.
[[nodiscard]] Result<std::string> person_certificate(ServiceState& service, boost::json::object const& params,
                                                     Progress const& progress);

}  // namespace whence::net
