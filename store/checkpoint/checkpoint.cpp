// The file is written under another name and gets its own when it is whole. The head, the list of pieces and each piece
// have a sum: opening checks the first two, `check` the pieces.

#include "store/checkpoint/checkpoint.hpp"

#include "store/checkpoint/piece_sum.hpp"
#include "store/rows/bytes.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <optional>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace whence::store {
namespace {

constexpr std::uint64_t checkpoint_mark = 0x314b'4843'4e45'4857;  // "WHENCHK1", little-endian
constexpr std::uint64_t checkpoint_page_bytes = 4096;
constexpr std::uint64_t piece_bytes = std::uint64_t{4} << 20;
constexpr std::uint64_t unflushed_bytes_max = std::uint64_t{64} << 20;
constexpr unsigned check_threads_max = 4;

constexpr std::uint64_t whole_pages(std::uint64_t bytes) noexcept {
  return (bytes + checkpoint_page_bytes - 1) / checkpoint_page_bytes * checkpoint_page_bytes;
}

/// What the first page holds beside the caller's head.
struct Extent {
  std::uint64_t image_bytes = 0;
  std::uint64_t piece_count = 0;
  std::uint64_t pieces_sum = 0;
};

Bytes encode_checkpoint_head(CheckpointHead const& head, Extent const& extent) {
  Bytes out;
  put_fixed(out, checkpoint_mark);
  put_fixed(out, head.layout);
  put_bytes(out, std::as_bytes(std::span{head.epoch}));
  put_fixed(out, schema::number(head.tx));
  put_bytes(out, std::as_bytes(std::span{head.leaf.bytes}));
  put_fixed(out, schema::number(head.seen));
  put_fixed(out, head.vertices);
  put_fixed(out, head.revisions);
  put_fixed(out, extent.image_bytes);
  put_fixed(out, extent.piece_count);
  put_fixed(out, extent.pieces_sum);
  schema::Digest const sum = schema::sha256(out);
  put_bytes(out, std::as_bytes(std::span{sum.bytes}));
  return out;
}

std::optional<std::pair<CheckpointHead, Extent>> decode_checkpoint_head(std::span<std::byte const> page) {
  std::size_t const size = encode_checkpoint_head({}, {}).size();
  if (page.size() < size) return std::nullopt;
  ByteReader in{page.first(size)};
  CheckpointHead head;
  Extent extent;
  std::uint64_t mark = 0;
  std::uint64_t tx = 0;
  std::uint64_t seen = 0;
  std::span<std::byte const> epoch;
  std::span<std::byte const> leaf;
  if (!in.fixed(mark) || !in.fixed(head.layout) || !in.bytes(head.epoch.size(), epoch) || !in.fixed(tx) ||
      !in.bytes(head.leaf.bytes.size(), leaf) || !in.fixed(seen) || !in.fixed(head.vertices) ||
      !in.fixed(head.revisions) || !in.fixed(extent.image_bytes) || !in.fixed(extent.piece_count) ||
      !in.fixed(extent.pieces_sum)) {
    return std::nullopt;
  }
  head.tx = schema::TxId{tx};
  head.seen = schema::TxId{seen};
  std::ranges::copy(epoch, std::as_writable_bytes(std::span{head.epoch}).begin());
  std::ranges::copy(leaf, std::as_writable_bytes(std::span{head.leaf.bytes}).begin());
  // The mark, the checksum, and nothing behind it.
  if (!std::ranges::equal(encode_checkpoint_head(head, extent), page.first(size))) return std::nullopt;
  return std::pair{head, extent};
}

Error damaged(std::filesystem::path const& path, std::string const& what) {
  return {Errc::corrupt, "the checkpoint " + path.string() + " is damaged: " + what};
}

/// Whether there was one.
bool remove_file(std::filesystem::path const& path) {
  if (::unlink(path.c_str()) == 0) return true;
  if (errno != ENOENT) throw_errno("unlink", path);
  return false;
}

}  // namespace

