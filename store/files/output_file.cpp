// Writing and flushing one descriptor.

#include "store/files/output_file.hpp"

#include <cerrno>

#include <unistd.h>

namespace whence::store {

void OutputFile::write(std::string_view bytes) {
  digest_.update(bytes);
  bytes_ += bytes.size();
  while (!bytes.empty()) {
    auto const written = ::write(file_.get(), bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw_errno("write", name_);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

schema::FileSummary OutputFile::finish() {
  bool const is_flushed = ::fsync(file_.get()) == 0;
  if (!is_flushed && errno != EINVAL && errno != EROFS && errno != ENOTSUP) throw_errno("fsync", name_);
  return {.name = name_, .bytes = bytes_, .sha256 = digest_.finish()};
}

}  // namespace whence::store
