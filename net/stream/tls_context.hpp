#pragma once
// TLS from a certificate chain and its key.

#include "schema/base/error.hpp"

#include <memory>
#include <string>

#include <boost/asio/ssl/context.hpp>

namespace whence::net {

/// A server context for TLS 1.2 and later. Fails with `invalid_params` naming the file that does not load or the key
/// that does not belong to the certificate.
[[nodiscard]] Result<std::unique_ptr<boost::asio::ssl::context>> load_tls(std::string const& cert_file,
                                                                          std::string const& key_file);

}  // namespace whence::net
