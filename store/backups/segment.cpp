// A stream of zstd with a checksum, in which each transaction has 8 bytes of its length before it. A file that ends
// before its stream does, or within a transaction, is damaged.

#include "store/backups/segment.hpp"

#include "store/rows/bytes.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <new>
#include <string>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

namespace whence::store {
namespace {

constexpr std::size_t read_bytes = std::size_t{256} << 10;
constexpr int segment_level = 6;
constexpr int window_log_max = 27;

std::size_t checked_zstd(std::size_t code, char const* call) {
  if (ZSTD_isError(code) != 0U)
    throw std::system_error(ENOMEM, std::generic_category(), std::string(call) + ": " + ZSTD_getErrorName(code));
  return code;
}

std::size_t read_piece(Descriptor const& file, std::filesystem::path const& path, std::vector<char>& room) {
  for (;;) {
    auto const got = ::read(file.get(), room.data(), room.size());
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno != EINTR) throw_errno("read", path);
  }
}

Descriptor make_file(std::filesystem::path const& path) {
  int const flags = O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC;
  Descriptor file{::open(path.c_str(), flags, private_file_mode)};
  if (file.get() < 0) throw_errno("open", path);
  return file;
}

Error damaged_segment(std::string what) {
  return {Errc::corrupt, std::move(what)};
}

}  // namespace

Result<Descriptor> open_plain_file(std::filesystem::path const& path) {
  Descriptor file{::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)};
  if (file.get() < 0 && errno == ENOENT) return Error{Errc::not_found, path.string() + " is missing"};
  if (file.get() < 0 && errno == ELOOP) return Error{Errc::corrupt, path.string() + " is a symbolic link"};
  if (file.get() < 0) throw_errno("open", path);
  struct stat status = {};
  if (::fstat(file.get(), &status) != 0) throw_errno("fstat", path);
  if (!S_ISREG(status.st_mode)) return Error{Errc::corrupt, path.string() + " is no regular file"};
  return file;
}

std::uint64_t digest_of(Descriptor const& file, std::filesystem::path const& path, schema::Digest& digest) {
  schema::Sha256 sum;
  std::vector<char> room(read_bytes);
  std::uint64_t count = 0;
  while (auto const got = read_piece(file, path, room)) {
    count += got;
    sum.update({room.data(), got});
  }
  digest = sum.finish();
  return count;
}

Result<void> check_file(std::filesystem::path const& path, std::uint64_t bytes, schema::Digest const& sha256) {
  auto const file = open_plain_file(path);
  if (!file) return file.error();
  schema::Digest found;
  std::uint64_t const count = digest_of(*file, path, found);
  if (count != bytes) {
    return Error{Errc::corrupt, path.string() + " has " + std::to_string(count) + " bytes, the manifest says " +
                                    std::to_string(bytes)};
  }
  if (found != sha256) return Error{Errc::corrupt, path.string() + " has other bytes than the manifest says"};
  return {};
}

void SegmentWriter::Free::operator()(ZSTD_CCtx_s* context) const noexcept {
  ZSTD_freeCCtx(context);
}

SegmentWriter::SegmentWriter(std::filesystem::path const& path)
    : file_{make_file(path), path.string()}, context_{ZSTD_createCCtx()}, room_(read_bytes) {
  if (context_ == nullptr) throw std::bad_alloc();
  checked_zstd(ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_compressionLevel, segment_level),
               "ZSTD_CCtx_setParameter");
  checked_zstd(ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_checksumFlag, 1), "ZSTD_CCtx_setParameter");
}

SegmentWriter::~SegmentWriter() = default;

void SegmentWriter::write(std::span<std::byte const> bytes, End end) {
  ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
  bool const is_finished = end == End::is_finished;
  for (std::size_t left = 1; is_finished ? left != 0 : in.pos < in.size;) {
    ZSTD_outBuffer out{room_.data(), room_.size(), 0};
    left = checked_zstd(ZSTD_compressStream2(context_.get(), &out, &in, is_finished ? ZSTD_e_end : ZSTD_e_continue),
                        "ZSTD_compressStream2");
    file_.write({room_.data(), out.pos});
  }
}

void SegmentWriter::add(std::span<std::byte const> message) {
  Bytes length;
  put_fixed(length, std::uint64_t{message.size()});
  write(length, End::is_open);
  write(message, End::is_open);
}

schema::FileSummary SegmentWriter::finish() {
  write({}, End::is_finished);
  return file_.finish();
}

void SegmentReader::Free::operator()(ZSTD_DCtx_s* context) const noexcept {
  ZSTD_freeDCtx(context);
}

SegmentReader::SegmentReader(Descriptor file)
    : file_{std::move(file)}, context_{ZSTD_createDCtx()}, packed_(read_bytes) {
  if (context_ == nullptr) throw std::bad_alloc();
  checked_zstd(ZSTD_DCtx_setParameter(context_.get(), ZSTD_d_windowLogMax, window_log_max), "ZSTD_DCtx_setParameter");
}

Result<SegmentReader> SegmentReader::open(std::filesystem::path const& path) {
  auto file = open_plain_file(path);
  if (!file) return file.error();
  return SegmentReader{std::move(*file)};
}

Result<void> SegmentReader::fill(std::size_t bytes) {
  while (unpacked_.size() - begin_ < bytes && !is_whole_) {
    if (packed_at_ == packed_end_) {
      packed_at_ = 0;
      packed_end_ = read_piece(file_, "a segment", packed_);
      if (packed_end_ == 0) return damaged_segment("it is cut short");
    }
    auto const before = unpacked_.size();
    unpacked_.resize(before + read_bytes);
    ZSTD_inBuffer in{packed_.data(), packed_end_, packed_at_};
    ZSTD_outBuffer out{unpacked_.data() + before, read_bytes, 0};
    auto const left = ZSTD_decompressStream(context_.get(), &out, &in);
    packed_at_ = in.pos;
    unpacked_.resize(before + out.pos);
    if (ZSTD_isError(left) != 0U) return damaged_segment("it does not unpack");
    is_whole_ = left == 0;
  }
  return {};
}

Result<std::optional<std::span<std::byte const>>> SegmentReader::next() {
  using Next = std::optional<std::span<std::byte const>>;
  if (begin_ >= read_bytes) {
    unpacked_.erase(unpacked_.begin(), unpacked_.begin() + static_cast<std::ptrdiff_t>(begin_));
    begin_ = 0;
  }
  std::uint64_t length = 0;
  if (auto const filled = fill(sizeof length); !filled) return filled.error();
  if (unpacked_.size() == begin_) return Next{};
  if (!ByteReader{std::span{unpacked_}.subspan(begin_)}.fixed(length))
    return damaged_segment("it ends within a transaction");
  if (length > segment_message_bytes_max) return damaged_segment("a transaction in it is too long");
  auto const bytes = static_cast<std::size_t>(length);
  if (auto const filled = fill(sizeof length + bytes); !filled) return filled.error();
  if (unpacked_.size() - begin_ < sizeof length + bytes) return damaged_segment("it ends within a transaction");
  auto const at = begin_ + sizeof length;
  begin_ = at + bytes;
  return Next{std::span{unpacked_}.subspan(at, bytes)};
}

}  // namespace whence::store
