// A frame: mark, 8 bytes · length of the puts, 8 · epoch, 16 · transaction and number of kept answers before it, 8 each
// · leaf hash before it, 32 · SHA-256 over all these and the puts, 32 · the puts.

#include "store/lmdb/journal.hpp"

#include <algorithm>
#include <cerrno>
#include <string>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace whence::store {
namespace {

constexpr std::uint64_t frame_mark = 0x0147'4a45'434e'4857;  // "WHNCEJG", little-endian, and 1
constexpr std::size_t frame_sum_at = 80;
constexpr std::size_t frame_head_bytes = frame_sum_at + 32;

/// Frames begin at a page: what a power cut makes of one that is being written is nothing to the one before it.
constexpr std::size_t system_page_bytes = 4096;
std::size_t end_of_frame(std::size_t begin, std::size_t bytes) noexcept {
  return (begin + bytes + system_page_bytes - 1) / system_page_bytes * system_page_bytes;
}

Bytes encode_frame(Head const& before, PutList const& group) {
  Bytes frame;
  frame.reserve(frame_head_bytes + group.bytes().size());
  put_fixed(frame, frame_mark);
  put_fixed(frame, std::uint64_t{group.bytes().size()});
  put_bytes(frame, std::as_bytes(std::span{before.epoch}));
  put_fixed(frame, schema::number(before.tx));
  put_fixed(frame, before.kept_answers);
  put_bytes(frame, std::as_bytes(std::span{before.leaf.bytes}));
  auto const sum = schema::sha256({std::span<std::byte const>{frame}, std::span<std::byte const>{group.bytes()}});
  put_bytes(frame, std::as_bytes(std::span{sum.bytes}));
  put_bytes(frame, group.bytes());
  return frame;
}

/// A frame whose hash holds.
struct Frame {
  Head before;  ///< no more of it than the frame has
  std::span<std::byte const> puts;
};

template <class Array>
void copy_into(Array& to, std::span<std::byte const> from) {
  std::ranges::transform(from, to.begin(), [](std::byte b) { return static_cast<std::uint8_t>(b); });
}

/// Takes a frame from the front of `all`; nothing where there is none, or one that was not written to its end.
std::optional<Frame> take_frame(std::span<std::byte const>& all) {
  ByteReader in{all};
  Frame frame;
  std::uint64_t mark = 0;
  std::uint64_t bytes = 0;
  std::uint64_t tx = 0;
  std::span<std::byte const> epoch;
  std::span<std::byte const> leaf;
  std::span<std::byte const> sum;
  if (!in.fixed(mark) || mark != frame_mark || !in.fixed(bytes)) return std::nullopt;
  if (!in.bytes(frame.before.epoch.size(), epoch) || !in.fixed(tx) || !in.fixed(frame.before.kept_answers) ||
      !in.bytes(frame.before.leaf.bytes.size(), leaf) || !in.bytes(schema::Digest{}.bytes.size(), sum) ||
      bytes > in.left() || !in.bytes(bytes, frame.puts)) {
    return std::nullopt;
  }
  schema::Digest const expected = schema::sha256({all.first(frame_sum_at), frame.puts});
  if (!std::ranges::equal(std::as_bytes(std::span{expected.bytes}), sum)) return std::nullopt;
  frame.before.tx = schema::TxId{tx};
  copy_into(frame.before.epoch, epoch);
  copy_into(frame.before.leaf.bytes, leaf);
  all = all.subspan(std::min(all.size(), end_of_frame(0, frame_head_bytes + frame.puts.size())));
  return frame;
}

bool follows(Frame const& frame, Head const& head) {
  return frame.before.tx == head.tx && frame.before.kept_answers == head.kept_answers && frame.before.leaf == head.leaf;
}

/// Of a group that `head` has.
bool is_before_or_at(Head const& made, Head const& head) {
  return made.tx <= head.tx && made.kept_answers <= head.kept_answers;
}

Error goes_on_after(Head const& before, Head const& end) {
  return {Errc::corrupt, "the journal goes on after transaction " + std::to_string(schema::number(before.tx)) +
                             ", the store ends with " + std::to_string(schema::number(end.tx))};
}

Bytes read_file(std::filesystem::path const& path) {
  Descriptor const file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  if (file.get() < 0 && errno == ENOENT) return {};
  if (file.get() < 0) throw_errno("open", path);
  Bytes bytes(journal_bytes);
  std::size_t got = 0;
  while (got < bytes.size()) {
    auto const count = ::pread(file.get(), bytes.data() + got, bytes.size() - got, static_cast<off_t>(got));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw_errno("pread", path);
    if (count == 0) break;
    got += static_cast<std::size_t>(count);
  }
  bytes.resize(got);
  return bytes;
}

/// errno, or 0.
int write_at(int file, std::span<std::byte const> bytes, std::size_t at) {
  while (!bytes.empty()) {
    auto const count = ::pwrite(file, bytes.data(), bytes.size(), static_cast<off_t>(at));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno;
    if (count == 0) return EIO;
    at += static_cast<std::size_t>(count);
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
  return 0;
}

}  // namespace

Journal::Journal(std::filesystem::path const& directory, std::size_t waiting)
    : directory_{directory}, count_{waiting == 0 ? 0 : journal_groups_max} {}

bool Journal::has_room(std::size_t bytes) const noexcept {
  return bytes <= journal_group_bytes_max && count_ < journal_groups_max &&
         end_ + frame_head_bytes + bytes <= journal_bytes;
}

bool Journal::append(Head const& before, PutList const& group) {
  if (file_.get() < 0 && !make_file()) return false;
  auto const frame = encode_frame(before, group);
  if (int const failed = write_at(file_.get(), frame, end_); failed != 0) {
    if (is_out_of_room(failed)) return false;
    errno = failed;
    throw_errno("pwrite", directory_ / journal_file_name);
  }
  if (::fdatasync(file_.get()) != 0) throw_errno("fdatasync", directory_ / journal_file_name);
  end_ = end_of_frame(end_, frame.size());
  ++count_;
  return true;
}

void Journal::restart() noexcept {
  end_ = 0;
  count_ = 0;
}

void Journal::remove() {
  restart();
  file_ = Descriptor{};
  auto const path = directory_ / journal_file_name;
  if (::unlink(path.c_str()) != 0) {
    if (errno == ENOENT) return;
    throw_errno("unlink", path);
  }
  sync_to_disk(directory_);  // else a power cut brings it back
}

/// One of a store that was closed by a kill is overwritten: LMDB has its groups by now.
bool Journal::make_file() {
  auto const path = directory_ / journal_file_name;
  Descriptor file{::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, private_file_mode)};
  if (file.get() < 0 && is_out_of_room(errno)) return false;
  if (file.get() < 0) throw_errno("open", path);
  int failed = write_at(file.get(), Bytes(journal_bytes), 0);
  if (failed == 0 && ::fdatasync(file.get()) != 0) failed = errno;
  if (failed != 0) {
    ::unlink(path.c_str());
    if (is_out_of_room(failed) || !may_grow(path, journal_bytes)) return false;
    errno = failed;
    throw_errno("write", path);
  }
  sync_to_disk(directory_);
  file_ = std::move(file);
  return true;
}

