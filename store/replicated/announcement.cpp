#include "store/replicated/announcement.hpp"

#include "schema/base/text.hpp"

#include <charconv>

namespace whence::store {

std::string to_text(Announcement const& announcement) {
  return announcement.id + ' ' + std::to_string(announcement.position) + ' ' + announcement.name;
}

std::optional<Announcement> parse_announcement(std::string_view text) {
  auto const id_end = text.find(' ');
  if (id_end == 0 || id_end == std::string_view::npos || id_end > Announcement::id_bytes_max) return std::nullopt;
  Announcement read{.id = std::string{text.substr(0, id_end)}, .name = {}};
  auto const* const end = text.data() + text.size();
  auto const [number_end, failed] = std::from_chars(text.data() + id_end + 1, end, read.position);
  if (failed != std::errc{} || number_end == end || *number_end != ' ') return std::nullopt;
  read.name.assign(number_end + 1, end);
  if (read.name.empty() || read.name.size() > Announcement::name_bytes_max) return std::nullopt;
  if (!schema::is_utf8(read.name) || schema::has_control_character(read.name)) return std::nullopt;
  return read;
}

}  // namespace whence::store
