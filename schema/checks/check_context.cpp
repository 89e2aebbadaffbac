// Checks that several record types share.
#include "schema/checks/check_context.hpp"

#include "schema/base/digest.hpp"
#include "schema/base/limits.hpp"

#include <cmath>

namespace whence::schema {

bool is_weight_sum(double sum) noexcept {
  return std::abs(sum - 1) <= limits::weight_sum_tolerance;
}

void check_hash(std::optional<std::string> const& hash, Path const& at, Report& report) {
  if (hash && !digest_from_hex(*hash)) report.add(at, "hash", shown(*hash), "must be 64 lower-case hex digits");
}

}  // namespace whence::schema
