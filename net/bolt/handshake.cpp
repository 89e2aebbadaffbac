// Choosing a version.

#include "net/bolt/handshake.hpp"

#include <algorithm>
#include <array>

namespace whence::net::bolt {

namespace {

/// Versions of one major number.
struct Spoken {
  std::uint8_t major;
  std::uint8_t low;
  std::uint8_t high;
};

constexpr std::array<Spoken, 2> spoken = {{{5, 0, 4}, {4, 4, 4}}};

std::uint8_t at(std::string_view bytes, std::size_t place) noexcept {
  return static_cast<std::uint8_t>(bytes[place]);
}

/// A version as four bytes: two zeros, minor, major.
std::string version_bytes(Version version) {
  return {'\0', '\0', static_cast<char>(version.minor), static_cast<char>(version.major)};
}

/// The highest version of a proposal (zero, how many lower minors too, minor, major) that is spoken.
std::optional<Version> match(std::string_view proposal) noexcept {
  auto const high = at(proposal, 2);
  auto const low = static_cast<std::uint8_t>(high - std::min(at(proposal, 1), high));
  for (auto const& each : spoken) {
    if (each.major != at(proposal, 3) || at(proposal, 0) != 0) continue;
    auto const best = std::min(high, each.high);
    if (best >= std::max(low, each.low)) return Version{each.major, best};
  }
  return std::nullopt;
}

/// Manifest 1: how many ranges, the ranges, and a bit mask of capabilities, which is empty.
std::string manifest() {
  std::string text{"\x00\x00\x01\xFF", 4};
  text.push_back(static_cast<char>(spoken.size()));
  for (auto const& each : spoken) {
    text +=
        {'\0', static_cast<char>(each.high - each.low), static_cast<char>(each.high), static_cast<char>(each.major)};
  }
  text.push_back('\0');
  return text;
}

}  // namespace

Handshake answer_handshake(std::string_view bytes) {
  constexpr std::string_view manifest_proposal{"\x00\x00\x01\xFF", 4};
  if (bytes.size() != handshake_bytes || !bytes.starts_with(magic)) return {};
  for (std::size_t place = magic.size(); place < handshake_bytes; place += 4) {
    auto const proposal = bytes.substr(place, 4);
    if (proposal == manifest_proposal) return {.step = Handshake::Step::manifest, .answer = manifest()};
    if (auto const version = match(proposal)) {
      return {.step = Handshake::Step::agreed, .version = *version, .answer = version_bytes(*version)};
    }
  }
  return {.answer = std::string(4, '\0')};
}

std::optional<Handshake> take_choice(std::string_view& input) {
  constexpr std::size_t choice_bytes = 5;
  if (input.size() < choice_bytes) return std::nullopt;
  auto const chosen = match(input.substr(0, 4));
  bool const is_exact = at(input, 1) == 0 && at(input, 4) == 0;
  input.remove_prefix(choice_bytes);
  if (!chosen || !is_exact) return Handshake{};
  return Handshake{.step = Handshake::Step::agreed, .version = *chosen};
}

}  // namespace whence::net::bolt
