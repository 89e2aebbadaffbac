// Networks, and names of headers.

#include "net/access/trusted_proxies.hpp"

#include "net/access/token.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include <boost/asio/ip/address.hpp>
#include <boost/beast/core/string.hpp>
#include <boost/beast/http/field.hpp>

namespace whence::net {

namespace {

namespace ip = boost::asio::ip;

Error wrong_proxy(std::string message) {
  return {.code = Errc::invalid_params, .message = std::move(message)};
}

Error wrong_claim(std::string message) {
  return {.code = Errc::unauthenticated, .message = std::move(message)};
}

/// An address in its one spelling; nothing where the text is none.
std::optional<ip::address> find_address(std::string_view text) {
  boost::system::error_code failed;
  auto address = ip::make_address(std::string{text}, failed);
  if (failed || (address.is_v6() && address.to_v6().scope_id() != 0)) return std::nullopt;
  if (address.is_v6() && address.to_v6().is_v4_mapped()) address = ip::make_address_v4(ip::v4_mapped, address.to_v6());
  return address;
}

std::array<std::uint8_t, 16> bytes_of(ip::address const& address) {
  std::array<std::uint8_t, 16> bytes = {};
  if (address.is_v6()) return address.to_v6().to_bytes();
  std::ranges::copy(address.to_v4().to_bytes(), bytes.begin());
  return bytes;
}

bool have_equal_bits(std::array<std::uint8_t, 16> const& a, std::array<std::uint8_t, 16> const& b, unsigned bits) {
  auto const whole = bits / 8;
  if (!std::equal(a.begin(), a.begin() + whole, b.begin())) return false;
  auto const rest = bits % 8;
  return rest == 0 || (a[whole] ^ b[whole]) >> (8 - rest) == 0;
}

/// A token of RFC 9110 (5.1) that is no header with a meaning of its own: such a one would be believed twice.
bool is_free_header(std::string_view name) {
  constexpr std::string_view allowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-";
  bool const is_name = !name.empty() && name.size() <= 64 && name.find_first_not_of(allowed) == std::string_view::npos;
  if (!is_name) return false;
  // Those that clients and proxies send by themselves, among them all that Beast knows.
  auto const is_of_family = [name](std::string_view begin) {
    return boost::beast::iequals(name.substr(0, begin.size()), begin);
  };
  constexpr std::array<std::string_view, 8> families{
      "Sec-", "Proxy-", "Content-", "Access-Control-", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto",
      "MCP-"};
  constexpr std::array<std::string_view, 9> others{"X-Real-IP",    "Traceparent",      "Tracestate",
                                                   "Baggage",      "Priority",         "DNT",
                                                   "X-Request-ID", "X-Requested-With", "Last-Event-ID"};
  return boost::beast::http::string_to_field({name.data(), name.size()}) == boost::beast::http::field::unknown &&
         std::ranges::none_of(families, is_of_family) &&
         std::ranges::none_of(others, [name](std::string_view taken) { return boost::beast::iequals(name, taken); });
}

}  // namespace

Result<TrustedProxies> TrustedProxies::make(ProxySettings const& settings) {
  TrustedProxies made;
  made.user_header_ = settings.user_header;
  made.role_header_ = settings.role_header;
  for (auto const& header : {settings.user_header, settings.role_header}) {
    if (!is_free_header(header)) return wrong_proxy("\"" + header + "\" is no header that a proxy may use for this");
  }
  if (boost::beast::iequals(settings.user_header, settings.role_header))
    return wrong_proxy("the headers for user and role are one: " + settings.user_header);
  for (auto const& text : settings.addresses) {
    auto const slash = text.find('/');
    auto const address = find_address(std::string_view{text}.substr(0, slash));
    if (!address) return wrong_proxy("\"" + text + "\" is not ADDRESS or ADDRESS/BITS");
    unsigned const bits_max = address->is_v6() ? 128 : 32;
    Network network{.bytes = bytes_of(*address), .is_v6 = address->is_v6(), .bits = bits_max};
    if (slash != std::string::npos) {
      auto const* const end = text.data() + text.size();
      auto const parsed = std::from_chars(text.data() + slash + 1, end, network.bits);
      if (parsed.ec != std::errc{} || parsed.ptr != end || network.bits > bits_max)
        return wrong_proxy("\"" + text + "\" has no number of bits from 0 to " + std::to_string(bits_max));
      // A client anywhere could then say who it is.
      unsigned const bits_min = address->is_v6() ? 16 : 8;
      if (network.bits < bits_min) return wrong_proxy("\"" + text + "\" trusts nearly everybody: name your proxies");
    }
    made.networks_.push_back(network);
  }
  return made;
}

bool TrustedProxies::trusts(std::string_view address) const {
  if (networks_.empty()) return false;
  auto const found = find_address(address);
  if (!found) return false;
  auto const bytes = bytes_of(*found);
  return std::ranges::any_of(networks_, [&](Network const& network) {
    return network.is_v6 == found->is_v6() && have_equal_bits(network.bytes, bytes, network.bits);
  });
}

Result<std::optional<UserClaim>> TrustedProxies::read(std::string_view user, std::string_view role) {
  if (user.empty() && role.empty()) return std::optional<UserClaim>{};
  if (user.empty()) return wrong_claim("the proxy names a role and no user");
  if (!is_shown_name(user)) return wrong_claim("the proxy's name of the user is too long, or no text");
  UserClaim claim{.user = std::string{user}};
  if (!role.empty()) {
    claim.role = find_role(role);
    if (!claim.role) return wrong_claim("the proxy's role is none: metrics, read, write or admin");
  }
  return std::optional{std::move(claim)};
}

}  // namespace whence::net
