#pragma once
// The map of a file in this process's memory, as the system lists it.

#include <filesystem>

namespace whence::store {

/// Lets the process forget which pages of its read-only maps of `file` it has touched; they stay in the system's cache,
/// and touching one again costs a minor fault. Changes nothing that anybody reads. Does nothing where there is no such
/// map. O(maps of the process, resident pages).
void forget_touched_pages(std::filesystem::path const& file) noexcept;

}  // namespace whence::store
