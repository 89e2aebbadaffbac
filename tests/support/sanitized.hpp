#pragma once
// Whether the tests run under a sanitizer.

namespace whence::test {

/// Under one a step takes five to fifty times longer, and forking a tenth of a second: what tries each of many places
/// tries a part of them there, and all in the release build.
#ifdef WHENCE_SANITIZED
inline constexpr bool is_sanitized = true;
#else
inline constexpr bool is_sanitized = false;
#endif

}  // namespace whence::test
