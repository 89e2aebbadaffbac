// Tokens: the table they are looked up in, the header they arrive in.

#include "net/serving/token.hpp"

#include "schema/encoding/ascii.hpp"
#include "schema/encoding/base64.hpp"

#include <algorithm>
#include <string>

#include <boost/beast/core/string.hpp>
#include <openssl/crypto.h>

namespace whence::net {

TokenTable::TokenTable(std::span<Token const> tokens, Empty empty, std::string_view namespace_name)
    : is_open_{tokens.empty() && empty == Empty::everybody_is_admin} {
  entries_.reserve(tokens.size());
  for (auto const& token : tokens) {
    if (!holds_in(token, namespace_name)) continue;
    entries_.push_back(Entry{.credential = {.kind = token.credential, .digest = digest_of(token)},
                             .line = schema::sha256(token_line(token)),
                             .role = token.role,
                             .name = token.name,
                             .methods = token.methods,
                             .expires = token.expires,
                             .is_revoked = token.revoked.has_value()});
  }
  std::ranges::sort(entries_, {}, &Entry::line);
  auto const is_same = [](Entry const& a, Entry const& b) { return a.line == b.line; };
  entries_.erase(std::unique(entries_.begin(), entries_.end(), is_same), entries_.end());
}

/// Of several lines with one credential the highest that is valid counts.
Grant TokenTable::find(Credential kind, std::string_view secret_or_subject, schema::Time now) const {
  CredentialId const wanted{.kind = kind, .digest = digest_of(secret_or_subject)};
  Grant found{.credential = wanted, .standing = Standing::unknown};
  for (auto const& entry : entries_) {
    auto const& digest = entry.credential.digest;
    bool const is_equal = CRYPTO_memcmp(digest.bytes.data(), wanted.digest.bytes.data(), digest.bytes.size()) == 0;
    if (!is_equal || entry.credential.kind != kind || entry.role <= found.role) continue;
    bool const is_expired = entry.expires && *entry.expires <= now;
    if (entry.is_revoked || is_expired) {
      if (found.role == Role::none) {
        found.name = entry.name;
        found.standing = entry.is_revoked ? Standing::revoked : Standing::expired;
      }
      continue;
    }
    found = {.role = entry.role,
             .name = entry.name,
             .methods = entry.methods,
             .expires = entry.expires,
             .credential = wanted,
             .line = entry.line};
  }
  return found;
}

/// The first of its names that a line has.
Grant TokenTable::find(CertificateClaim const& claim, std::optional<Role> fallback, schema::Time now) const {
  Grant grant{.standing = Standing::unknown};
  if (claim.ends <= now) return {.standing = Standing::expired};
  for (auto const& name : claim.names) {
    grant = find(Credential::certificate, name, now);
    if (grant.standing != Standing::unknown) break;
  }
  if (grant.standing == Standing::unknown && fallback && !claim.names.empty()) {
    auto const& name = claim.names.front();
    grant = {.role = *fallback,
             .name = name,
             .credential = CredentialId{.kind = Credential::certificate, .digest = digest_of(name)}};
  }
  if (grant.role != Role::none && (!grant.expires || claim.ends < *grant.expires)) grant.expires = claim.ends;
  return grant;
}

Grant TokenTable::find(UserClaim const& claim, schema::Time now) const {
  auto grant = find(Credential::user, claim.user, now);
  if (grant.standing != Standing::unknown || !claim.role) return grant;
  return {.role = *claim.role, .name = claim.user, .credential = grant.credential};
}

bool TokenTable::still_grants(Grant const& grant, schema::Time now) const {
  if (grant.expires && *grant.expires <= now) return false;
  if (grant.line) return has_line(*grant.line);
  return !grant.credential ||
         std::ranges::none_of(entries_, [&](Entry const& entry) { return entry.credential == *grant.credential; });
}

TokenTable::Figures TokenTable::figures(schema::Time now) const {
  Figures figures;
  for (auto const& entry : entries_) {
    bool const is_expired = entry.expires && *entry.expires <= now;
    ++(entry.is_revoked ? figures.revoked : is_expired ? figures.expired : figures.valid);
    if (entry.is_revoked || is_expired || !entry.expires) continue;
    if (!figures.next_end || *entry.expires < *figures.next_end) figures.next_end = entry.expires;
  }
  return figures;
}

TokenChange TokenTable::changes_since(TokenTable const& before) const {
  auto const total = std::ranges::count(entries_, false, &Entry::is_revoked);
  return {
      .added = count_beyond(before), .removed = before.count_beyond(*this), .total = static_cast<std::size_t>(total)};
}

bool TokenTable::has_line(schema::Digest const& line) const {
  return std::ranges::binary_search(entries_, line, {}, &Entry::line);
}

/// How many valid lines `other` does not have.
std::size_t TokenTable::count_beyond(TokenTable const& other) const {
  return static_cast<std::size_t>(std::ranges::count_if(
      entries_, [&](Entry const& entry) { return !entry.is_revoked && !other.has_line(entry.line); }));
}

std::optional<std::string_view> parse_bearer(std::string_view value) noexcept {
  constexpr std::string_view scheme = "Bearer ";
  if (value.size() < scheme.size() || !boost::beast::iequals(value.substr(0, scheme.size()), scheme))
    return std::nullopt;
  auto const secret = schema::trim_blanks(value.substr(scheme.size()));
  if (secret.empty()) return std::nullopt;
  return secret;
}

std::optional<std::string> parse_basic_password(std::string_view value) {
  constexpr std::string_view scheme = "Basic ";
  constexpr std::size_t bytes_max = 4096;
  if (value.size() < scheme.size() || !boost::beast::iequals(value.substr(0, scheme.size()), scheme))
    return std::nullopt;
  auto const text = schema::trim_blanks(value.substr(scheme.size()));
  if (text.empty() || text.size() % 4 != 0 || text.size() > bytes_max) return std::nullopt;
  auto const decoded = schema::decode_base64(text);
  if (!decoded) return std::nullopt;
  auto const colon = decoded->find(':');
  if (colon == std::string::npos || colon + 1 == decoded->size()) return std::nullopt;
  return decoded->substr(colon + 1);
}

}  // namespace whence::net
