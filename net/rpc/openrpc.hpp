#pragma once
// The OpenRPC 1.3 document, made from the method table, the field tables and the error table.

#include <cstdint>
#include <string>

namespace whence::net {

/// The document of exactly the methods that exist, as compact JSON. `page_max` is the most that `limit` may be.
[[nodiscard]] std::string make_openrpc(std::uint32_t page_max);

}  // namespace whence::net
