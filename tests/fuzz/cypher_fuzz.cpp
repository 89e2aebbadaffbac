// Fuzzes the texts of the query language: queries, moments and durations as texts, compiled time zones.
#include "queries/cypher/query.hpp"
#include "queries/cypher/values/duration.hpp"
#include "queries/cypher/values/moment_parts.hpp"
#include "queries/cypher/values/zones.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  using namespace whence::queries::cypher;
  std::string_view const text{reinterpret_cast<char const*>(data), size};
  auto const prepared = prepare(text);
  // What is refused says where: every place lies in the text, or just behind it.
  if (!prepared && prepared.error().place.line > size + 1) std::abort();
  for (auto const type :
       {ValueType::date, ValueType::local_time, ValueType::time, ValueType::local_date_time, ValueType::date_time}) {
    if (auto const parts = parse_moment(text, type)) static_cast<void>(value_of(*parts, type));
  }
  if (auto const duration = parse_duration(text)) {
    if (duration_text(*duration).empty()) std::abort();
  }
  if (auto const zone = parse_zone(text)) {
    static_cast<void>(zone->offset_at(0));
    static_cast<void>(zone->offset_of_local(4'000'000'000));
  }
  return 0;
}
