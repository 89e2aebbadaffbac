// Fuzz target: any bytes as values of PackStream, in both dialects. What is read and written again is the same.

#include "net/bolt/handshake.hpp"
#include "net/bolt/packstream/reader.hpp"
#include "net/bolt/packstream/writer.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

namespace {

namespace bolt = whence::net::bolt;

void check_value(std::string_view bytes, bolt::Dialect dialect) {
  bolt::PackReader reader{bytes, dialect};
  auto const value = reader.read_value();
  if (!value) return;
  std::string written;
  bolt::PackWriter{written, dialect}.value(*value);
  bolt::PackReader again{written, dialect};
  auto const same = again.read_value();
  // Compared as bytes: a number that is none (NaN) does not equal itself.
  std::string twice;
  if (same) bolt::PackWriter{twice, dialect}.value(*same);
  if (!same || twice != written || !again.is_at_end()) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  std::string_view const bytes(reinterpret_cast<char const*>(data), size);
  for (auto const version : {bolt::version_4_4, bolt::version_5_4}) check_value(bytes, bolt::Dialect::of(version));
  return 0;
}
