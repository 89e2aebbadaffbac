// The files of the tree.

#include "engine/tree/event_tree.hpp"

#include "schema/proof/merkle.hpp"
#include "store/files/replace_file.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstring>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

namespace whence::engine {
namespace {

using schema::Digest;
using schema::TxId;

constexpr unsigned tile_height = 8;  ///< levels between two files
constexpr std::uint64_t tile_width = std::uint64_t{1} << tile_height;
constexpr std::size_t digest_bytes = sizeof(Digest);
constexpr std::size_t size_bytes = sizeof(std::uint64_t);
static_assert(std::endian::native == std::endian::little && digest_bytes == 32);

constexpr std::array<char, 8> head_mark = {'W', 'H', 'T', 'R', 'E', 'E', 1, 0};

/// The file `head`: what of the others is on disk, and of which log they are.
struct TreeHead {
  std::array<char, 8> mark = head_mark;
  std::array<char, 64> epoch = {};
  std::uint64_t tx = 0;
  std::uint64_t size = 0;
  Digest entry = {};  ///< leaf hash of the log's entry `tx`
  Digest root = {};
  Digest sum = {};  ///< of all before
};

Digest sum_of(TreeHead const& head) {
  return schema::sha256(std::as_bytes(std::span{&head, 1}).first(offsetof(TreeHead, sum)));
}

std::array<char, 64> padded(std::string const& epoch) {
  std::array<char, 64> out = {};
  std::copy_n(epoch.begin(), std::min(epoch.size(), out.size()), out.begin());
  return out;
}

std::filesystem::path name_of_level(std::filesystem::path const& directory, unsigned tile_level) {
  return directory / ("level-" + std::to_string(tile_level * tile_height));
}

store::Descriptor open_file(std::filesystem::path const& path, int flags) {
  int const fd = ::open(path.c_str(), flags | O_NOFOLLOW | O_CLOEXEC, store::private_file_mode);
  if (fd < 0) store::throw_errno("open", path);
  return store::Descriptor{fd};
}

std::uint64_t bytes_in(store::Descriptor const& file, std::filesystem::path const& path) {
  off_t const end = ::lseek(file.get(), 0, SEEK_END);
  if (end < 0) store::throw_errno("lseek", path);
  return static_cast<std::uint64_t>(end);
}

void write_at(store::Descriptor const& file, std::span<std::byte const> bytes, std::uint64_t at,
              std::filesystem::path const& path) {
  while (!bytes.empty()) {
    auto const written = ::pwrite(file.get(), bytes.data(), bytes.size(), static_cast<off_t>(at));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) store::throw_errno("pwrite", path);
    bytes = bytes.subspan(static_cast<std::size_t>(written));
    at += static_cast<std::uint64_t>(written);
  }
}

/// False where the file ends before.
bool read_at(store::Descriptor const& file, std::span<std::byte> bytes, std::uint64_t at) {
  while (!bytes.empty()) {
    auto const got = ::pread(file.get(), bytes.data(), bytes.size(), static_cast<off_t>(at));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(got));
    at += static_cast<std::uint64_t>(got);
  }
  return true;
}

/// The root over a power of two of nodes.
Digest root_of(std::vector<Digest> nodes) {
  for (; nodes.size() > 1; nodes.resize(nodes.size() / 2)) {
    for (std::size_t i = 0; i < nodes.size() / 2; ++i) {
      nodes[i] = schema::proof::node_hash(nodes[2 * i], nodes[2 * i + 1]);
    }
  }
  return nodes.front();
}

[[noreturn]] void throw_short(std::filesystem::path const& path) {
  throw std::system_error(std::make_error_code(std::errc::io_error), path.string() + " is shorter than it was");
}

}  // namespace

EventTree::EventTree(std::filesystem::path directory, std::string epoch, FindLeaf find_leaf)
    : directory_(std::move(directory)), epoch_(std::move(epoch)), find_leaf_(std::move(find_leaf)) {
  store::make_directory(directory_);
  sizes_.file = open_file(directory_ / "sizes", O_RDWR | O_CREAT);
  if (!load()) start_anew();
}

