// Fuzzes the XML reader. Besides not crashing: a second reading says the same, and what is accepted is written from its
// parts as a document that is accepted with equal parts.
#include "schema/xml/contract.hpp"

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
  std::string_view const bytes{reinterpret_cast<char const*>(data), size};
  auto const document = xml::read(bytes);
  auto const again = xml::read(bytes);
  require(document.has_value() == again.has_value());
  if (!document) {
    require(document.error() == again.error());
    require(document.error().violations.size() == 1 && document.error().violations.front().xml);
    return 0;
  }
  require(document->parts == again->parts && document->warnings == again->warnings);
  auto const written = xml::write(document->parts);
  require(written.has_value());
  auto const reread = xml::read(*written, format_of(document->parts));
  require(reread && reread->parts == document->parts);
  return 0;
}
