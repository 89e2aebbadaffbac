#pragma once
// The OpenRPC 1.3 document, made from the method table, the field tables and the error table.

#include <string>

namespace whence::net {

/// The document of exactly the methods that exist, as compact JSON.
[[nodiscard]] std::string make_openrpc();

}  // namespace whence::net
