#pragma once
// The first bytes of a connection: which version of Bolt both sides speak.

#include "net/bolt/packstream/dialect.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace whence::net::bolt {

/// What a client sends first: these four bytes and four proposals of four bytes each.
inline constexpr std::string_view magic{"\x60\x60\xB0\x17", 4};
inline constexpr std::size_t handshake_bytes = 20;

/// How the handshake goes on.
struct Handshake {
  enum class Step : std::uint8_t {
    agreed,    ///< on `version`
    manifest,  ///< the client chooses from what `answer` lists
    refused,   ///< there is no version that both speak, or the bytes are no handshake
  };
  Step step = Step::refused;
  Version version = {};
  std::string answer = {};  ///< to be sent; empty: the connection just ends
};

/// Takes the first proposal that there is a version for: of a range its highest. `bytes` are the first
/// `handshake_bytes`.
[[nodiscard]] Handshake answer_handshake(std::string_view bytes);

/// What a client chose from the manifest: a version in four bytes and its capabilities, of which there are none.
/// Nothing while bytes are missing; `refused` for what was not listed. Takes the bytes from the front of `input`.
[[nodiscard]] std::optional<Handshake> take_choice(std::string_view& input);

}  // namespace whence::net::bolt
