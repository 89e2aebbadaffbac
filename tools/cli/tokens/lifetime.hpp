#pragma once
// When a token ends, as people say it.

#include "schema/base/error.hpp"
#include "schema/base/time.hpp"

#include <string_view>

namespace whence::tools {

/// Reads `30d`, `12h`, `45m` or `90s` from `now` on, a date `2027-01-31` (its beginning, in UTC) or a time as RFC 3339
/// has it. Fails with `invalid_params` on anything else, on a moment that is not after `now`, and beyond the year 9999.
[[nodiscard]] Result<schema::Time> parse_end(std::string_view text, schema::Time now);

}  // namespace whence::tools
