#pragma once
// One example of each method, as a caller would send it to a server with the demo's graph.

#include "schema/json/writer.hpp"

#include <string_view>

namespace whence::net {

/// The params of the example of a method, a JSON object; empty for a method without one.
[[nodiscard]] std::string_view example_of(std::string_view method) noexcept;

/// Writes the member `examples` of OpenRPC into the open object: one pairing, without a result, whose params have the
/// names of the method's. Nothing where there is no example.
void write_examples(schema::json::Writer& out, std::string_view method);

}  // namespace whence::net
