// token: makes, lists, revokes and replaces the tokens of a server's token file.

#include "net/access/method_scope.hpp"
#include "net/access/namespace_name.hpp"
#include "net/access/token.hpp"
#include "schema/encoding/base64.hpp"
#include "schema/json/json.hpp"
#include "tools/cli/options/settings.hpp"
#include "tools/cli/output/table.hpp"
#include "tools/cli/program/program.hpp"
#include "tools/cli/tokens/lifetime.hpp"
#include "tools/cli/tokens/token_book.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <system_error>
#include <vector>

#include <openssl/rand.h>
#include <sys/types.h>

namespace whence::tools {
namespace {

namespace json = boost::json;

constexpr std::string_view token_prefix = "wht_";  ///< by which scanners for secrets know one

struct TokenCommand {
  std::string action = {};
  std::string name = {};
  std::string file = {};
  std::string role = {};
  std::string certificate = {};
  std::string user = {};
  std::vector<std::string> namespaces = {};
  std::string methods = {};
  std::string expires = {};
  std::string keep = {};
  pid_t server = 0;
  bool is_json = false;
};

ExitCode say(Io& io, ExitCode exit, std::string message) {
  return report(io, {.exit = exit, .message = std::move(message)});
}

ExitCode refuse_book(Io& io, Error const& error) {
  auto const exit = error.code == Errc::not_found ? ExitCode::not_found : ExitCode::failure;
  return say(io, exit, error.message);
}

/// 256 random bits.
std::string make_secret() {
  std::array<unsigned char, 32> bytes{};
  if (RAND_bytes(bytes.data(), static_cast<int>(bytes.size())) != 1)
    throw std::runtime_error{"the system gives no random numbers"};
  return std::string{token_prefix} +
         schema::encode_base64url({reinterpret_cast<char const*>(bytes.data()), bytes.size()});
}

/// Whether the process is this program: another one would end by the signal.
bool is_whence(pid_t process) {
  std::error_code unknown;
  auto const program = std::filesystem::read_symlink("/proc/" + std::to_string(process) + "/exe", unknown);
  return !unknown && program.filename().string().starts_with("whence");
}

/// Has a running server read its files again.
ExitCode tell_server(TokenCommand const& command, Io& io) {
  if (command.server == 0) {
    io.talk << "a running server takes this at its next SIGHUP (--signal PID, systemctl reload)\n";
    return ExitCode::ok;
  }
  if (!is_whence(command.server))
    return say(io, ExitCode::failure, "process " + std::to_string(command.server) + " is no whence: it got no signal");
  if (::kill(command.server, SIGHUP) != 0)
    return say(io, ExitCode::failure,
               "process " + std::to_string(command.server) + ": " + std::generic_category().message(errno));
  io.talk << "process " << command.server << " reads it now; its log says `reloaded`\n";
  return ExitCode::ok;
}

ExitCode print_secret(TokenCommand const& command, net::Token const& token, std::string const& secret, Io& io) {
  if (command.is_json) {
    json::object made{{"name", token.name}, {"role", net::name_of(token.role)}, {"token", secret}};
    made["expires"] = token.expires ? json::value{schema::format_rfc3339(*token.expires)} : json::value{};
    io.data << schema::json::to_text(made) << '\n';
  } else {
    io.data << secret << '\n';
    io.talk << "this is the only time that it is shown\n";
  }
  return tell_server(command, io);
}

/// The bounds of a token from the flags.
Result<void> set_bounds(net::Token& token, TokenCommand const& command, schema::Time now) {
  if (!command.methods.empty()) {
    auto scope = net::MethodScope::parse(command.methods);
    if (!scope) return Error{.code = Errc::invalid_params, .message = "--" + scope.error().message};
    token.methods = std::make_shared<net::MethodScope const>(std::move(*scope));
  }
  for (auto const& name : command.namespaces) {
    if (name != net::root_scope && !net::is_namespace_name(name))
      return Error{.code = Errc::invalid_params,
                   .message = "--namespace: \"" + name + "\" is no name, nor / (the root)"};
    token.namespaces.push_back(name);
  }
  if (command.expires.empty()) return {};
  auto const end = parse_end(command.expires, now);
  if (!end) return Error{.code = Errc::invalid_params, .message = "--expires: " + end.error().message};
  token.expires = *end;
  return {};
}

/// What people call some of the roles.
std::map<std::string, std::string> called_roles() {
  return {{"reader", "read"}, {"writer", "write"}};
}

ExitCode run_add(TokenCommand const& command, schema::Time now, Io& io) {
  auto const wrong = [&](std::string message) { return say(io, ExitCode::usage, std::move(message)); };
  if (!command.certificate.empty() && !command.user.empty())
    return wrong("--certificate and --user exclude each other");
  auto const& subject = command.certificate.empty() ? command.user : command.certificate;
  if (!subject.empty() && !net::is_shown_name(subject))
    return wrong("a name has 1 to 256 bytes and no control characters");
  if (command.name.empty() && subject.empty()) return wrong("token add needs a name");
  if (!command.name.empty() && !net::is_token_name(command.name))
    return wrong("\"" + command.name + "\" is no name: 1 to 64 letters, digits, `.`, `_`, `-` and `@`");
  if (command.role.empty()) return wrong("token add needs --role");
  auto book = TokenBook::open(command.file, TokenBook::Missing::is_empty);
  if (!book) return refuse_book(io, book.error());
  net::Token token{.role = net::find_role(command.role).value_or(net::Role::none),
                   .name = command.name.empty() ? subject : command.name,
                   .created = now};
  // The log would have two of one name.
  if (book->has(token.name)) {
    return say(io, ExitCode::conflict,
               book->find_valid(token.name) != nullptr
                   ? "there is a token called " + token.name + ": rotate it, or take another name"
                   : "there was a token called " + token.name + ", which is revoked: take another name");
  }
  if (auto const set = set_bounds(token, command, now); !set) return wrong(set.error().message);
  std::string secret;
  if (subject.empty()) {
    secret = make_secret();
    token.digest = net::digest_of(secret);
  } else {
    token.credential = command.certificate.empty() ? net::Credential::user : net::Credential::certificate;
    token.subject = subject;
  }
  book->add(token);
  book->save();
  return secret.empty() ? tell_server(command, io) : print_secret(command, token, secret, io);
}

ExitCode run_revoke(TokenCommand const& command, schema::Time now, Io& io) {
  auto book = TokenBook::open(command.file, TokenBook::Missing::is_error);
  if (!book) return refuse_book(io, book.error());
  if (book->revoke(command.name, now) == 0)
    return say(io, ExitCode::not_found, "no valid token is called " + command.name);
  book->save();
  return tell_server(command, io);
}

ExitCode run_rotate(TokenCommand const& command, schema::Time now, Io& io) {
  auto book = TokenBook::open(command.file, TokenBook::Missing::is_error);
  if (!book) return refuse_book(io, book.error());
  auto const* const old = book->find_valid(command.name);
  if (old == nullptr) return say(io, ExitCode::not_found, "no valid token is called " + command.name);
  if (old->credential != net::Credential::token)
    return say(io, ExitCode::usage,
               command.name + " is a " + std::string{name_of(old->credential)} + ": it has no secret here");
  auto token = *old;
  auto const secret = make_secret();
  token.digest = net::digest_of(secret);
  token.created = now;
  if (!command.expires.empty()) {
    auto const end = parse_end(command.expires, now);
    if (!end) return say(io, ExitCode::usage, "--expires: " + end.error().message);
    token.expires = *end;
  } else if (token.expires && *token.expires <= now) {
    return say(io, ExitCode::usage, command.name + " has expired: --expires says how long the new one holds");
  }
  if (command.keep.empty()) {
    book->revoke(command.name, now);
  } else {
    auto const end = parse_end(command.keep, now);
    if (!end) return say(io, ExitCode::usage, "--keep: " + end.error().message);
    book->end_by(command.name, *end);
  }
  book->add(token);
  book->save();
  return print_secret(command, token, secret, io);
}

std::string state_of(net::Token const& token, schema::Time now) {
  if (token.revoked) return "revoked";
  return token.expires && *token.expires <= now ? "expired" : "valid";
}

std::string namespaces_of(net::Token const& token) {
  std::string all;
  for (auto const& each : token.namespaces) all += (all.empty() ? "" : ",") + each;
  return all;
}

std::string text_of(std::optional<schema::Time> const& time) {
  return time ? schema::format_rfc3339(*time) : std::string{};
}

json::object object_of(net::Token const& token, schema::Time now) {
  json::object made{{"name", token.name}, {"kind", name_of(token.credential)}, {"role", net::name_of(token.role)}};
  auto const add = [&made](std::string_view name, std::string const& value) {
    if (!value.empty()) made[name] = value;
  };
  add("subject", token.subject);
  add("namespace", namespaces_of(token));
  add("methods", token.methods ? token.methods->text() : std::string{});
  add("created", text_of(token.created));
  add("expires", text_of(token.expires));
  add("revoked", text_of(token.revoked));
  made["state"] = state_of(token, now);
  return made;
}

/// Neither secrets nor their digests.
ExitCode run_list(TokenCommand const& command, schema::Time now, Io& io) {
  auto const book = TokenBook::open(command.file, TokenBook::Missing::is_error);
  if (!book) return refuse_book(io, book.error());
  auto const tokens = book->tokens();
  if (command.is_json) {
    json::array all;
    for (auto const& token : tokens) all.push_back(object_of(token, now));
    io.data << schema::json::to_text(json::object{{"tokens", std::move(all)}}) << '\n';
    return ExitCode::ok;
  }
  Table table{{{"NAME"}, {"KIND"}, {"ROLE"}, {"STATE"}, {"EXPIRES"}, {"CREATED"}, {"NAMESPACE"}, {"METHODS"}}};
  for (auto const& token : tokens) {
    table.add({token.name.empty() ? "(no name)" : token.name, std::string{name_of(token.credential)},
               std::string{net::name_of(token.role)}, state_of(token, now), text_of(token.expires),
               text_of(token.created), namespaces_of(token), token.methods ? token.methods->text() : std::string{}});
  }
  table.print_with_header(io);
  return ExitCode::ok;
}

ExitCode run(TokenCommand const& command, Io& io) {
  schema::SystemClock const clock;
  schema::Time const now{clock.now().seconds, 0};  // a line is easier to read without fractions
  bool const is_add = command.action == "add";
  bool const takes_end = is_add || command.action == "rotate";
  if (command.action != "list" && !is_add && command.name.empty())
    return say(io, ExitCode::usage, "token " + command.action + " needs a name");
  bool const has_bounds = !command.role.empty() || !command.certificate.empty() || !command.user.empty() ||
                          !command.namespaces.empty() || !command.methods.empty();
  if (!is_add && has_bounds)
    return say(io, ExitCode::usage,
               "token " + command.action + " takes no --role, --certificate, --user, --namespace, --methods");
  if (!takes_end && !command.expires.empty())
    return say(io, ExitCode::usage, "token " + command.action + " takes no --expires");
  if (command.action != "rotate" && !command.keep.empty())
    return say(io, ExitCode::usage, "token " + command.action + " takes no --keep");
  if (is_add) return run_add(command, now, io);
  if (command.action == "revoke") return run_revoke(command, now, io);
  return command.action == "rotate" ? run_rotate(command, now, io) : run_list(command, now, io);
}

}  // namespace

void add_token_verb(Program& program) {
  CLI::App& verb =
      program.add_verb("token", "Makes, lists, revokes and replaces the tokens of a server", Purpose::maintain);
  auto command = std::make_shared<TokenCommand>();
  verb.add_option("action", command->action,
                  "add: makes a token, prints it once and keeps its SHA-256; list: all of the file, without secrets; "
                  "revoke: it holds no more; rotate: another secret, with the same rights")
      ->required()
      ->check(CLI::IsMember({"add", "list", "revoke", "rotate"}));
  auto* const name = verb.add_option("name", command->name, "What the log and the audit call it");
  verb.add_option("--name", command->name, "The same")->type_name("NAME")->excludes(name);
  verb.add_option("--file", command->file, "The file of serve --tokens; add makes it where there is none")
      ->type_name("FILE")
      ->required();
  verb.add_option("--role", command->role, "What it may do: metrics, read, write or admin")
      ->type_name("ROLE")
      ->transform(CLI::Transformer(called_roles()).description(""))
      ->check(CLI::IsMember({"metrics", "read", "write", "admin"}).description(""));
  verb.add_option("--certificate", command->certificate,
                  "Instead of a secret: a client certificate with this name (alternative or common name)")
      ->type_name("NAME");
  verb.add_option("--user", command->user, "Instead of a secret: a person whom a trusted proxy names")
      ->type_name("NAME");
  verb.add_option("--namespace", command->namespaces, "A namespace in which it holds, / for the root; may be repeated")
      ->type_name("NAME")
      ->delimiter(',')
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  verb.add_option("--methods", command->methods, "Which methods, such as node.*,query; without it all of the role")
      ->type_name("PATTERN,...");
  verb.add_option("--expires", command->expires, "How long it holds, or until when; without it for ever")
      ->type_name("30d|TIME");
  verb.add_option("--keep", command->keep, "rotate: how long the old secret still holds; without it not at all")
      ->type_name("1h|TIME");
  verb.add_option("--signal", command->server, "Process id of a server that shall read its files again (SIGHUP)")
      ->type_name("PID")
      ->check(at_least(1));
  verb.add_flag("--json", command->is_json, "Prints the result as one JSON document");
  program.set_work(verb, [command](Io& io) { return run(*command, io); });
}

}  // namespace whence::tools
