// Fuzzes every stored form. The first byte chooses which. Besides not crashing: what decodes can be encoded again, and
// decodes to the same value.
#include "schema/stored/codec.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>

namespace {

using namespace whence::schema;

template <class Decode>
void round_trip(std::span<std::byte const> bytes, Decode const& decode_it) {
  auto const value = decode_it(bytes);
  if (!value) return;
  auto const words = stored::encode(*value);
  auto const again = decode_it(stored::bytes_of(words));
  if (!again || *again != *value) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  if (size == 0) return 0;
  auto const bytes = std::as_bytes(std::span{data, size}).subspan(1);
  if (data[0] == 0) {
    round_trip(bytes, stored::decode_log_entry);
  } else if (data[0] == 1) {
    round_trip(bytes, stored::decode_kept_answer);
  } else {
    auto const type = static_cast<RecordType>(data[0] % record_type_count);
    round_trip(bytes, [type](std::span<std::byte const> each) { return stored::decode(type, each); });
  }
  return 0;
}
