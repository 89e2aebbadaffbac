#pragma once
// A group as the messages of a stream: cut where it is larger than a message may be, put together again where all of
// its parts follow each other.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace whence::store {

/// Which part of which group a message is.
struct PartName {
  std::string group;         ///< of no other group, the same for all parts
  std::uint32_t number = 1;  ///< from 1
  std::uint32_t count = 1;

  friend bool operator==(PartName const&, PartName const&) = default;
};

/// 32 new hex digits.
[[nodiscard]] std::string random_name();

/// "GROUP/NUMBER/COUNT", and back; nothing where the text is not of that form.
[[nodiscard]] std::string to_text(PartName const& name);
[[nodiscard]] std::optional<PartName> parse_part_name(std::string_view text);

/// The pieces of at most `bytes_max` bytes, in order; one empty piece where there are no bytes.
[[nodiscard]] std::vector<std::span<std::byte const>> cut(std::span<std::byte const> bytes, std::size_t bytes_max);

/// Puts groups together from messages in the order of the stream. Parts that another message interrupts are void: their
/// sender was refused. So are those of a group larger than `group_bytes_max`, which no node writes.
class GroupAssembly {
 public:
  static constexpr std::size_t group_bytes_max = std::size_t{1} << 30;

  /// The whole group that ends with this part; nothing while parts are missing.
  [[nodiscard]] std::optional<std::vector<std::byte>> add(PartName const& name, std::vector<std::byte> bytes);

 private:
  PartName last_ = {};  ///< of `bytes_`; number 0: none
  std::vector<std::byte> bytes_;
};

}  // namespace whence::store