CheckpointWriter::CheckpointWriter(std::filesystem::path const& directory, CheckpointOf what)
    : target_{directory / file_name_of(what)}, path_{Staging{target_, Staging::Kind::file}.path()} {
  file_ = Descriptor{::open(path_.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW)};
  if (file_.get() < 0) throw_errno("open", path_);
  buffer_.reserve(piece_bytes);
}

CheckpointWriter::~CheckpointWriter() {
  if (!is_finished_) ::unlink(path_.c_str());
}

void CheckpointWriter::write(std::span<std::byte const> bytes) {
  while (!bytes.empty()) {
    auto const part = bytes.first(std::min<std::size_t>(bytes.size(), piece_bytes - buffer_.size()));
    buffer_.insert(buffer_.end(), part.begin(), part.end());
    at_ += part.size();
    bytes = bytes.subspan(part.size());
    if (buffer_.size() == piece_bytes) end_piece();
  }
}

void CheckpointWriter::skip(std::uint64_t count) {
  end_piece();
  at_ += count;
}

void CheckpointWriter::end_piece() {
  if (buffer_.empty()) return;
  auto const place = at_ - buffer_.size();
  pieces_.push_back({place, buffer_.size(), piece_sum(buffer_)});
  put(checkpoint_page_bytes + place, buffer_);
  buffer_.clear();
}

void CheckpointWriter::put(std::uint64_t place, std::span<std::byte const> bytes) {
  unflushed_ += bytes.size();
  while (!bytes.empty()) {
    auto const written = ::pwrite(file_.get(), bytes.data(), bytes.size(), static_cast<off_t>(place));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw_errno("pwrite", path_);
    place += static_cast<std::uint64_t>(written);
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  if (unflushed_ < unflushed_bytes_max) return;
  // A little at a time, so that commits of the store do not wait behind all of it.
  if (::fdatasync(file_.get()) != 0) throw_errno("fdatasync", path_);
  unflushed_ = 0;
}

std::uint64_t CheckpointWriter::finish(CheckpointHead const& head) {
  end_piece();
  auto const pieces = std::as_bytes(std::span{pieces_});
  auto const pieces_place = checkpoint_page_bytes + whole_pages(at_);
  put(pieces_place, pieces);
  Bytes page = encode_checkpoint_head(
      head, {.image_bytes = at_, .piece_count = pieces_.size(), .pieces_sum = piece_sum(pieces)});
  page.resize(checkpoint_page_bytes);
  put(0, page);
  if (::ftruncate(file_.get(), static_cast<off_t>(pieces_place + pieces.size())) != 0) throw_errno("ftruncate", path_);
  if (::fsync(file_.get()) != 0) throw_errno("fsync", path_);
  struct stat status {};
  if (::fstat(file_.get(), &status) != 0) throw_errno("fstat", path_);
  rename_durably(path_, target_);
  is_finished_ = true;
  constexpr std::uint64_t block_bytes = 512;
  return static_cast<std::uint64_t>(status.st_blocks) * block_bytes;
}

Result<MappedCheckpoint> MappedCheckpoint::open(std::filesystem::path const& directory, CheckpointOf what) {
  auto const path = directory / file_name_of(what);
  Descriptor const file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)};
  if (file.get() < 0 && errno == ENOENT) return Error{Errc::not_found, "there is no checkpoint"};
  if (file.get() < 0) throw_errno("open", path);
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) throw_errno("fstat", path);
  auto const file_bytes = static_cast<std::uint64_t>(status.st_size);
  if (!S_ISREG(status.st_mode) || file_bytes < checkpoint_page_bytes) return damaged(path, "it is too short");
  MappedCheckpoint opened;
  // What is not written to takes no memory of its own, so nothing is reserved for it.
  void* const map = ::mmap(nullptr, file_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE, file.get(), 0);
  if (map == MAP_FAILED) throw_errno("mmap", path);
  opened.map_ = static_cast<std::byte*>(map);
  opened.map_bytes_ = file_bytes;
  auto const head = decode_checkpoint_head({opened.map_, checkpoint_page_bytes});
  if (!head) return damaged(path, "its head does not hold");
  auto const& extent = head->second;
  auto const rest = file_bytes - checkpoint_page_bytes;
  constexpr auto entry_bytes = sizeof(CheckpointWriter::Piece);
  if (extent.image_bytes > rest || extent.piece_count > rest / entry_bytes ||
      whole_pages(extent.image_bytes) + extent.piece_count * entry_bytes != rest) {
    return damaged(path, "it has another length");
  }
  auto const* const pieces = opened.map_ + checkpoint_page_bytes + whole_pages(extent.image_bytes);
  std::span const piece_span{pieces, extent.piece_count * entry_bytes};
  if (piece_sum(piece_span) != extent.pieces_sum) return damaged(path, "its list of pieces does not hold");
  opened.pieces_.resize(extent.piece_count);
  std::ranges::copy(piece_span, std::as_writable_bytes(std::span{opened.pieces_}).begin());
  opened.head_ = head->first;
  opened.image_bytes_ = extent.image_bytes;
  return opened;
}

