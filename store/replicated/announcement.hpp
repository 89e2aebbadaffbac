#pragma once
// What a node says of itself to the others, as text: `ID POSITION NAME`, and `bolt://HOST:PORT` after a blank where it
// speaks Bolt. Nodes from before know that as a part of the name.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace whence::store {

struct Announcement {
  static constexpr std::size_t id_bytes_max = 64;
  static constexpr std::size_t name_bytes_max = 200;
  static constexpr std::size_t bolt_bytes_max = 100;

  std::string id;              ///< of no other node
  std::uint64_t position = 0;  ///< sequence of the last message that it has taken
  std::string name;            ///< for people; of UTF-8 without control characters
  std::string bolt = {};       ///< `HOST:PORT` at which it speaks Bolt; empty: none that others get

  friend bool operator==(Announcement const&, Announcement const&) = default;
};

[[nodiscard]] std::string to_text(Announcement const& announcement);

/// Nothing where `text` is not what `to_text` makes of an announcement within the limits.
[[nodiscard]] std::optional<Announcement> parse_announcement(std::string_view text);

}  // namespace whence::store
