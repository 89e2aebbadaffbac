// The table of paths and the checks before them.

#include "net/pages/routes.hpp"

#include "net/access/rights.hpp"
#include "net/pages/log_pages.hpp"
#include "net/pages/metrics_page.hpp"
#include "net/state/service_state.hpp"
#include "net/stream/tls_context.hpp"
#include "schema/base/digest.hpp"
#include "schema/records/record_reader.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>
#include <utility>

#include <boost/beast/core/string.hpp>
#include <boost/beast/http/field.hpp>
#include <boost/beast/http/rfc7230.hpp>
#include <boost/beast/http/verb.hpp>
#include <boost/beast/websocket/rfc6455.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

namespace whence::net {

namespace {

namespace http = boost::beast::http;
using http::field;
using http::status;

constexpr std::uintmax_t free_bytes_min = std::uintmax_t{64} << 20;  ///< below it the store may soon refuse writes

HttpAnswer health_page(ServerShared const&, Namespace const&, std::string_view) {
  return {.body = R"({"status":"ok"})"};
}

/// Why a store takes no writes, or is not to be trusted.
void add_reasons(std::set<std::string_view>& reasons, Namespace const& where) {
  auto const& engine = *where.engine;
  std::error_code unknown;
  auto const space = std::filesystem::space(engine.directory(), unknown);
  if (!unknown && space.available < free_bytes_min) reasons.insert("disk");
  if (auto const why = engine.find_no_room()) reasons.insert(why == store::NoRoom::disk ? "disk" : "file_size");
  if (engine.failure()) reasons.insert("store");
  if (auto const log = engine.shared_log(); log && !log->is_connected) reasons.insert("log");
  if (where.service->state().forks.fork()) reasons.insert("fork");
}

/// The root's speaks for all stores, and names none.
HttpAnswer ready_page(ServerShared const& shared, Namespace const& where, std::string_view) {
  std::set<std::string_view> reasons;
  for (auto const* const each : shared.namespaces.stores()) {
    if (where.name.empty() || each == &where) add_reasons(reasons, *each);
  }
  if (reasons.empty() && !shared.is_draining) {
    boost::json::object body{{"ready", true}};
    if (where.engine != nullptr) body.emplace("tx", schema::number(where.engine->snapshot().tx()));
    return {.body = boost::json::serialize(body)};
  }
  boost::json::array listed;
  for (auto const reason : {"draining", "disk", "file_size", "store", "log", "fork"}) {
    if (reasons.contains(reason) || (shared.is_draining && reason == std::string_view{"draining"}))
      listed.emplace_back(reason);
  }
  boost::json::object const body{{"ready", false}, {"reasons", std::move(listed)}};
  return {.status = status::service_unavailable, .body = boost::json::serialize(body)};
}

ShellFigures figures_of(ServerShared const& shared) {
  auto const& counts = shared.counts;
  ShellFigures figures{.connections = shared.connections,
                       .connections_max = shared.config.connections_max,
                       .websockets = counts.websockets,
                       .bolt_connections = counts.bolt_connections,
                       .busy_http = counts.busy_http,
                       .busy_websockets = counts.busy_websockets,
                       .busy_connections = counts.busy_connections,
                       .busy_bolt = counts.busy_bolt,
                       .is_draining = shared.is_draining};
  figures.access_refused = shared.audit->refusals();
  for (auto const* const each : shared.namespaces.stores()) {
    figures.access_refused += each->service->state().audit.refusals();
  }
  if (auto const tls = shared.tls.get()) figures.certificate_expiry_s = certificate_of(*tls).expires_s;
  return figures;
}

/// The root's has the metrics of all stores and of the process, a namespace's its own alone.
HttpAnswer metrics_page(ServerShared const& shared, Namespace const& where, std::string_view) {
  constexpr char const* type = "text/plain; version=0.0.4";
  if (!where.name.empty()) return {.body = metrics_text(where), .content_type = type};
  return {.body = metrics_text(shared.namespaces.stores(), figures_of(shared)), .content_type = type};
}

HttpAnswer openrpc_page(ServerShared const&, Namespace const& where, std::string_view) {
  return {.body = where.service->openrpc()};
}

/// The bytes of an XML text as they were written. At most a mebibyte is read and hashed: a few milliseconds, not worth
/// a worker.
HttpAnswer blob_page(ServerShared const&, Namespace const& where, std::string_view name) {
  auto const digest = schema::digest_from_hex(name);
  if (!digest) return error_answer(status::not_found, "a blob is named by the 64 lower-case hex digits of its SHA-256");
  auto blob = where.engine->records().read_blob(*digest);
  bool const is_gone = !blob && blob.error().code == Errc::purged;
  if (!blob && !is_gone) return error_answer(status::internal_server_error, blob.error().message);
  // A text that was removed is answered as one that never was: a guess of it learns nothing.
  if (is_gone || !*blob) return error_answer(status::not_found, "no such blob");
  HttpAnswer answer{.body = std::move(**blob), .content_type = "application/xml", .is_foreign = true};
  answer.fields.emplace_back(field::etag, "\"" + std::string{name} + "\"");
  answer.fields.emplace_back(field::cache_control, "private, immutable");
  return answer;
}

/// The page at `/` where the explorer was not built.
constexpr std::string_view no_explorer_page =
    "<!doctype html><html lang=en><meta charset=utf-8><title>Whence</title><h1>Whence</h1>"
    "<p>The engine is running. Its explorer is not here: build it with <code>tools/explorer/build</code> and name the "
    "folder with <code>serve --explorer DIR</code>.</p><p>Methods: <a href=openrpc.json>openrpc.json</a></p></html>";

/// One file of the explorer, which may ask nothing of anybody but this server.
HttpAnswer explorer_page(ServerShared const& shared, Namespace const&, std::string_view name) {
  HttpAnswer answer{.content_type = "text/html; charset=utf-8", .is_own_page = true};
  if (shared.pages.is_empty() && name == "index.html") {
    answer.body = no_explorer_page;
  } else if (auto const* const file = shared.pages.find(name)) {
    answer.body = file->bytes;
    answer.gzipped = file->gzipped;
    answer.content_type = file->content_type;
  } else {
    return error_answer(status::not_found, "no such file of the explorer");
  }
  answer.fields.emplace_back(field::cache_control, "no-cache");
  return answer;
}

HttpAnswer root_page(ServerShared const& shared, Namespace const& where, std::string_view) {
  return explorer_page(shared, where, "index.html");
}

/// `JOB/NAME` of a finished export.
HttpAnswer export_page(ServerShared const&, Namespace const& where, std::string_view rest) {
  auto const slash = rest.find('/');
  auto const name = slash == std::string_view::npos ? std::string_view{} : rest.substr(slash + 1);
  auto file = where.service->find_export(std::string(rest.substr(0, slash)), name);
  if (!file) return error_answer(status::not_found, "no such file of an export");
  HttpAnswer answer{.file = std::move(file->path), .content_type = "application/octet-stream", .is_foreign = true};
  answer.fields.emplace_back(field::etag, "\"" + schema::to_hex(file->sha256) + "\"");
  answer.fields.emplace_back(field::cache_control, "private, immutable");
  return answer;
}

using Access = Route::Access;
using RouteKind = Route::Kind;

/// Where SDKs of Langfuse send spans, and ask where to send the bytes of images. They show a public and a secret key by
/// Basic authentication: the secret is a token.
constexpr std::string_view langfuse_path = "/api/public/otel/v1/traces";
constexpr std::string_view langfuse_media_path = "/api/public/media";
/// What the SDKs of LangSmith and Braintrust append to the address that they are given.
constexpr std::string_view otel_path = "/otel/v1/traces";

constexpr std::array<Route, 22> route_table = {{
    {"/", "GET, HEAD", Access::everybody, RouteKind::page, root_page, Role::none, ""},
    {"/explorer/", "GET, HEAD", Access::everybody, RouteKind::page, explorer_page, Role::none, ""},
    {"/healthz", "GET, HEAD", Access::everybody, RouteKind::page, health_page, Role::none, "", false},
    {"/readyz", "GET, HEAD", Access::everybody, RouteKind::page, ready_page, Role::none, "", false},
    {"/metrics", "GET, HEAD", Access::token, RouteKind::page, metrics_page, Role::metrics, "server.info", false},
    {"/openrpc.json", "GET, HEAD", Access::token, RouteKind::page, openrpc_page, Role::read, "rpc.discover"},
    {"/blob/", "GET, HEAD", Access::token, RouteKind::page, blob_page, Role::read, "attachment.get"},
    {"/log/checkpoint", "GET, HEAD", Access::token, RouteKind::page, log_checkpoint_page, Role::read, "log.checkpoint"},
    {"/log/tile/", "GET, HEAD", Access::token, RouteKind::page, log_tile_page, Role::read, "log.checkpoint"},
    {"/export/", "GET, HEAD", Access::token, RouteKind::page, export_page, Role::read, "export.status"},
    {"/rpc", "POST", Access::token, RouteKind::rpc, nullptr, Role::read, ""},
    {"/mcp", "POST", Access::token, RouteKind::mcp, nullptr, Role::read, ""},
    {"/v1/traces", "POST", Access::token, RouteKind::traces, nullptr, Role::write, "records.write"},
    {"/v1/logs", "POST", Access::token, RouteKind::logs, nullptr, Role::write, "records.write"},
    {"/v1/metrics", "POST", Access::token, RouteKind::metrics, nullptr, Role::write, "records.write"},
    {langfuse_path, "POST", Access::token, RouteKind::traces, nullptr, Role::write, "records.write"},
    {otel_path, "POST", Access::token, RouteKind::traces, nullptr, Role::write, "records.write"},
    {langfuse_media_path, "POST", Access::token, RouteKind::media, nullptr, Role::write, "records.write"},
    {"/api/v1/lineage", "POST", Access::token, RouteKind::lineage, nullptr, Role::write, "records.write"},
    {"/api/v1/lineage/batch", "POST", Access::token, RouteKind::lineage_batch, nullptr, Role::write, "records.write"},
    {"/bolt", "GET, HEAD", Access::everybody, RouteKind::bolt, nullptr, Role::none, "query", false},
    {"/ws", "GET, HEAD", Access::token_or_hello, RouteKind::upgrade, nullptr, Role::read, ""},
}};

std::string_view view(boost::beast::string_view text) noexcept {
  return {text.data(), text.size()};
}

/// The host and the path that a request asks for.
struct Target {
  std::optional<std::string_view> authority;  ///< of a target in absolute form; else `Host` names it
  std::string_view path;
};

/// Every server takes targets in absolute form (RFC 9112 3.2.2), which clients send to proxies.
Target target_of(HttpRequest const& request) noexcept {
  auto target = view(request.target());
  std::optional<std::string_view> authority;
  for (std::string_view const scheme : {"http://", "https://"}) {
    if (!boost::beast::iequals(target.substr(0, scheme.size()), scheme)) continue;
    target.remove_prefix(scheme.size());
    authority = target.substr(0, target.find_first_of("/?"));
    target.remove_prefix(authority->size());
    break;
  }
  auto const path = target.substr(0, target.find('?'));
  return {.authority = authority, .path = path.empty() && authority ? "/" : path};
}

/// Whether a text is `HOST[:PORT]` as RFC 3986 (3.2.2, 3.2.3) writes them.
bool is_authority(std::string_view text) noexcept {
  constexpr std::string_view digits = "0123456789";
  constexpr std::string_view in_literal = "0123456789abcdefABCDEF:.";
  constexpr std::string_view in_name = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~%!$&'()*+,;=";
  bool const is_literal = text.starts_with('[');
  if (is_literal) text.remove_prefix(1);
  auto const host_end = std::min(text.find_first_not_of(is_literal ? in_literal : in_name), text.size());
  bool const is_closed = !is_literal || (host_end > 0 && text.substr(host_end).starts_with(']'));
  auto const rest = text.substr(std::min(host_end + (is_literal ? 1 : 0), text.size()));
  bool const has_port = rest.starts_with(':') && rest.find_first_not_of(digits, 1) == std::string_view::npos;
  return is_closed && (rest.empty() || has_port);
}

Route const* find_route(std::string_view path) noexcept {
  auto const found = std::ranges::find_if(route_table, [path](Route const& route) {
    bool const is_folder = route.path.size() > 1 && route.path.ends_with('/');
    return is_folder ? path.starts_with(route.path) : path == route.path;
  });
  return found == route_table.end() ? nullptr : &*found;
}

/// Whether a path is there for those who watch.
bool is_for_watching(Route const& route) noexcept {
  return route.path == "/metrics" || route.path == "/healthz" || route.path == "/readyz";
}

/// The route of a path. On Bolt's own port there is Bolt alone, also at `/`, to which drivers in browsers connect;
/// where nothing runs statements there is none. On the metrics' own address there is what shows the state of the
/// server.
Route const* find_route_at(std::string_view path, Arriving arriving, ServerShared const& shared) noexcept {
  auto const* const route = find_route(arriving == Arriving::bolt && path == "/" ? "/bolt" : path);
  if (arriving == Arriving::metrics) return route != nullptr && is_for_watching(*route) ? route : nullptr;
  bool const is_bolt = route != nullptr && route->kind == Route::Kind::bolt;
  if (arriving == Arriving::bolt && !is_bolt) return nullptr;
  return is_bolt && !shared.config.make_runner ? nullptr : route;
}

/// A page of the main port may use Bolt's.
std::optional<HttpAnswer> check_names(HttpRequest const& request, Target const& target, ServerShared const& shared,
                                      Circumstances const& circumstances) {
  auto const& arrival = circumstances.arrival;
  bool const is_bolt = circumstances.arriving == Arriving::bolt;
  auto const& origins = shared.origins.at(circumstances.arriving);
  auto const hosts = request.count(field::host);
  if (hosts > 1 || (hosts == 0 && request.version() >= 11))
    return error_answer(status::bad_request, "one Host is needed");
  auto const named = hosts == 1 ? std::optional{view(request[field::host])} : std::nullopt;
  for (auto const& authority : {named, target.authority}) {
    if (authority && !is_authority(*authority)) return error_answer(status::bad_request, "Host: expected HOST[:PORT]");
  }
  auto const host = target.authority ? target.authority : named;
  if (host && !origins.accepts_host(*host, arrival)) return error_answer(status::forbidden, "unknown Host");
  for (auto [at, end] = request.equal_range(field::origin); at != end; ++at) {
    auto const origin = view(at->value());
    if (!origins.accepts_origin(origin, arrival) &&
        !(is_bolt && shared.origins.at(Arriving::main).accepts_origin(origin, arrival))) {
      return error_answer(status::forbidden, "Origin not allowed");
    }
  }
  return std::nullopt;
}

/// Draining: `/readyz` still answers, and requests on connections from before are answered by their session.
std::optional<HttpAnswer> check_draining(Route const* route, ServerShared const& shared, bool is_late) {
  if (!shared.is_draining || (route != nullptr && route->path == "/readyz")) return std::nullopt;
  bool const is_call = route != nullptr && !route->methods.starts_with("GET");
  if (!is_late && is_call) return std::nullopt;
  auto answer = error_answer(status::service_unavailable, "shutting down");
  answer.fields.emplace_back(field::retry_after, "1");
  return answer;
}

/// A browser asking whether it may send the real request; it carries no token.
std::optional<HttpAnswer> answer_preflight(HttpRequest const& request, Route const* route) {
  if (route == nullptr || request.method() != http::verb::options) return std::nullopt;
  if (request.count(field::origin) == 0 || request.count(field::access_control_request_method) == 0)
    return std::nullopt;
  HttpAnswer answer{.status = status::no_content};
  answer.fields.emplace_back(field::access_control_allow_methods, route->methods);
  answer.fields.emplace_back(field::access_control_allow_headers,
                             "Authorization, Content-Type, MCP-Protocol-Version, Mcp-Method, Mcp-Name");
  answer.fields.emplace_back(field::access_control_max_age, "600");
  return answer;
}

/// What the request says of its sender beside a token. Headers that a proxy uses are refused from anybody else: a
/// client that sends them is wrong about something, or wants to be somebody.
boost::system::result<Claims, HttpAnswer> claims_of(HttpRequest const& request, ServerShared const& shared,
                                                    Circumstances const& circumstances) {
  Claims claims{.certificate = circumstances.certificate};
  auto const& proxies = shared.proxies;
  if (proxies.is_empty()) return claims;
  auto const users = request.count(proxies.user_header());
  auto const roles = request.count(proxies.role_header());
  if (users == 0 && roles == 0) return claims;
  if (!proxies.trusts(circumstances.peer)) {
    auto const message = proxies.user_header() + " and " + proxies.role_header() +
                         " are taken from the addresses of --trust-proxy alone";
    return error_answer(status::forbidden, message);
  }
  if (users > 1 || roles > 1) return error_answer(status::bad_request, "a header of the proxy is there twice");
  auto claim = TrustedProxies::read(view(request[proxies.user_header()]), view(request[proxies.role_header()]));
  if (!claim) return error_answer(status::unauthorized, claim.error().message);
  claims.user = std::move(*claim);
  return claims;
}

/// The token of a request of LangSmith's SDKs, which show a key in a header of their own; empty: it is none.
std::string_view key_of_langsmith(HttpRequest const& request, Route const* route) {
  bool const may_be_key = route != nullptr && (route->path == otel_path || route->path == "/v1/traces");
  return may_be_key && request.count("x-api-key") == 1 ? view(request["x-api-key"]) : std::string_view{};
}

/// What the request's sender may do; of the role `none` where no identity is needed, or a hello follows. A person whom
/// a proxy names goes before a token, which then is one for the proxy, and a token before a certificate.
Grant find_grant(HttpRequest const& request, Route const* route, Namespace const& where, Namespace const& root,
                 Claims const& claims, std::optional<Role> certificate_role, bool& is_enough) {
  auto const current = where.tokens.get();
  auto const& tokens = *current;
  is_enough = true;
  if (tokens.is_open()) return Grant{.role = Role::admin};
  auto const access = route == nullptr ? Access::token : route->access;
  // Whether there is a namespace of a name, and how much is in it, is not shown.
  bool const is_hidden = &where != &root && route != nullptr && route->path == "/readyz";
  if (access == Access::everybody && !is_hidden) return {};
  Grant grant{.standing = Standing::unknown};
  bool has_shown = true;
  if (claims.user) {
    grant = tokens.find(*claims.user, where.now());
  } else if (request.count(field::authorization) > 0) {
    auto const value = view(request[field::authorization]);
    bool const may_be_basic = route != nullptr && (route->path == langfuse_path || route->path == langfuse_media_path);
    if (auto const secret = parse_bearer(value)) {
      grant = tokens.find(*secret, where.now());
    } else if (auto const password = may_be_basic ? parse_basic_password(value) : std::nullopt) {
      grant = tokens.find(*password, where.now());
    }
  } else if (auto const key = key_of_langsmith(request, route);
             !key.empty() && (!claims.certificate || tokens.find(key, where.now()).standing != Standing::unknown)) {
    grant = tokens.find(key, where.now());
  } else if (claims.certificate) {
    grant = tokens.find(*claims.certificate, certificate_role, where.now());
    has_shown = grant.standing != Standing::unknown;  // one without a role may say hello with a token
  } else {
    has_shown = false;
  }
  is_enough = grant.role != Role::none || (!has_shown && access == Access::token_or_hello);
  return grant;
}

HttpAnswer unknown_path(ServerShared const& shared) {
  return error_answer(status::not_found, shared.namespaces.are_named()
                                             ? "no such path; the store of a namespace is below /ns/NAME/"
                                             : "no such path");
}

HttpAnswer unauthorized() {
  auto answer = error_answer(status::unauthorized, "a bearer token is needed");
  answer.fields.emplace_back(field::www_authenticate, "Bearer");
  return answer;
}

std::optional<HttpAnswer> check_method(HttpRequest const& request, Route const& route) {
  for (auto const& allowed : http::token_list{route.methods}) {  // names of methods are case-sensitive
    if (view(allowed) == view(request.method_string())) return std::nullopt;
  }
  auto answer = error_answer(status::method_not_allowed, "method not allowed");
  answer.fields.emplace_back(field::allow, route.methods);
  return answer;
}

/// Whether `key` is the base64 of 16 bytes (RFC 6455 4.2.1).
bool is_websocket_key(std::string_view key) noexcept {
  if (key.size() != 24 || !key.ends_with("==")) return false;
  return std::ranges::all_of(key.substr(0, 22), [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '+' || c == '/';
  });
}

HttpAnswer upgrade_required() {
  auto answer = error_answer(status::upgrade_required, "a WebSocket upgrade (version 13) is needed");
  answer.fields.emplace_back(field::upgrade, "websocket");
  answer.fields.emplace_back(field::connection, "Upgrade");
  answer.fields.emplace_back(field::sec_websocket_version, "13");
  return answer;
}

/// Everything the library would refuse in its own words, so that the handshake cannot fail after this.
std::optional<HttpAnswer> check_upgrade(HttpRequest const& request, Route::Kind kind) {
  if (!boost::beast::websocket::is_upgrade(request) || request[field::sec_websocket_version] != "13") {
    return upgrade_required();
  }
  if (request.count(field::sec_websocket_key) != 1 || !is_websocket_key(view(request[field::sec_websocket_key]))) {
    return error_answer(status::bad_request, "bad Sec-WebSocket-Key");
  }
  if (kind == Route::Kind::bolt) return std::nullopt;  // no subprotocol is named: drivers offer none
  bool is_any_offered = false;
  for (auto [at, end] = request.equal_range(field::sec_websocket_protocol); at != end; ++at) {
    is_any_offered = true;
    for (auto const& offered : http::token_list{at->value()}) {  // compared exactly (RFC 6455 4.1)
      if (view(offered) == subprotocol_name) return std::nullopt;
    }
  }
  if (!is_any_offered) return std::nullopt;
  return error_answer(status::bad_request, "supported subprotocol: " + std::string{subprotocol_name});
}

/// The log of the store, or of the process where the path is of none.
void tell_refused(ServerShared const& shared, Namespace const& where, Grant const& grant, Route const* route,
                  Circumstances const& circumstances, std::string_view why) {
  auto& audit = where.engine == nullptr ? *shared.audit : where.service->state().audit;
  audit.refused(grant, route == nullptr ? "unknown path" : route->path, circumstances.peer, why);
}

/// Where a right is missing, telemetry gets the answer in its own form.
std::optional<HttpAnswer> check_route(ServerShared const& shared, Namespace const& where, Grant const& grant,
                                      Route const& route, Circumstances const& circumstances) {
  bool const is_checked_later = route.role == Role::write || grant.role == Role::none;  // the latter by its hello
  if (route.access == Access::everybody || is_checked_later) return std::nullopt;
  auto refused =
      route.right.empty() ? std::optional<Error>{} : check_right(grant, route.right, route.role, where.now());
  if (route.right.empty() && grant.role < route.role) {
    refused = Error{.code = Errc::forbidden, .message = "this path needs the role " + std::string{name_of(route.role)}};
  }
  if (!refused) return std::nullopt;
  tell_refused(shared, where, grant, &route, circumstances, name_of(refused->code));
  return error_answer(status::forbidden, refused->message);
}

}  // namespace

std::span<Route const> routes() noexcept {
  return route_table;
}

boost::system::result<Admission, HttpAnswer> admit(HttpRequest const& request, ServerShared const& shared,
                                                   Circumstances const& circumstances) {
  auto const target = target_of(request);
  auto const place = shared.namespaces.place_of(target.path);
  auto const& where = *place.where;
  bool const has_all_routes = where.engine != nullptr || &where != &shared.namespaces.root();
  auto const* const known = find_route_at(place.path, circumstances.arriving, shared);
  auto const* const route = known != nullptr && known->needs_store && !has_all_routes ? nullptr : known;
  if (auto refusal = check_names(request, target, shared, circumstances)) return std::move(*refusal);
  if (auto refusal = check_draining(route, shared, circumstances.is_late)) return std::move(*refusal);
  if (auto answer = answer_preflight(request, route)) return std::move(*answer);
  if (route == nullptr && !has_all_routes) return unknown_path(shared);
  auto claims = claims_of(request, shared, circumstances);
  if (!claims) {
    tell_refused(shared, where, {}, route, circumstances, "headers of a proxy");
    return std::move(claims).error();
  }
  bool is_enough = false;
  auto grant =
      find_grant(request, route, where, shared.namespaces.root(), *claims, shared.config.tls_client_role, is_enough);
  if (!is_enough) {
    tell_refused(shared, where, grant, route, circumstances, "unauthenticated");
    return unauthorized();
  }
  if (route == nullptr) return unknown_path(shared);
  if (auto refusal = check_method(request, *route)) return std::move(*refusal);
  if (auto refusal = check_route(shared, where, grant, *route, circumstances)) return std::move(*refusal);
  if (route->kind == Route::Kind::upgrade || route->kind == Route::Kind::bolt) {
    if (auto refusal = check_upgrade(request, route->kind)) return std::move(*refusal);
  }
  return Admission{.route = route,
                   .where = &where,
                   .grant = std::move(grant),
                   .claims = std::move(*claims),
                   .rest = place.path.substr(std::min(route->path.size(), place.path.size()))};
}

void add_cors_fields(HttpRequest const& request, HttpAnswer& answer) {
  answer.fields.emplace_back(field::vary, "Origin");
  if (answer.status == status::forbidden || request.count(field::origin) != 1) return;
  answer.fields.emplace_back(field::access_control_allow_origin, view(request[field::origin]));
}

}  // namespace whence::net
