#pragma once
// How it is known that something was made from something else.

#include "schema/types/named_enum.hpp"

#include <array>
#include <cstdint>
#include <string_view>

namespace whence::schema {

/// How a cause is known, and as what. Numbers are stored. `instruction` and `question` are given too: they are what the
/// model was instructed and asked, and have no part in shares.
enum class Basis : std::uint8_t {
  given,        ///< a client, a link or an id says so
  id,           ///< joined by the id of a tool's call, a response or a request
  text,         ///< its text is in what the model was sent
  place,        ///< earlier in the same branch of a trace, and nothing better is known
  instruction,  ///< given, in the role of an instruction
  question,     ///< given, in the role of the user's question
};

constexpr std::array<std::string_view, 6> enum_names(Basis) noexcept {
  return {"given", "id", "text", "place", "instruction", "question"};
}

/// What a cause was to its effect besides a source; empty: nothing.
[[nodiscard]] constexpr std::string_view role_of(Basis basis) noexcept {
  return basis == Basis::instruction || basis == Basis::question ? name_of(basis) : std::string_view{};
}
/// The basis without a role.
[[nodiscard]] constexpr Basis without_role(Basis basis) noexcept {
  return role_of(basis).empty() ? basis : Basis::given;
}

}  // namespace whence::schema
