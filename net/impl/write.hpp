#pragma once
// `records.write` between its params and the engine's batch, and back.

#include "engine/engine.hpp"
#include "net/impl/envelope.hpp"

#include <string>

namespace whence::net {

/// Reads the params of a `records.write`. Fails with `invalid_params` naming every wrong member beside the records;
/// what is wrong with a record travels in the batch, for the engine to report with all else.
[[nodiscard]] Result<WriteRequest> decode_write(Request const& request);

/// Appends the result object: `tx`, `refs`, `warnings`, and `unchanged` where nothing was new.
void write_answer(std::string& out, engine::WriteAnswer const& answer);

}  // namespace whence::net
