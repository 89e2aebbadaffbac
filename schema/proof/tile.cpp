// An index is written in groups of three digits, all but the last behind an `x`. One tile has one path: numbers with
// more zeros than that, and the width of a full tile, are refused.
#include "schema/proof/tile.hpp"

#include <algorithm>
#include <charconv>

namespace whence::schema::proof {
namespace {

constexpr std::string_view digits = "0123456789";
constexpr std::uint64_t index_end = std::uint64_t{1} << 63U;

/// A number without leading zeros and signs, at most `max`.
std::optional<std::uint64_t> parse_number(std::string_view text, std::uint64_t max) {
  if (text.empty() || text.find_first_not_of(digits) != text.npos) return std::nullopt;
  if (text.size() > 1 && text.front() == '0') return std::nullopt;
  std::uint64_t number = 0;
  auto const read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ec != std::errc{} || number > max) return std::nullopt;
  return number;
}

/// The text before the first `/`, which is taken off `rest`.
std::string_view take_element(std::string_view& rest) {
  auto const element = rest.substr(0, rest.find('/'));
  rest.remove_prefix(std::min(rest.size(), element.size() + 1));
  return element;
}

bool is_group(std::string_view text) {
  return text.size() == 3 && text.find_first_not_of(digits) == text.npos;
}

}  // namespace

std::string format_tile(Tile const& tile) {
  std::string path = "tile/" + (tile.level ? std::to_string(*tile.level) : std::string{"entries"}) + '/';
  auto number = std::to_string(tile.index);
  number.insert(0, (3 - number.size() % 3) % 3, '0');
  for (std::size_t at = 0; at < number.size(); at += 3) {
    bool const is_last = at + 3 == number.size();
    path.append(is_last ? "" : "x").append(number, at, 3).append(is_last ? "" : "/");
  }
  if (tile.width < tile_width) path.append(".p/").append(std::to_string(tile.width));
  return path;
}

std::optional<Tile> parse_tile(std::string_view path) {
  constexpr std::string_view first = "tile/";
  if (!path.starts_with(first) || path.size() > 64) return std::nullopt;
  path.remove_prefix(first.size());
  Tile tile;
  if (auto const level = take_element(path); level != "entries") {
    auto const number = parse_number(level, tile_level_max);
    if (!number) return std::nullopt;
    tile.level = static_cast<unsigned>(*number);
  }
  if (auto const mark = path.find(".p/"); mark != path.npos) {
    auto const width = parse_number(path.substr(mark + 3), tile_width - 1);
    if (!width || *width == 0) return std::nullopt;
    tile.width = static_cast<unsigned>(*width);
    path = path.substr(0, mark);
  }
  bool is_first = true;
  while (path.starts_with('x')) {
    auto const group = take_element(path).substr(1);
    if (!is_group(group) || (is_first && group == "000")) return std::nullopt;
    is_first = false;
    tile.index =
        tile.index * 1000 + *parse_number(group.substr(std::min<std::size_t>(group.find_first_not_of('0'), 2)), 999);
    if (tile.index >= index_end / 1000) return std::nullopt;
  }
  if (!is_group(path)) return std::nullopt;
  tile.index =
      tile.index * 1000 + *parse_number(path.substr(std::min<std::size_t>(path.find_first_not_of('0'), 2)), 999);
  return tile;
}

unsigned tile_width_in(std::uint64_t size, unsigned level, std::uint64_t index) noexcept {
  if (level > (64 - 1) / tile_height) return 0;
  std::uint64_t const hashes = size >> (tile_height * level);
  if (index > hashes / tile_width) return 0;
  return static_cast<unsigned>(std::min<std::uint64_t>(hashes - index * tile_width, tile_width));
}

}  // namespace whence::schema::proof
