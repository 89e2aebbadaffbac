// Parsing addresses.

#include "tools/cli/transport/url.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

namespace whence::tools {
namespace {

struct Scheme {
  std::string_view prefix;
  bool is_tls;
  std::string_view port;
};
constexpr Scheme schemes[] = {
    {"http://", false, "80"}, {"https://", true, "443"}, {"ws://", false, "80"}, {"wss://", true, "443"}};

Error bad_address(std::string_view text, std::string_view expected) {
  return {.code = Errc::invalid_params, .message = "\"" + std::string{text} + "\" is not " + std::string{expected}};
}

/// Splits at the colon before the port. A bare IPv6 address needs brackets, so that its colons are not taken for it.
struct Split {
  std::string_view host;
  std::optional<std::string_view> port;
};
std::optional<Split> split_authority(std::string_view text) {
  if (text.starts_with('[')) {
    std::size_t const end = text.find(']');
    if (end == std::string_view::npos || end == 1) return std::nullopt;
    std::string_view const rest = text.substr(end + 1);
    if (!rest.empty() && rest.front() != ':') return std::nullopt;
    Split split{.host = text.substr(1, end - 1), .port = {}};
    if (!rest.empty()) split.port = rest.substr(1);
    return split;
  }
  std::size_t const colon = text.find(':');
  if (colon != text.rfind(':')) return std::nullopt;
  if (colon == 0 || text.empty()) return std::nullopt;
  if (colon == std::string_view::npos) return Split{.host = text, .port = {}};
  return Split{.host = text.substr(0, colon), .port = text.substr(colon + 1)};
}

std::optional<std::uint16_t> parse_port(std::string_view text) {
  std::uint16_t port = 0;
  auto const [end, failed] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (failed != std::errc{} || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return port;
}

/// Of what follows the authority.
std::string_view base_path(std::string_view text) {
  auto path = text.substr(0, text.find_first_of("?#"));
  auto const trim = [&path] {
    while (path.ends_with('/')) path.remove_suffix(1);
  };
  trim();
  for (std::string_view const own : {"/rpc", "/ws"}) {
    if (path.ends_with(own)) path.remove_suffix(own.size());
  }
  trim();
  return path;
}

}  // namespace

Result<Url> parse_url(std::string_view text) {
  constexpr std::string_view expected = "a URL like http://127.0.0.1:7411 or ws://127.0.0.1:7411";
  for (Scheme const& scheme : schemes) {
    if (!text.starts_with(scheme.prefix)) continue;
    std::string_view authority = text.substr(scheme.prefix.size());
    std::string_view const after = authority.substr(std::min(authority.find_first_of("/?#"), authority.size()));
    authority.remove_suffix(after.size());
    if (authority.find('@') != std::string_view::npos) return bad_address(scheme.prefix, expected);
    std::optional<Split> const split = split_authority(authority);
    if (!split || (split->port && !parse_port(*split->port))) return bad_address(text, expected);
    return Url{.is_tls = scheme.is_tls,
               .host = std::string{split->host},
               .port = std::string{split->port.value_or(scheme.port)},
               .path = std::string{base_path(after)}};
  }
  return bad_address(text, expected);
}

Result<std::vector<Url>> parse_urls(std::string_view text) {
  std::vector<Url> urls;
  for (std::size_t at = 0; at <= text.size();) {
    std::size_t const end = std::min(text.find(',', at), text.size());
    std::string_view part = text.substr(at, end - at);
    part.remove_prefix(std::min(part.find_first_not_of(' '), part.size()));
    part = part.substr(0, part.find_last_not_of(' ') + 1);
    at = end + 1;
    if (part.empty()) continue;
    Result<Url> url = parse_url(part);
    if (!url) return url.error();
    if (std::find(urls.begin(), urls.end(), *url) == urls.end()) urls.push_back(std::move(*url));
  }
  if (urls.empty()) return parse_url(text).error();
  return urls;
}

bool is_origin(std::string_view text) {
  if (!text.starts_with("http://") && !text.starts_with("https://")) return false;
  std::string_view const authority = text.substr(text.find("//") + 2);
  return authority.find_first_of("/?#* ") == std::string_view::npos && parse_url(text).has_value();
}

std::string authority_of(Url const& url) {
  bool const is_ipv6 = url.host.find(':') != std::string::npos;
  return (is_ipv6 ? "[" + url.host + "]" : url.host) + ":" + url.port;
}

Result<HostPort> parse_host_port(std::string_view text) {
  std::optional<Split> const split = split_authority(text);
  std::optional<std::uint16_t> const port = split && split->port ? parse_port(*split->port) : std::nullopt;
  if (!port) return bad_address(text, "HOST:PORT, like 127.0.0.1:7411");
  return HostPort{.host = std::string{split->host}, .port = *port};
}

}  // namespace whence::tools
