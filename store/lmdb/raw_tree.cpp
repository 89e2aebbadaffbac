// Offsets are those of MDB_page, MDB_node and MDB_db of LMDB 0.9 on 64-bit little-endian machines.

#include "store/lmdb/raw_tree.hpp"

#include <algorithm>
#include <compare>
#include <cstring>
#include <span>
#include <string_view>

#include <fcntl.h>
#include <unistd.h>

namespace whence::store {
namespace {

constexpr std::size_t page_head_bytes = 16;
constexpr std::size_t node_head_bytes = 8;
constexpr std::size_t root_offset = 40;  ///< in MDB_db
constexpr std::size_t table_bytes = 48;
constexpr unsigned branch_flag = 0x01;  ///< of pages
constexpr unsigned leaf_flag = 0x02;
constexpr unsigned overflow_flag = 0x04;
constexpr unsigned big_value_flag = 0x01;  ///< of nodes
constexpr int depth_max = 32;
constexpr std::uint64_t value_bytes_max = std::uint64_t{1} << 30;

/// The integer at `at`; 0 where it is not inside.
template <class T>
T fixed_at(std::span<std::byte const> bytes, std::size_t at) {
  T value = 0;
  if (at + sizeof value <= bytes.size()) std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

unsigned flags_of(Bytes const& page) {
  return fixed_at<std::uint16_t>(page, 10);
}

std::size_t count_of(Bytes const& page) {
  std::size_t const lower = fixed_at<std::uint16_t>(page, 12);
  return lower < page_head_bytes || lower > page.size() ? 0 : (lower - page_head_bytes) / 2;
}

/// Where node `i` begins; nothing where it is not inside the page.
std::optional<std::size_t> node_at(Bytes const& page, std::size_t i) {
  std::size_t const at = fixed_at<std::uint16_t>(page, page_head_bytes + 2 * i);
  if (at < page_head_bytes || at + node_head_bytes > page.size()) return std::nullopt;
  if (at + node_head_bytes + fixed_at<std::uint16_t>(page, at + 6) > page.size()) return std::nullopt;
  return at;
}

std::span<std::byte const> key_of(Bytes const& page, std::size_t node) {
  return std::span{page}.subspan(node + node_head_bytes, fixed_at<std::uint16_t>(page, node + 6));
}

/// Lower and upper half of a leaf's data size, or of a branch's page.
std::uint64_t low_word(Bytes const& page, std::size_t node) {
  return fixed_at<std::uint32_t>(page, node);
}

}  // namespace

RawTree::RawTree(std::filesystem::path const& data_file, TornMetaPage const& torn)
    : file_{::open(data_file.c_str(), O_RDONLY | O_CLOEXEC)},
      page_bytes_{torn.page_bytes},
      file_bytes_{torn.file_bytes},
      root_{torn.root} {
  if (file_.get() < 0) throw_errno("open", data_file);
}

std::optional<Bytes> RawTree::page(std::uint64_t number) const {
  if (number < 2 || number >= file_bytes_ / page_bytes_) return std::nullopt;
  Bytes bytes(page_bytes_);
  auto const offset = static_cast<off_t>(number * page_bytes_);
  if (::pread(file_.get(), bytes.data(), bytes.size(), offset) != static_cast<ssize_t>(bytes.size()))
    return std::nullopt;
  if (fixed_at<std::uint64_t>(bytes, 0) != number) return std::nullopt;
  return bytes;
}

std::optional<Bytes> RawTree::value_of(Bytes const& page, std::size_t node) const {
  std::uint64_t const size = low_word(page, node);
  std::size_t const at = node + node_head_bytes + fixed_at<std::uint16_t>(page, node + 6);
  if ((fixed_at<std::uint16_t>(page, node + 4) & big_value_flag) == 0) {
    if (size > page.size() - at) return std::nullopt;
    auto const value = std::span{page}.subspan(at, size);
    return Bytes(value.begin(), value.end());
  }
  auto const number = fixed_at<std::uint64_t>(page, at);
  std::optional<Bytes> const first = this->page(number);
  if (!first || (flags_of(*first) & overflow_flag) == 0) return std::nullopt;
  std::uint64_t const offset = number * page_bytes_ + page_head_bytes;
  if (size > value_bytes_max || offset + size > file_bytes_) return std::nullopt;
  Bytes value(size);
  if (::pread(file_.get(), value.data(), size, static_cast<off_t>(offset)) != static_cast<ssize_t>(size))
    return std::nullopt;
  return value;
}

/// `order` compares a key of the table with the one that is looked for.
template <class Order>
std::optional<Bytes> RawTree::find_under(std::uint64_t root, Order const& order) const {
  std::uint64_t number = root;
  for (int depth = 0; depth < depth_max; ++depth) {
    std::optional<Bytes> const current = page(number);
    if (!current) return std::nullopt;
    bool const is_branch = (flags_of(*current) & branch_flag) != 0;
    if (!is_branch && (flags_of(*current) & leaf_flag) == 0) return std::nullopt;
    std::optional<std::size_t> best;  // the last node whose key is not above; the first of a branch has none
    for (std::size_t i = 0; i < count_of(*current); ++i) {
      std::optional<std::size_t> const node = node_at(*current, i);
      if (!node) return std::nullopt;
      bool const has_key = !is_branch || i > 0;
      std::strong_ordering const place = has_key ? order(key_of(*current, *node)) : std::strong_ordering::less;
      if (place == std::strong_ordering::greater) break;
      if (is_branch || place == std::strong_ordering::equal) best = node;
    }
    if (!best) return std::nullopt;
    if (!is_branch) return value_of(*current, *best);
    number = low_word(*current, *best) | std::uint64_t{fixed_at<std::uint16_t>(*current, *best + 4)} << 32;
  }
  return std::nullopt;
}

std::optional<Bytes> RawTree::find(Table table, std::uint64_t key) const {
  std::string_view const name = name_of(table);
  std::optional<Bytes> const described = find_under(root_, [&](std::span<std::byte const> other) {
    return std::string_view{reinterpret_cast<char const*>(other.data()), other.size()} <=> name;
  });
  if (!described || described->size() != table_bytes) return std::nullopt;
  return find_under(fixed_at<std::uint64_t>(*described, root_offset),
                    [&](std::span<std::byte const> other) { return fixed_at<std::uint64_t>(other, 0) <=> key; });
}

}  // namespace whence::store
