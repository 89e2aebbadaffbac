// Own and allowed origins, compared in one spelling.

#include "net/serving/origin.hpp"

#include "schema/encoding/ascii.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace whence::net {

namespace {

/// HOST[:PORT] in lower case without the scheme's default port.
std::string spelled(bool is_tls, std::string_view authority) {
  auto result = schema::in_lower(authority);
  std::string_view const port = is_tls ? ":443" : ":80";
  if (result.ends_with(port)) result.erase(result.size() - port.size());
  return result;
}

std::string bracketed(std::string const& host) {
  return host.find(':') == std::string::npos ? host : "[" + host + "]";
}

struct SchemeAndAuthority {
  bool is_tls;
  std::string_view authority;
};

std::optional<SchemeAndAuthority> split_origin(std::string_view origin) {
  for (bool const is_tls : {false, true}) {
    std::string_view const prefix = is_tls ? "https://" : "http://";
    if (schema::in_lower(origin.substr(0, prefix.size())) != prefix) continue;
    auto const authority = origin.substr(prefix.size());
    if (authority.empty() || authority.find_first_of("/?#@ ") != std::string_view::npos) return std::nullopt;
    return SchemeAndAuthority{.is_tls = is_tls, .authority = authority};
  }
  return std::nullopt;
}

}  // namespace

Result<OriginPolicy> OriginPolicy::make(Listening listening, std::vector<std::string> const& allowed) {
  std::vector<Origin> origins;
  for (auto const& text : allowed) {
    auto const parts = split_origin(text);
    if (!parts) {
      return Error{.code = Errc::invalid_params,
                   .message = "allowed origin " + text + ": expected http(s)://HOST[:PORT]"};
    }
    origins.push_back({.is_tls = parts->is_tls, .authority = spelled(parts->is_tls, parts->authority)});
  }
  return OriginPolicy{std::move(listening), std::move(origins)};
}

OriginPolicy::OriginPolicy(Listening listening, std::vector<Origin> allowed)
    : listening_{std::move(listening)}, allowed_{std::move(allowed)} {}

bool OriginPolicy::is_own(bool is_tls, std::string_view authority, Arrival const& arrival) const {
  auto const named = spelled(is_tls, authority);
  auto const port = ":" + std::to_string(listening_.port);
  auto const is_at = [&](std::string const& host) { return named == spelled(is_tls, bracketed(host) + port); };
  if (is_at(arrival.address) || is_at(listening_.host)) return true;
  static constexpr std::array<char const*, 3> loopback_names = {"127.0.0.1", "localhost", "::1"};
  return arrival.is_loopback && std::ranges::any_of(loopback_names, is_at);
}

bool OriginPolicy::accepts_host(std::string_view host, Arrival const& arrival) const {
  if (is_own(listening_.is_tls, host, arrival)) return true;
  return std::ranges::any_of(allowed_,
                             [&](Origin const& origin) { return spelled(origin.is_tls, host) == origin.authority; });
}

bool OriginPolicy::accepts_origin(std::string_view origin, Arrival const& arrival) const {
  auto const parts = split_origin(origin);
  if (!parts) return false;
  if (is_own(parts->is_tls, parts->authority, arrival)) return true;
  return std::ranges::any_of(allowed_, [&](Origin const& known) {
    return known.is_tls == parts->is_tls && known.authority == spelled(parts->is_tls, parts->authority);
  });
}

}  // namespace whence::net
