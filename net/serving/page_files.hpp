#pragma once
// The explorer's files: read once, served from memory.

#include "schema/base/error.hpp"

#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace whence::net {

/// One file as it is sent.
struct PageFile {
  std::string bytes;
  std::string gzipped = {};  ///< the same, compressed; empty where no `.gz` lies beside it
  std::string_view content_type;
};

/// Files of one folder by name, folders in it left out. Immutable.
class PageFiles {
 public:
  PageFiles() = default;

  /// Reads every file of `folder`; a `NAME.gz` beside NAME is its compressed form. An empty path is no files. Fails
  /// with `not_found` where there is no such folder or no `index.html` in it, with `invalid_params` above
  /// `page_files_bytes_max` together.
  [[nodiscard]] static Result<PageFiles> read(std::filesystem::path const& folder);

  /// Null where there is none of that name.
  [[nodiscard]] PageFile const* find(std::string_view name) const;
  [[nodiscard]] bool is_empty() const noexcept { return files_.empty(); }

 private:
  std::map<std::string, PageFile, std::less<>> files_ = {};
};

inline constexpr std::size_t page_files_bytes_max = std::size_t{64} << 20;

}  // namespace whence::net
