#pragma once
// A small file that is made anew, whole or not at all.

#include <filesystem>
#include <string_view>

namespace whence::store {

/// `target`, in a directory that is there, has these bytes and is for its owner alone; on disk when this returns. Until
/// then they are under a name that nobody else has (`Staging`); what killed runs have left so goes. A symbolic link at
/// `target` is replaced, not followed. Throws std::system_error.
void replace_file(std::filesystem::path const& target, std::string_view bytes);

}  // namespace whence::store
