// Fuzzes both forms of OTLP and the mapping: the first byte chooses the form and the signal, the rest is the body.
// Besides not crashing: what is read has ids of their length, and texts that are UTF-8.
#include "net/capture/otlp.hpp"
#include "net/capture/spans/read_telemetry.hpp"
#include "schema/base/text.hpp"
#include "schema/json/json.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <utility>

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  using namespace whence::net::capture;
  if (size == 0) return 0;
  std::string_view const body{reinterpret_cast<char const*>(data) + 1, size - 1};
  auto const signal = (data[0] & 2) != 0 ? Signal::logs : Signal::traces;
  std::size_t unnamed = 0;
  auto decoded = (data[0] & 1) != 0 ? decode_json(body, signal, unnamed) : decode_protobuf(body, signal, unnamed);
  if (!decoded) return 0;
  for (auto const& span : decoded->spans) {
    require(span.name.trace.size() == 32 && span.name.span.size() == 16);
    require(span.parent.empty() || span.parent.size() == 16);
    require(whence::schema::is_utf8(whence::schema::json::to_text(span.attributes)));
  }
  auto const captured = read_telemetry(std::move(*decoded), now_nanos());
  for (auto const& span : captured.spans) require(span.end >= span.start);
  return 0;
}
