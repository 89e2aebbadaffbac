#pragma once
// LMDB's two meta pages, read from the file itself before LMDB trusts them.

#include "schema/base/error.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>

namespace whence::store {

/// The content of the newer meta page.
struct MetaPages {
  std::uint32_t page_bytes = 0;
  std::uint64_t last_page = 0;   ///< highest page number in use
  std::uint64_t file_bytes = 0;  ///< of the file, not the page
};

/// Reads and checks both meta pages of `data_file`. `corrupt`, naming what is wrong, unless both are whole and one
/// commit apart: LMDB takes the one with the higher number, so damage to the newer alone would silently undo the last
/// commit. The message says where the damage is that of a page torn in a power cut.
[[nodiscard]] Result<MetaPages> read_meta_pages(std::filesystem::path const& data_file);

/// A data file one of whose meta pages is no longer that page, while the other is whole.
struct TornMetaPage {
  unsigned slot = 0;  ///< 0 or 1, of the torn page
  std::uint32_t page_bytes = 0;
  std::uint64_t file_bytes = 0;
  std::uint64_t txn = 0;   ///< LMDB's number of the last transaction in the whole page
  std::uint64_t root = 0;  ///< of the table of tables, in the whole page
};

/// The torn page of `data_file`, if it has one. A page is torn where two fields or more are wrong, as after foreign
/// bytes or zeros in its sector. One wrong field is a flipped bit or byte rather: that page may be of a commit that was
/// acknowledged. Nothing is decided about what the whole page leads to.
[[nodiscard]] std::optional<TornMetaPage> find_torn_meta_page(std::filesystem::path const& data_file);

/// Writes the torn page anew, as that of the transaction before the whole one; LMDB's next commit overwrites it. First
/// keeps what was there as `meta-page-0.torn` or `meta-page-1.torn` beside the file. Both are on disk afterwards. The
/// caller has locked the store. Throws std::system_error.
void replace_torn_meta_page(std::filesystem::path const& data_file, TornMetaPage const& torn);

}  // namespace whence::store
