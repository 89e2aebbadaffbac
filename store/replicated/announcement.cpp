#include "store/replicated/announcement.hpp"

#include "schema/base/text.hpp"

#include <charconv>

namespace whence::store {

namespace {

constexpr std::string_view bolt_mark = " bolt://";
constexpr std::string_view tree_mark = " tree:";

/// `SIZE/ROOT`. Nothing where it is not written so.
std::optional<schema::proof::TreeHead> parse_tree(std::string_view text) {
  schema::proof::TreeHead tree;
  auto const* const end = text.data() + text.size();
  auto const [number_end, failed] = std::from_chars(text.data(), end, tree.size);
  if (failed != std::errc{} || number_end == end || *number_end != '/') return std::nullopt;
  auto const root = schema::digest_from_hex({number_end + 1, end});
  if (!root) return std::nullopt;
  tree.root = *root;
  return tree;
}

}  // namespace

std::string to_text(Announcement const& announcement) {
  auto text = announcement.id + ' ' + std::to_string(announcement.position) + ' ' + announcement.name;
  if (announcement.tree) {
    text.append(tree_mark).append(std::to_string(announcement.tree->size));
    text.append("/").append(schema::to_hex(announcement.tree->root));
  }
  if (!announcement.bolt.empty()) text.append(bolt_mark).append(announcement.bolt);
  return text;
}

std::optional<Announcement> parse_announcement(std::string_view text) {
  auto const id_end = text.find(' ');
  if (id_end == 0 || id_end == std::string_view::npos || id_end > Announcement::id_bytes_max) return std::nullopt;
  Announcement read{.id = std::string{text.substr(0, id_end)}, .name = {}};
  auto const* const end = text.data() + text.size();
  auto const [number_end, failed] = std::from_chars(text.data() + id_end + 1, end, read.position);
  if (failed != std::errc{} || number_end == end || *number_end != ' ') return std::nullopt;
  read.name.assign(number_end + 1, end);
  if (auto const mark = read.name.rfind(bolt_mark); mark != std::string::npos) {
    read.bolt = read.name.substr(mark + bolt_mark.size());
    read.name.resize(mark);
    if (read.bolt.empty() || read.bolt.size() > Announcement::bolt_bytes_max) return std::nullopt;
    if (read.bolt.find(' ') != std::string::npos || !schema::is_utf8(read.bolt)) return std::nullopt;
    if (schema::has_control_character(read.bolt)) return std::nullopt;
  }
  if (auto const mark = read.name.rfind(tree_mark); mark != std::string::npos) {
    read.tree = parse_tree(std::string_view{read.name}.substr(mark + tree_mark.size()));
    if (!read.tree) return std::nullopt;
    read.name.resize(mark);
  }
  if (read.name.empty() || read.name.size() > Announcement::name_bytes_max) return std::nullopt;
  if (!schema::is_utf8(read.name) || schema::has_control_character(read.name)) return std::nullopt;
  return read;
}

}  // namespace whence::store
