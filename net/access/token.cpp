// Lines of token files: `KIND:VALUE role=ROLE name=NAME ...`.

#include "net/access/token.hpp"

#include "net/access/namespace_name.hpp"
#include "schema/base/text.hpp"
#include "schema/encoding/percent.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace whence::net {

namespace {

constexpr std::string_view blanks = " \t\r";
constexpr std::string_view letters_and_digits = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
constexpr std::size_t name_bytes_max = 64;
constexpr std::size_t subject_bytes_max = 256;
constexpr std::size_t namespaces_max = 64;

/// The words before the `:` of a line's first word, by credential.
constexpr std::array<std::string_view, 3> kind_words = {"sha256", "certificate", "user"};

Error wrong_line(std::string message) {
  return {.code = Errc::invalid_params, .message = std::move(message)};
}

/// The first word of `rest`, which begins after it then, at the next word.
std::string_view take_word(std::string_view& rest) noexcept {
  auto const end = std::min(rest.find_first_of(blanks), rest.size());
  auto const word = rest.substr(0, end);
  rest.remove_prefix(std::min(rest.find_first_not_of(blanks, end), rest.size()));
  return word;
}

/// `%20` for a blank and so on.
std::string escaped(std::string_view text) {
  return schema::percent_encoded(text,
                                 [](char c) { return static_cast<unsigned char>(c) > ' ' && c != '%' && c != '\x7f'; });
}

Result<Token> parse_credential(Credential credential, std::string_view value) {
  Token token{.credential = credential};
  if (credential == Credential::token) {
    auto const digest = schema::digest_from_hex(value);
    if (!digest) return wrong_line("sha256: expected 64 lower-case hex digits");
    token.digest = *digest;
    return token;
  }
  auto subject = schema::percent_decoded(value);
  if (!subject || !is_shown_name(*subject)) {
    return wrong_line(std::string{name_of(credential)} + ": expected a name of at most 256 bytes, blanks written %20");
  }
  token.subject = std::move(*subject);
  token.name = token.subject;
  return token;
}

Result<void> take_role(Token& token, std::string_view value) {
  auto const role = find_role(value);
  if (!role) return wrong_line("role: expected metrics, read, write or admin");
  token.role = *role;
  return {};
}

Result<void> take_name(Token& token, std::string_view value) {
  if (!is_token_name(value))
    return wrong_line("name: expected 1 to 64 letters, digits, `.`, `_`, `-` and `@`, the first a letter or digit");
  token.name = value;
  return {};
}

Result<void> take_namespaces(Token& token, std::string_view value) {
  for (bool is_more = true; is_more;) {
    auto const comma = value.find(',');
    auto const name = value.substr(0, comma);
    is_more = comma != std::string_view::npos;
    if (is_more) value.remove_prefix(comma + 1);
    if (name != root_scope && !is_namespace_name(name))
      return wrong_line("namespace: expected names, or / for the root");
    if (token.namespaces.size() == namespaces_max) return wrong_line("namespace: more than 64");
    token.namespaces.emplace_back(name);
  }
  return {};
}

Result<void> take_methods(Token& token, std::string_view value) {
  auto scope = MethodScope::parse(value);
  if (!scope) return scope.error();
  token.methods = std::make_shared<MethodScope const>(std::move(*scope));
  return {};
}

template <std::optional<schema::Time> Token::*member>
Result<void> take_time(Token& token, std::string_view value) {
  token.*member = schema::parse_rfc3339(value);
  if (!(token.*member)) return wrong_line("a time is written like 2027-01-31T00:00:00Z");
  return {};
}

/// What may follow the credential, each once, in any order.
struct Member {
  std::string_view name;
  Result<void> (*take)(Token& token, std::string_view value);
};

constexpr std::array<Member, 7> members = {{{"role", take_role},
                                            {"name", take_name},
                                            {"namespace", take_namespaces},
                                            {"methods", take_methods},
                                            {"created", take_time<&Token::created>},
                                            {"expires", take_time<&Token::expires>},
                                            {"revoked", take_time<&Token::revoked>}}};

}  // namespace

std::string_view name_of(Credential credential) noexcept {
  constexpr std::array<std::string_view, 3> names = {"token", "certificate", "user"};
  return names[static_cast<std::size_t>(credential)];
}

schema::Digest digest_of(std::string_view secret_or_subject) {
  return schema::sha256(secret_or_subject);
}

schema::Digest digest_of(Token const& token) {
  return token.credential == Credential::token ? token.digest : digest_of(token.subject);
}

bool holds_in(Token const& token, std::string_view namespace_name) noexcept {
  auto const wanted = namespace_name.empty() ? root_scope : namespace_name;
  return token.namespaces.empty() || std::ranges::find(token.namespaces, wanted) != token.namespaces.end();
}

bool is_shown_name(std::string_view name) noexcept {
  return !name.empty() && name.size() <= subject_bytes_max && schema::is_utf8(name) &&
         !schema::has_control_character(name);
}

bool is_token_name(std::string_view name) noexcept {
  if (name.empty() || name.size() > name_bytes_max) return false;
  if (letters_and_digits.find(name.front()) == std::string_view::npos) return false;
  return std::ranges::all_of(name, [](char c) {
    return letters_and_digits.find(c) != std::string_view::npos ||
           std::string_view{"._-@"}.find(c) != std::string_view::npos;
  });
}

Result<Token> parse_token_line(std::string_view line) {
  auto rest = line;
  auto const first = take_word(rest);
  auto const colon = first.find(':');
  auto const kind = std::ranges::find(kind_words, first.substr(0, colon));
  if (colon == std::string_view::npos || kind == kind_words.end())
    return wrong_line("expected sha256:, certificate: or user:, as `whence token add` writes it");
  auto token = parse_credential(static_cast<Credential>(kind - kind_words.begin()), first.substr(colon + 1));
  if (!token) return token.error();
  std::array<bool, members.size()> has = {};
  while (!rest.empty()) {
    auto const word = take_word(rest);
    auto const equals = std::min(word.find('='), word.size());
    auto const member = std::ranges::find(members, word.substr(0, equals), &Member::name);
    if (member == members.end() || equals == word.size())
      return wrong_line("expected role=, name=, namespace=, methods=, created=, expires= or revoked=");
    if (std::exchange(has[static_cast<std::size_t>(member - members.begin())], true))
      return wrong_line(std::string{member->name} + "= is there twice");
    if (auto const taken = member->take(*token, word.substr(equals + 1)); !taken) return taken.error();
  }
  if (token->role == Role::none) return wrong_line("role= is missing");
  return token;
}

std::string token_line(Token const& token) {
  auto line = std::string{kind_words[static_cast<std::size_t>(token.credential)]} + ":";
  line += token.credential == Credential::token ? schema::to_hex(digest_of(token)) : escaped(token.subject);
  auto const add = [&line](std::string_view name, std::string_view value) {
    line.append(" ").append(name).append("=").append(value);
  };
  if (!token.name.empty() && token.name != token.subject) add("name", token.name);
  add("role", name_of(token.role));
  std::string namespaces;
  for (auto const& each : token.namespaces) namespaces += (namespaces.empty() ? "" : ",") + each;
  if (!namespaces.empty()) add("namespace", namespaces);
  if (token.methods) add("methods", token.methods->text());
  if (token.created) add("created", schema::format_rfc3339(*token.created));
  if (token.expires) add("expires", schema::format_rfc3339(*token.expires));
  if (token.revoked) add("revoked", schema::format_rfc3339(*token.revoked));
  return line;
}

}  // namespace whence::net