/// Whether the files hold a tree of this log, which then ends where `head` says.
bool EventTree::load() {
  TreeHead head;
  int const fd = ::open((directory_ / "head").c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) return false;
  store::Descriptor const file{fd};
  if (!read_at(file, std::as_writable_bytes(std::span{&head, 1}), 0)) return false;
  if (head.mark != head_mark || head.sum != sum_of(head) || head.epoch != padded(epoch_)) return false;
  auto const entry = find_leaf_(TxId{head.tx});
  if (!entry || *entry != head.entry) return false;
  for (unsigned i = 0; i == 0 || (head.size >> (tile_height * i)) > 0; ++i) {
    auto const path = name_of_level(directory_, i);
    levels_.push_back({open_file(path, O_RDWR | O_CREAT), head.size >> (tile_height * i)});
    if (bytes_in(levels_[i].file, path) < levels_[i].count * digest_bytes) return false;
  }
  sizes_.count = head.tx;
  if (bytes_in(sizes_.file, directory_ / "sizes") < head.tx * size_bytes) return false;
  if (size_locked(head.tx) != head.size || root(head.size) != head.root) return false;
  truncate(head.tx, head.size);
  return true;
}

void EventTree::start_anew() {
  levels_.clear();
  std::filesystem::remove(directory_ / "head");
  truncate(0, 0);
  for (unsigned i = 1;; ++i) {
    if (!std::filesystem::remove(name_of_level(directory_, i))) return;
  }
}

void EventTree::truncate(std::uint64_t transactions, std::uint64_t size) {
  auto const cut = [](Level& level, std::uint64_t count, std::size_t bytes_each, std::filesystem::path const& path) {
    level.count = count;
    if (::ftruncate(level.file.get(), static_cast<off_t>(count * bytes_each)) != 0)
      store::throw_errno("ftruncate", path);
  };
  cut(sizes_, transactions, size_bytes, directory_ / "sizes");
  cut(level(0), size, digest_bytes, name_of_level(directory_, 0));
  for (unsigned i = 1; i < levels_.size(); ++i) {
    cut(levels_[i], size >> (tile_height * i), digest_bytes, name_of_level(directory_, i));
  }
}

EventTree::Level& EventTree::level(unsigned tile_level) {
  while (levels_.size() <= tile_level) {
    auto const path = name_of_level(directory_, static_cast<unsigned>(levels_.size()));
    levels_.push_back({open_file(path, O_RDWR | O_CREAT | O_TRUNC), 0});
  }
  return levels_[tile_level];
}

TxId EventTree::tx() const {
  std::scoped_lock const lock(mutex_);
  return TxId{sizes_.count};
}

std::uint64_t EventTree::size() const {
  std::scoped_lock const lock(mutex_);
  return levels_.front().count;
}

std::uint64_t EventTree::size_locked(std::uint64_t tx) const {
  if (tx == 0) return 0;
  std::uint64_t size = 0;
  if (!read_at(sizes_.file, std::as_writable_bytes(std::span{&size, 1}), (tx - 1) * size_bytes)) {
    throw_short(directory_ / "sizes");
  }
  return size;
}

std::uint64_t EventTree::size_after(TxId tx) const {
  std::scoped_lock const lock(mutex_);
  return size_locked(std::min(schema::number(tx), sizes_.count));
}

TxId EventTree::tx_of(std::uint64_t index) const {
  std::scoped_lock const lock(mutex_);
  std::uint64_t first = 1;
  std::uint64_t last = sizes_.count;
  while (first < last) {
    auto const middle = first + (last - first) / 2;
    if (size_locked(middle) > index) {
      last = middle;
    } else {
      first = middle + 1;
    }
  }
  return TxId{first};
}

