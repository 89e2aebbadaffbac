#pragma once
// What is kept beside the tree for its owner alone: keys, signed heads, signatures of witnesses.

#include "store/files/replace_file.hpp"

#include <filesystem>
#include <string_view>

namespace whence::engine {

/// Makes a file in the store's directory anew, as `store::replace_file` says.
inline void write_privately(std::filesystem::path const& path, std::string_view text) {
  store::replace_file(path, text);
}

}  // namespace whence::engine
