// POSIX files under a temporary name, hashed and perhaps compressed on their way.

#include "queries/export/output.hpp"

#include "schema/base/digest.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <unistd.h>
#include <zstd.h>

namespace whence::exports {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(char const* call, std::string const& name) {
  throw std::system_error(errno, std::generic_category(), std::string(call) + " " + name);
}

void write_all(int fd, std::string_view bytes, std::string const& name) {
  while (!bytes.empty()) {
    auto const written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail("write", name);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

void sync_folder(fs::path const& folder) {
  int const fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) fail("open", folder.string());
  ::fsync(fd);
  ::close(fd);
}

fs::path parent_of(fs::path const& path) {
  auto const parent = path.parent_path();
  return parent.empty() ? fs::path(".") : parent;
}

}  // namespace

struct OutputFile::Impl {
  Impl(int descriptor, std::string file_name, Compression compression) : fd(descriptor), name(std::move(file_name)) {
    if (compression == Compression::zstd) stream.reset(ZSTD_createCCtx());
  }
  ~Impl() {
    if (fd >= 0) ::close(fd);
  }
  Impl(Impl const&) = delete;
  Impl& operator=(Impl const&) = delete;

  void put(std::string_view bytes) {
    write_all(fd, bytes, name);
    digest.update(bytes);
    count += bytes.size();
  }

  void compress(std::string_view bytes, ZSTD_EndDirective mode) {
    std::array<char, 1 << 16> buffer;
    ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
    for (bool is_done = false; !is_done;) {
      ZSTD_outBuffer out{buffer.data(), buffer.size(), 0};
      auto const left = ZSTD_compressStream2(stream.get(), &out, &in, mode);
      if (ZSTD_isError(left) != 0U) throw std::system_error(ENOMEM, std::generic_category(), "zstd " + name);
      put({buffer.data(), out.pos});
      is_done = mode == ZSTD_e_end ? left == 0 : in.pos == in.size;
    }
  }

  struct FreeStream {
    void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
  };

  int fd;
  std::string name;
  std::unique_ptr<ZSTD_CCtx, FreeStream> stream = {};  ///< none: not compressed
  schema::Sha256 digest = {};
  std::uint64_t count = 0;
};

OutputFile::OutputFile(int fd, std::string name, Compression compression)
    : impl_(std::make_unique<Impl>(fd, std::move(name), compression)) {}
OutputFile::OutputFile(OutputFile&&) noexcept = default;
OutputFile& OutputFile::operator=(OutputFile&&) noexcept = default;
OutputFile::~OutputFile() = default;

void OutputFile::write(std::string_view bytes) {
  impl_->stream ? impl_->compress(bytes, ZSTD_e_continue) : impl_->put(bytes);
}

FileSummary OutputFile::finish() {
  if (impl_->stream) impl_->compress({}, ZSTD_e_end);
  if (::fsync(impl_->fd) != 0 && errno != EINVAL && errno != EROFS && errno != ENOTSUP) fail("fsync", impl_->name);
  return {.name = impl_->name, .bytes = impl_->count, .sha256 = impl_->digest.finish()};
}

Destination::Destination(fs::path path, Shape shape)
    : path_(std::move(path)), partial_(path_.string() + ".partial-" + std::to_string(::getpid())), shape_(shape) {}

Destination::Destination(Destination&& other) noexcept
    : path_(std::move(other.path_)),
      partial_(std::move(other.partial_)),
      shape_(other.shape_),
      is_open_(std::exchange(other.is_open_, false)) {}

Destination::~Destination() {
  std::error_code ignored;
  if (is_open_) fs::remove_all(partial_, ignored);
}

namespace {

/// A file in `folder` that is not among `own`; empty where there is none.
std::string find_other_file(fs::path const& folder, std::vector<std::string> const& own) {
  for (auto const& entry : fs::directory_iterator{folder}) {
    auto const name = entry.path().filename().string();
    if (!entry.is_regular_file() || std::ranges::find(own, name) == own.end()) return name;
  }
  return {};
}

}  // namespace

Result<Destination> Destination::create(fs::path path, Shape shape, bool may_replace,
                                        std::vector<std::string> const& own) {
  auto plain = path.lexically_normal();
  if (!plain.has_filename()) plain = plain.parent_path();
  std::error_code failed;
  auto const status = fs::symlink_status(plain, failed);
  if (fs::exists(status)) {
    if (!may_replace) return Error{.code = Errc::conflict, .message = path.string() + " exists already"};
    bool const is_same_shape = fs::is_directory(status) == (shape == Shape::folder);
    if (!is_same_shape) {
      return Error{.code = Errc::conflict, .message = path.string() + " is of another kind and is not replaced"};
    }
    auto const other = shape == Shape::folder && !own.empty() ? find_other_file(plain, own) : std::string{};
    if (!other.empty()) {
      return Error{.code = Errc::conflict,
                   .message = path.string() + " holds " + other + ", which is no part of an export"};
    }
  }
  if (!fs::is_directory(parent_of(plain), failed)) {
    return Error{.code = Errc::not_found, .message = parent_of(plain).string() + " is no folder"};
  }
  Destination made(std::move(plain), shape);
  fs::remove_all(made.partial_, failed);  // of a process that had this number before
  if (shape == Shape::folder && !fs::create_directory(made.partial_, failed)) {
    return Error{.code = Errc::not_found, .message = made.partial_.string() + ": " + failed.message()};
  }
  return made;
}

OutputFile Destination::open(std::string_view name, Compression compression) {
  auto const path = shape_ == Shape::file ? partial_ : partial_ / name;
  int const fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (fd < 0) fail("open", path.string());
  return {fd, shape_ == Shape::file ? path_.filename().string() : std::string(name), compression};
}

void Destination::commit() {
  auto const old = path_.string() + ".replaced-" + std::to_string(::getpid());
  std::error_code ignored;
  // A folder with files in it cannot be renamed over, so the old one steps aside first.
  bool const has_old = shape_ == Shape::folder && fs::exists(path_);
  if (has_old) fs::rename(path_, old);
  if (shape_ == Shape::folder) sync_folder(partial_);
  fs::rename(partial_, path_);
  is_open_ = false;
  sync_folder(parent_of(path_));
  if (has_old) fs::remove_all(old, ignored);
}

}  // namespace whence::exports