std::optional<Head> head_of(PutList const& group) {
  std::uint64_t const key = head_key;
  auto const found = group.seek(Table::meta, std::as_bytes(std::span{&key, 1}));
  return found && found->number() == key ? decode_head(found->value) : std::nullopt;
}

Result<std::vector<std::shared_ptr<PutList const>>> read_journal(std::filesystem::path const& directory,
                                                                 Head const& head) {
  std::vector<std::shared_ptr<PutList const>> groups;
  auto const bytes = read_file(directory / journal_file_name);
  Head end = head;
  std::span<std::byte const> left{bytes};
  for (auto frame = take_frame(left); frame && frame->before.epoch == head.epoch; frame = take_frame(left)) {
    auto group = PutList::decode({frame->puts.begin(), frame->puts.end()});
    if (!group) return group.error();
    group->sort();
    auto const made = head_of(*group);
    if (!made) return Error{Errc::corrupt, "a group of the journal has no head"};
    if (follows(*frame, end)) {
      end = *made;
      groups.push_back(std::make_shared<PutList const>(std::move(*group)));
    } else if (!is_before_or_at(*made, end)) {
      return goes_on_after(frame->before, end);
    }
  }
  // One frame at a time is written: what comes after one whose hash does not hold was acknowledged.
  for (; left.size() > system_page_bytes; left = left.subspan(system_page_bytes)) {
    auto rest = left.subspan(system_page_bytes);
    auto const frame = take_frame(rest);
    bool const is_lost = frame && frame->before.epoch == head.epoch && !is_before_or_at(frame->before, end);
    if (is_lost) return goes_on_after(frame->before, end);
  }
  return groups;
}

}  // namespace whence::store