MappedCheckpoint::MappedCheckpoint(MappedCheckpoint&& other) noexcept {
  *this = std::move(other);
}

MappedCheckpoint& MappedCheckpoint::operator=(MappedCheckpoint&& other) noexcept {
  std::swap(head_, other.head_);
  std::swap(map_, other.map_);
  std::swap(map_bytes_, other.map_bytes_);
  std::swap(image_bytes_, other.image_bytes_);
  std::swap(pieces_, other.pieces_);
  return *this;
}

MappedCheckpoint::~MappedCheckpoint() {
  if (map_ != nullptr) ::munmap(map_, map_bytes_);
}

std::span<std::byte> MappedCheckpoint::bytes() const noexcept {
  return {map_ + checkpoint_page_bytes, image_bytes_};
}

Result<void> MappedCheckpoint::check(std::function<void()> const& on_piece) const {
  std::atomic<std::size_t> next = 0;
  std::atomic<std::size_t> first_damaged = pieces_.size();
  auto const work = [&] {
    for (auto i = next++; i < pieces_.size() && first_damaged == pieces_.size(); i = next++) {
      if (on_piece) on_piece();
      auto const& piece = pieces_[i];
      bool const is_inside = piece.place <= image_bytes_ && piece.bytes <= image_bytes_ - piece.place;
      if (!is_inside || piece_sum(bytes().subspan(piece.place, piece.bytes)) != piece.sum) first_damaged = i;
    }
  };
  {
    std::vector<std::jthread> helpers;
    auto const threads =
        on_piece ? 1
                 : std::min({std::thread::hardware_concurrency(), check_threads_max,
                             static_cast<unsigned>(std::min<std::size_t>(pieces_.size(), check_threads_max))});
    for (unsigned i = 1; i < threads; ++i) helpers.emplace_back(work);
    work();
  }
  if (first_damaged == pieces_.size()) return {};
  auto const place = checkpoint_page_bytes + pieces_[first_damaged].place;
  return Error{Errc::corrupt, "the checkpoint is damaged: the " + std::to_string(pieces_[first_damaged].bytes) +
                                  " bytes at " + std::to_string(place) + " have another checksum"};
}

void remove_checkpoint(std::filesystem::path const& directory, CheckpointOf what) {
  // The attempts first, one under way too: what it would be given its name by is gone then.
  std::vector<std::filesystem::path> made;
  for (auto const& entry : std::filesystem::directory_iterator{directory}) {
    if (target_of_staging(entry.path().filename().string()) == file_name_of(what)) made.push_back(entry.path());
  }
  bool had_attempt = false;
  for (auto const& path : made) had_attempt = remove_file(path) || had_attempt;
  if (remove_file(directory / file_name_of(what)) || had_attempt) sync_to_disk(directory);
}

}  // namespace whence::store
