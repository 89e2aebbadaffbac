#pragma once
// hold.set, hold.clear, person.erase and purge.* between their params and the engine's steps, and back.

#include "engine/values/write_answer.hpp"
#include "net/rpc/envelope.hpp"
#include "net/rpc/method.hpp"

#include <string>

#include <boost/json/object.hpp>

namespace whence::net {

// Each fails with `invalid_params` naming every wrong member; the engine validates what depends on the state.

[[nodiscard]] Result<WriteRequest> parse_hold_set(Request const& request);
[[nodiscard]] Result<WriteRequest> parse_hold_clear(Request const& request);
[[nodiscard]] Result<WriteRequest> parse_person_erase(Request const& request);
// Those of `purge.`, here and below, are defined in purge_calls.cpp.

[[nodiscard]] Result<WriteRequest> parse_purge_confirm(Request const& request);
[[nodiscard]] Result<WriteRequest> parse_purge_withdraw(Request const& request);

/// Appends `tx`, `ref` of the hold, and `unchanged` where it was so.
void write_hold(std::string& out, engine::WriteAnswer const& answer);

/// Appends `tx`, `ref` of the proposal.
void write_withdrawn(std::string& out, engine::WriteAnswer const& answer);

/// The proposals with who, why, until when, and of the open ones what would go now. Slow: for a worker.
[[nodiscard]] Result<std::string> purge_proposals(ServiceState& service, boost::json::object const& params,
                                                  Progress const& progress);

}  // namespace whence::net
