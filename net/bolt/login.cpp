// Tokens and databases.

#include "net/bolt/login.hpp"

#include "net/access/rights.hpp"

#include <algorithm>
#include <array>

namespace whence::net::bolt {

namespace {

constexpr std::string_view statement_right = "query";
constexpr std::string_view root_name = "whence";
constexpr std::array<std::string_view, 2> root_names = {root_name, "neo4j"};
/// Where tools of Neo4j ask for what is of the whole server.
constexpr std::string_view system_name = "system";

}  // namespace

Outcome<void> Login::enter(Map const& token) {
  auto const refused = [](std::string message) {
    return Failure{.kind = FailureKind::unauthorized, .message = std::move(message)};
  };
  leave();
  who_ = {.standing = Standing::unknown};
  std::string_view secret;
  auto const* const scheme = find_as<std::string>(token, "scheme");
  if (scheme != nullptr && *scheme != "none") {
    if (*scheme != "basic" && *scheme != "bearer") return refused("scheme: `basic`, `bearer` or `none` is expected");
    auto const* const credentials = find_as<std::string>(token, "credentials");
    if (credentials == nullptr) return refused("credentials: a text is expected");
    secret = *credentials;
  }
  if (only_ != nullptr) {
    admit(*only_, secret);
  } else {
    for (auto const* const each : all_.stores()) admit(*each, secret);
  }
  if (!grants_.empty()) {
    note_caller();
    return {};
  }
  if (who_.role == Role::none) return refused("the token is not known");
  return Failure{.kind = FailureKind::forbidden, .message = "this token may not have queries answered"};
}

void Login::admit(Namespace const& where, std::string_view secret) {
  if (where.engine == nullptr) return;
  auto grant = find_grant(where, secret);
  if (grant.standing != Standing::unknown && grant.role >= who_.role) who_ = grant;
  if (check_right(grant, statement_right, Role::read, where.now())) return;
  grants_.push_back({.where = &where, .grant = std::move(grant)});
}

void Login::note_caller() {
  queries::cypher::Caller made{.user = who_.name, .role = std::string{net::name_of(who_.role)}};
  made.databases.reserve(grants_.size());
  for (auto const& each : grants_) made.databases.push_back(name_of(*each.where));
  if (auto const home = find({})) made.home = name_of(**home);
  caller_ = std::make_shared<queries::cypher::Caller const>(std::move(made));
}

/// In the order of HTTP: a person whom a proxy names, a token, a certificate.
Grant Login::find_grant(Namespace const& where, std::string_view secret) const {
  auto const tokens = where.tokens.get();
  auto const& claims = shown_.claims;
  if (tokens->is_open()) return {.role = Role::admin};
  if (claims.user) return tokens->find(*claims.user, where.now());
  if (!secret.empty() || !claims.certificate) return tokens->find(secret, where.now());
  return tokens->find(*claims.certificate, shown_.certificate_role, where.now());
}

bool Login::still_holds() const {
  return std::ranges::all_of(grants_, [](Granted const& each) {
    return each.where->tokens.get()->still_grants(each.grant, each.where->now());
  });
}

bool Login::has_end() const {
  return std::ranges::any_of(grants_, [](Granted const& each) { return each.grant.expires.has_value(); });
}

Outcome<Namespace const*> Login::find(std::string_view name) const {
  auto const named = [this](std::string_view wanted) {
    return std::ranges::find_if(grants_, [wanted](Granted const& each) { return each.where->name == wanted; });
  };
  auto found = name.empty() ? grants_.end() : named(name);
  bool const is_system = name == system_name;
  bool const is_home = name.empty() || is_system || std::ranges::find(root_names, name) != root_names.end();
  if (found == grants_.end() && is_home) found = named({});
  if (found == grants_.end() && is_home && grants_.size() == 1) found = grants_.begin();
  if (found == grants_.end() && is_system) found = grants_.begin();
  if (found != grants_.end()) return found->where;
  auto const message = name.empty() ? std::string{"this token opens several databases: name one"}
                                    : "there is no database `" + std::string{name} + "` for this token";
  return Failure{.kind = FailureKind::database_not_found, .message = message};
}

std::string Login::name_of(Namespace const& where) {
  return where.name.empty() ? std::string{root_name} : where.name;
}

}  // namespace whence::net::bolt
