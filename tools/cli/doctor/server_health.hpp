#pragma once
// What is wrong with a running server, or soon will be, by what it says of itself.

#include "tools/cli/doctor/findings.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace whence::tools {

/// One sample of `/metrics`.
struct Sample {
  std::string labels = {};  ///< as they are written, without the braces
  double value = 0;
};

/// Samples by name, in the order of the text.
using Samples = std::map<std::string, std::vector<Sample>, std::less<>>;

/// Reads the Prometheus text format 0.0.4. Lines that are no samples are left out. O(length).
[[nodiscard]] Samples parse_samples(std::string_view text);

/// Looks at the samples of a server as its alert rules do. `now_s` is in seconds since 1970.
void look_at_samples(Samples const& samples, std::int64_t now_s, Findings& out);

}  // namespace whence::tools
