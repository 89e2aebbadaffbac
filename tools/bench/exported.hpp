#pragma once
// One export written to files, as the benchmarks of exports and of a large store need it.

#include "engine/engine.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace whence::bench {

/// Exports the whole graph to `path` in `format` and returns the bytes of its files. What is there is replaced. Throws
/// std::runtime_error with the reason where it fails.
std::uint64_t export_to(engine::Engine const& engine, std::string_view format, std::string const& path);

}  // namespace whence::bench
