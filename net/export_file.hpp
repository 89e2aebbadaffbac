#pragma once
// A finished file of an export job, as the HTTP server sends it.

#include "schema/base/digest.hpp"

#include <filesystem>

namespace whence::net {

struct ExportFile {
  std::filesystem::path path;
  schema::Digest sha256;
};

}  // namespace whence::net
