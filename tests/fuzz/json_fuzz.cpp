// Fuzzes the JSON parser, the record decoder and the checks. Besides not crashing: what parses is written as a text
// that parses to the same canonical text, and a record without violations is written as one that reads back equal.
#include "schema/json/json.hpp"
#include "schema/records/check.hpp"
#include "schema/wire/codec.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  using namespace whence::schema;
  auto const document = json::parse({reinterpret_cast<char const*>(data), size});
  if (!document) return 0;
  auto const again = json::parse(json::to_text(document->value));
  require(again && json::to_canonical_text(again->value) == json::to_canonical_text(document->value));

  auto incoming = json::decode_record(document->value, document->duplicates);
  check(incoming, {.latest_time = {2'000'000'000, 0}});
  if (!incoming.is_usable || !incoming.violations.empty()) return 0;
  if (auto* const response = std::get_if<Response>(&incoming.record)) response->manifest_json.reset();
  auto const written = json::parse(json::to_text(incoming.record));
  require(written.has_value());
  auto const reread = json::decode_record(written->value);
  require(reread.violations.empty() && reread.record == incoming.record);
  return 0;
}
