#pragma once
// The table of paths, and the checks before a path is served.

#include "net/access/claims.hpp"
#include "net/access/grant.hpp"
#include "net/access/role.hpp"
#include "net/pages/http_answer.hpp"
#include "net/serving/origin.hpp"
#include "net/serving/shared.hpp"

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <boost/beast/http/message.hpp>
#include <boost/beast/http/status.hpp>
#include <boost/beast/http/string_body.hpp>

namespace whence::net {

/// One path, or all that begin with it.
struct Route {
  enum class Kind { page, rpc, mcp, upgrade, bolt, traces, logs, metrics, lineage, lineage_batch, media };
  std::string_view path;     ///< with a `/` at its end: followed by anything
  std::string_view methods;  ///< as in `Allow`
  enum class Access { everybody, token, token_or_hello } access;
  Kind kind;
  /// Of a `page`; `rest` is what follows `path`.
  HttpAnswer (*page)(ServerShared const& shared, Namespace const& where, std::string_view rest);
  Role role;                ///< that it needs, where it needs a token
  std::string_view right;   ///< the method that gives the same; empty: each request in it is checked by itself
  bool needs_store = true;  ///< else it is at the root also where only namespaces are served
};

/// Every path there is.
[[nodiscard]] std::span<Route const> routes() noexcept;

/// A request that may be served: by which route, of which store, for whom.
struct Admission {
  Route const* route;
  Namespace const* where;
  Grant grant;            ///< of the role `none` where a hello with a token must follow
  Claims claims;          ///< that hold beside a token
  std::string_view rest;  ///< what follows the route's path in the request, up to a `?`
};

/// What is known of a request beside its head.
struct Circumstances {
  OriginPolicy::Arrival arrival;
  std::string peer = {};                             ///< address of the other side, without brackets
  std::optional<CertificateClaim> certificate = {};  ///< of the connection
  Arriving arriving = Arriving::main;
  bool is_late = false;  ///< the connection was accepted while draining
};

/// Checks, in this order: the host and origin (403), draining (503), a preflight (204), headers of a proxy that is not
/// trusted (403), the token (401), the path (404), the method (405), the right (403; but of telemetry, whose refusals
/// have a form of their own), the upgrade (426, 400). Answers the request itself where one of them ends it.
[[nodiscard]] boost::system::result<Admission, HttpAnswer> admit(HttpRequest const& request, ServerShared const& shared,
                                                                 Circumstances const& circumstances);

/// Lets pages of an accepted origin read the answer (Fetch standard, CORS protocol).
void add_cors_fields(HttpRequest const& request, HttpAnswer& answer);

}  // namespace whence::net
