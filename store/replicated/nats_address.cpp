#include "store/replicated/nats_address.hpp"

#include <algorithm>

namespace whence::store {

std::string shown_address(std::string_view text) {
  std::string shown;
  while (!text.empty()) {
    auto const comma = text.find(',');
    auto const one = text.substr(0, comma);
    auto const at = one.rfind('@');
    auto const scheme = one.find("://");
    auto const begin = scheme == std::string_view::npos ? 0 : scheme + 3;
    if (at == std::string_view::npos || at < begin) {
      shown += one;
    } else {
      auto const user = one.substr(begin, at - begin);
      auto const colon = user.find(':');
      shown += one.substr(0, begin);
      if (colon != std::string_view::npos) shown.append(user.substr(0, colon + 1));
      shown.append("***").append(one.substr(at));
    }
    if (comma == std::string_view::npos) break;
    shown += ',';
    text.remove_prefix(comma + 1);
  }
  return shown;
}

Result<NatsAddress> parse_nats_address(std::string_view text) {
  auto const wrong = [&] {
    return Error{Errc::invalid_params, "\"" + shown_address(text) + "\" is not nats://HOST:PORT[,HOST:PORT]/STREAM"};
  };
  auto const scheme_end = text.find("://");
  if (scheme_end == std::string_view::npos) return wrong();
  auto const scheme = text.substr(0, scheme_end);
  auto const slash = text.rfind('/');
  if ((scheme != "nats" && scheme != "tls") || slash < scheme_end + 3) return wrong();
  NatsAddress address{.servers = {}, .stream = std::string{text.substr(slash + 1)}};
  if (address.stream.empty() || address.stream.find_first_of(". *>\t") != std::string::npos) return wrong();
  auto rest = text.substr(scheme_end + 3, slash - scheme_end - 3);
  while (!rest.empty()) {
    auto const comma = std::min(rest.find(','), rest.size());
    if (comma == 0) return wrong();
    address.servers.push_back(std::string{scheme} + "://" + std::string{rest.substr(0, comma)});
    rest = rest.substr(std::min(comma + 1, rest.size()));
  }
  if (address.servers.empty()) return wrong();
  return address;
}

}  // namespace whence::store
