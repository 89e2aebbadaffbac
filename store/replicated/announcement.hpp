#pragma once
// What a node tells the others of itself, as text: `ID POSITION NAME`, then, each after a blank, `tree:SIZE/ROOT` where
// it has signed a checkpoint, the root in hex, and `bolt://HOST:PORT` where it speaks Bolt. Nodes from before know
// these as a part of the name.

#include "schema/proof/checkpoint.hpp"

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

  std::string id;                                    ///< of no other node
  std::uint64_t position = 0;                        ///< sequence of the last message that it has taken
  std::string name;                                  ///< for people; of UTF-8 without control characters
  std::optional<schema::proof::TreeHead> tree = {};  ///< of the newest checkpoint that it has signed
  std::string bolt = {};  ///< `HOST:PORT` at which it speaks Bolt; empty: nowhere that others are told

  friend bool operator==(Announcement const&, Announcement const&) = default;
};

[[nodiscard]] std::string to_text(Announcement const& announcement);

/// Nothing where `text` is not what `to_text` makes of an announcement within the limits.
[[nodiscard]] std::optional<Announcement> parse_announcement(std::string_view text);

}  // namespace whence::store
