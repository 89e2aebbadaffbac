#pragma once
// LMDB's two meta pages, read from the file itself before LMDB trusts them.

#include "schema/base/error.hpp"

#include <cstdint>
#include <filesystem>

namespace whence::store {

/// The content of the newer meta page.
struct MetaPages {
  std::uint32_t page_bytes = 0;
  std::uint64_t last_page = 0;   ///< highest page number in use
  std::uint64_t file_bytes = 0;  ///< of the file, not the page
};

/// Reads and checks both meta pages of `data_file`. `corrupt`, naming what is wrong, unless both are whole and one
/// commit apart: LMDB takes the one with the higher number, so damage to the newer alone would silently undo the last
/// commit.
[[nodiscard]] Result<MetaPages> read_meta_pages(std::filesystem::path const& data_file);

}  // namespace whence::store
