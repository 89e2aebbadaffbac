// Tokens: the table they are looked up in, the header they arrive in.

#include "net/http/token.hpp"

#include <algorithm>
#include <string>

#include <boost/beast/core/string.hpp>
#include <openssl/crypto.h>

namespace whence::net {

namespace {

constexpr std::string_view blanks = " \t\r";

std::string_view trimmed(std::string_view text) noexcept {
  auto const first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

}  // namespace

TokenTable::TokenTable(std::span<Token const> tokens, Empty empty) : empty_{empty} {
  entries_.reserve(tokens.size());
  for (auto const& token : tokens) {
    entries_.push_back(Entry{.digest = schema::sha256(std::string_view{token.secret}), .role = token.role});
  }
  std::sort(entries_.begin(), entries_.end());
  entries_.erase(std::unique(entries_.begin(), entries_.end()), entries_.end());
}

Grant TokenTable::find(std::string_view secret) const {
  auto const digest = schema::sha256(secret);
  return {.role = find_role(digest), .token = digest};
}

bool TokenTable::still_grants(Grant const& grant) const {
  return !grant.token || find_role(*grant.token) == grant.role;
}

TokenChange TokenTable::changes_since(TokenTable const& before) const {
  return {.added = count_beyond(before), .removed = before.count_beyond(*this), .total = entries_.size()};
}

/// How many entries `other` does not have.
std::size_t TokenTable::count_beyond(TokenTable const& other) const {
  return static_cast<std::size_t>(std::count_if(entries_.begin(), entries_.end(), [&](Entry const& entry) {
    return !std::binary_search(other.entries_.begin(), other.entries_.end(), entry);
  }));
}

Role TokenTable::find_role(schema::Digest const& digest) const {
  auto found = Role::none;
  for (auto const& entry : entries_) {
    bool const is_equal = CRYPTO_memcmp(entry.digest.bytes.data(), digest.bytes.data(), digest.bytes.size()) == 0;
    found = std::max(found, is_equal ? entry.role : Role::none);
  }
  return found;
}

std::optional<std::string_view> parse_bearer(std::string_view value) noexcept {
  constexpr std::string_view scheme = "Bearer ";
  if (value.size() < scheme.size() || !boost::beast::iequals(value.substr(0, scheme.size()), scheme))
    return std::nullopt;
  auto const secret = trimmed(value.substr(scheme.size()));
  if (secret.empty()) return std::nullopt;
  return secret;
}

}  // namespace whence::net
