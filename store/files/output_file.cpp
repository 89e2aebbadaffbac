// Writing and flushing one descriptor.

#include "store/files/output_file.hpp"

#include <algorithm>
#include <cerrno>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
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

schema::FileSummary copy_file(Descriptor const& from, std::filesystem::path const& from_path,
                              std::filesystem::path const& to, Advance const& advance) {
  struct stat state = {};
  if (::fstat(from.get(), &state) != 0) throw_errno("stat", from_path);
  Descriptor made{::open(to.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, private_file_mode)};
  if (made.get() < 0) throw_errno("open", to);
  OutputFile file{std::move(made), to.string()};
  std::vector<char> room(std::size_t{1} << 20);
  for (std::uint64_t done = 0;;) {
    auto const got = ::read(from.get(), room.data(), room.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw_errno("read", from_path);
    if (got == 0) return file.finish();
    file.write({room.data(), static_cast<std::size_t>(got)});
    done += static_cast<std::uint64_t>(got);
    if (advance) advance(done, std::max(done, static_cast<std::uint64_t>(state.st_size)), "bytes copied");
  }
}

}  // namespace whence::store