std::vector<Digest> EventTree::read(unsigned tile_level, std::uint64_t first, std::uint64_t count) const {
  std::vector<Digest> nodes(count);
  bool const is_there =
      tile_level < levels_.size() &&
      read_at(levels_[tile_level].file, std::as_writable_bytes(std::span{nodes}), first * digest_bytes);
  if (!is_there) throw_short(name_of_level(directory_, tile_level));
  return nodes;
}

Digest EventTree::node(unsigned level, std::uint64_t index) const {
  auto const within = level % tile_height;
  std::scoped_lock const lock(mutex_);
  return root_of(read(level / tile_height, index << within, std::uint64_t{1} << within));
}

std::string EventTree::nodes(unsigned tile_level, std::uint64_t first, std::uint64_t count) const {
  std::scoped_lock const lock(mutex_);
  auto const nodes = read(tile_level, first, count);
  auto const bytes = std::as_bytes(std::span{nodes});
  return {reinterpret_cast<char const*>(bytes.data()), bytes.size()};
}

std::uint64_t EventTree::count(unsigned tile_level) const {
  std::scoped_lock const lock(mutex_);
  return tile_level < levels_.size() ? levels_[tile_level].count : 0;
}

Digest EventTree::root(std::uint64_t size) const {
  if (size == 0) return schema::sha256(std::string_view{});
  std::optional<Digest> root;
  std::uint64_t end = size;  // from the right: the smallest whole subtree first
  while (end > 0) {
    auto const height = static_cast<unsigned>(std::countr_zero(end));
    end -= std::uint64_t{1} << height;
    auto const left = node(height, end >> height);
    root = root ? schema::proof::node_hash(left, *root) : left;
  }
  return *root;
}

void EventTree::append_nodes(unsigned tile_level, std::span<Digest const> nodes) {
  auto& file = level(tile_level);
  write_at(file.file, std::as_bytes(nodes), file.count * digest_bytes, name_of_level(directory_, tile_level));
  auto const before = file.count / tile_width;
  auto const after = (file.count + nodes.size()) / tile_width;
  std::vector<Digest> parents;
  for (auto tile = before; tile < after; ++tile)
    parents.push_back(root_of(read(tile_level, tile * tile_width, tile_width)));
  if (!parents.empty()) append_nodes(tile_level + 1, parents);
  levels_[tile_level].count += nodes.size();
}

void EventTree::append(std::span<Digest const> leaves) {
  std::scoped_lock const lock(mutex_);
  std::vector<std::uint64_t> counts;
  for (auto const& each : levels_) counts.push_back(each.count);
  try {
    if (!leaves.empty()) append_nodes(0, leaves);
    std::uint64_t const size = levels_.front().count;
    write_at(sizes_.file, std::as_bytes(std::span{&size, 1}), sizes_.count * size_bytes, directory_ / "sizes");
  } catch (...) {  // what was written is behind the end again
    for (std::size_t i = 0; i < levels_.size(); ++i) levels_[i].count = i < counts.size() ? counts[i] : 0;
    throw;
  }
  ++sizes_.count;
  is_flushed_ = false;
}

void EventTree::flush() {
  TreeHead head;
  {
    std::scoped_lock const lock(mutex_);
    if (is_flushed_) return;
    head.tx = sizes_.count;
    head.size = levels_.front().count;
  }
  head.epoch = padded(epoch_);
  auto const entry = find_leaf_(TxId{head.tx});
  if (!entry) return;
  head.entry = *entry;
  head.root = root(head.size);
  head.sum = sum_of(head);
  for (unsigned i = 0; count(i) > 0; ++i) store::sync_to_disk(name_of_level(directory_, i));
  store::sync_to_disk(directory_ / "sizes");
  std::string const bytes(reinterpret_cast<char const*>(&head), sizeof head);
  store::replace_file(directory_ / "head", bytes);
  std::scoped_lock const lock(mutex_);
  is_flushed_ = sizes_.count == head.tx;
}

}  // namespace whence::engine
