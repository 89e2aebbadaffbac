// Fuzzes the reader of PROV-JSON. Besides not crashing: what it makes of a document are records whose text reads.
#include "schema/json/json.hpp"
#include "schema/prov/document.hpp"
#include "schema/prov/statements.hpp"
#include "schema/wire/codec.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  using namespace whence::schema;
  auto const import = json::read_prov_json({reinterpret_cast<char const*>(data), size});
  if (!import) return 0;
  for (std::string const& text : import->records) {
    auto const parsed = json::parse(text);
    if (!parsed || !parsed->duplicates.empty()) std::abort();
    auto incoming = json::decode_record(parsed->value);
    if (!incoming.is_usable) std::abort();
    if (json::prov_node_of(incoming.record) == nullptr) continue;  // one of ours may break the rules of its type
    check(incoming, {.latest_time = {2'000'000'000, 0}});
    if (!incoming.violations.empty()) std::abort();
    json::for_each_prov_statement(incoming.record, [](json::ProvStatement const& statement) {
      if (!json::parse(statement.attributes)) std::abort();
    });
  }
  return 0;
}
