#pragma once
// From spans and log records to what they mean, by the mapping table.

#include "net/capture/spans/captured.hpp"
#include "net/capture/spans/telemetry.hpp"

namespace whence::net::capture {

/// The time of the machine's clock.
[[nodiscard]] Nanos now_nanos();

/// Reads spans and log records by the mapping table, until `growth`, where it is given, is refused. O(their size).
[[nodiscard]] Captured read_telemetry(Telemetry telemetry, Nanos now, Growth* growth = nullptr);

}  // namespace whence::net::capture
