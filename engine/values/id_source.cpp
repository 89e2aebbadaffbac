#include "engine/values/id_source.hpp"

#include "schema/encoding/hex.hpp"

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <system_error>

#include <unistd.h>

namespace whence::engine {

/// RFC 9562, section 5.4: 122 random bits, version 4, variant 10.
std::string RandomIds::uuid() {
  std::array<std::uint8_t, 16> bytes{};
  if (::getentropy(bytes.data(), bytes.size()) != 0) {
    throw std::system_error(errno, std::generic_category(), "getentropy");
  }
  bytes[6] = static_cast<std::uint8_t>((bytes[6] & 0x0fU) | 0x40U);
  bytes[8] = static_cast<std::uint8_t>((bytes[8] & 0x3fU) | 0x80U);
  return schema::uuid_text(bytes);
}

std::string request_id_of(schema::Time now, std::string const& uuid) {
  constexpr std::string_view digits = "0123456789abcdefghijklmnopqrstuvwxyz";
  std::uint64_t random =
      std::stoull(uuid.substr(0, 8), nullptr, 16) << 16U | std::stoull(uuid.substr(9, 4), nullptr, 16);
  std::string id = "req_";
  for (char const c : schema::format_rfc3339(now).substr(0, 10)) {
    if (c != '-') id.push_back(c);
  }
  id.push_back('_');
  for (int i = 0; i < 6; ++i, random /= digits.size()) id.push_back(digits[random % digits.size()]);
  return id;
}

}  // namespace whence::engine
