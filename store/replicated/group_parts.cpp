#include "store/replicated/group_parts.hpp"

#include "schema/base/digest.hpp"

#include <algorithm>
#include <charconv>
#include <random>
#include <utility>

namespace whence::store {
namespace {

std::optional<std::uint32_t> parse_number(std::string_view text) {
  std::uint32_t number = 0;
  auto const [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failed != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace

std::string random_name() {
  std::random_device entropy;
  return schema::to_hex(schema::sha256(std::to_string(entropy()) + '/' + std::to_string(entropy()) + '/' +
                                       std::to_string(entropy())))
      .substr(0, 32);
}

std::string to_text(PartName const& name) {
  return name.group + '/' + std::to_string(name.number) + '/' + std::to_string(name.count);
}

std::optional<PartName> parse_part_name(std::string_view text) {
  auto const first = text.find('/');
  auto const second = first == std::string_view::npos ? first : text.find('/', first + 1);
  if (first == 0 || second == std::string_view::npos) return std::nullopt;
  auto const number = parse_number(text.substr(first + 1, second - first - 1));
  auto const count = parse_number(text.substr(second + 1));
  if (!number || !count || *number == 0 || *number > *count) return std::nullopt;
  return PartName{std::string{text.substr(0, first)}, *number, *count};
}

std::vector<std::span<std::byte const>> cut(std::span<std::byte const> bytes, std::size_t bytes_max) {
  std::vector<std::span<std::byte const>> pieces;
  do {
    pieces.push_back(bytes.first(std::min(bytes.size(), bytes_max)));
    bytes = bytes.subspan(pieces.back().size());
  } while (!bytes.empty());
  return pieces;
}

std::optional<std::vector<std::byte>> GroupAssembly::add(PartName const& name, std::vector<std::byte> bytes) {
  bool const goes_on = name.number > 1 && name == PartName{last_.group, last_.number + 1, last_.count} &&
                       bytes_.size() + bytes.size() <= group_bytes_max;
  if (!goes_on) bytes_.clear();
  last_ = goes_on || name.number == 1 ? name : PartName{{}, 0, 0};
  if (last_.number == 0) return std::nullopt;
  if (bytes_.empty()) {
    bytes_ = std::move(bytes);
  } else {
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  }
  if (name.number < name.count) return std::nullopt;
  last_ = {{}, 0, 0};
  return std::exchange(bytes_, {});
}

}  // namespace whence::store
