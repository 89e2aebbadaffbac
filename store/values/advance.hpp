#pragma once
// How long work says how far it is.

#include <cstdint>
#include <functional>

namespace whence::store {

/// Told by long work how far a part of it is: `done` of `total` (which is never less), and of what, a literal such as
/// "bytes copied". Parts follow each other, each with words of its own. Called often, on the thread that works; empty
/// where nobody listens.
using Advance = std::function<void(std::uint64_t done, std::uint64_t total, char const* what)>;

}  // namespace whence::store
