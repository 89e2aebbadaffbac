// Parsing the command line and choosing the verb.

#include "tools/cli/program.hpp"

#include "net/plain_text/shown.hpp"
#include "net/version.hpp"
#include "schema/base/suggest.hpp"
#include "schema/json/json.hpp"
#include "tools/cli/options/settings.hpp"

#include <algorithm>
#include <ostream>
#include <utility>
#include <vector>

#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <boost/json/array.hpp>

namespace whence::tools {
namespace {

namespace json = boost::json;

constexpr std::string_view footer =
    "Settings: flag, then environment (WHENCE_DB, WHENCE_URL, ...), then --config FILE, then default.\n"
    "Exit codes: 0 ok, 1 failure, 2 usage, 3 not found, 4 invalid input, 5 conflict, 6 unreachable or timeout,\n"
    "7 incomplete result, 8 verification failed.";

/// Violations printed at most; the answer of `whence rpc` has all of them.
constexpr std::size_t violations_shown_max = 10;

std::string member_text(json::object const& object, std::string_view name) {
  json::value const* const member = object.if_contains(name);
  if (member == nullptr || member->is_null()) return {};
  return member->is_string() ? std::string{member->get_string()} : schema::json::to_text(*member);
}

void print_violation(Io& io, json::object const& violation) {
  io.talk << "  ";
  if (std::string const index = member_text(violation, "index"); !index.empty()) io.talk << "record " << index << ' ';
  io.talk << net::plain_text::shown(member_text(violation, "path")) << ": "
          << net::plain_text::shown(member_text(violation, "message"));
  if (std::string const seen = member_text(violation, "seen"); !seen.empty())
    io.talk << " (seen: " << net::plain_text::shown(seen) << ')';
  io.talk << '\n';
}

json::array const* find_violations(json::value const& rpc_error) {
  json::object const* const error = rpc_error.if_object();
  json::value const* const data = error != nullptr ? error->if_contains("data") : nullptr;
  json::object const* const members = data != nullptr ? data->if_object() : nullptr;
  json::value const* const list = members != nullptr ? members->if_contains("errors") : nullptr;
  return list != nullptr ? list->if_array() : nullptr;
}

}  // namespace

Program::Program() : app_{"Records what responses were made from, and answers where they came from.", "whence"} {
  app_.require_subcommand(1);
  app_.footer(std::string{footer});
  app_.set_version_flag("--version", std::string{net::version()});
}

CLI::App& Program::add_verb(std::string const& name, std::string const& doc) {
  CLI::App* const verb = app_.add_subcommand(name, doc);
  verb->footer("");
  verb->add_option("--config", config_path_, "Reads settings from this file that are given nowhere else")
      ->envname("WHENCE_CONFIG")
      ->type_name("FILE")
      ->configurable(false);
  verbs_.push_back({.app = verb, .work = {}});
  return *verb;
}

void Program::set_work(CLI::App& verb, Work work) {
  auto const found = std::ranges::find(verbs_, &verb, &Verb::app);
  if (found != verbs_.end()) found->work = std::move(work);
}

std::optional<std::string> Program::find_unknown_verb(int argc, char const* const* argv) const {
  if (argc < 2 || *argv[1] == '-') return std::nullopt;
  std::string word = argv[1];
  bool const is_known =
      std::any_of(verbs_.begin(), verbs_.end(), [&word](Verb const& verb) { return verb.app->get_name() == word; });
  return is_known ? std::nullopt : std::optional{std::move(word)};
}

ExitCode Program::run(int argc, char const* const* argv, Io& io) {
  if (std::optional<std::string> const word = find_unknown_verb(argc, argv)) {
    std::vector<std::string> verbs;
    for (Verb const& verb : verbs_) verbs.push_back(verb.app->get_name());
    auto const suggestion = schema::did_you_mean(*word, std::vector<std::string_view>(verbs.begin(), verbs.end()));
    return report(io, {.exit = ExitCode::usage,
                       .message = "no verb is called \"" + *word + "\"" + suggestion + (suggestion.empty() ? ";" : "") +
                                  " `whence --help` lists them"});
  }
  Verb const* chosen = nullptr;
  try {
    app_.parse(argc, argv);
    for (Verb const& verb : verbs_) {
      if (verb.app->parsed()) chosen = &verb;
    }
    apply_environment(*chosen->app);
    if (!config_path_.empty()) apply_config_file(app_, *chosen->app, config_path_);
  } catch (CLI::ParseError const& error) {
    bool const is_help = error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success);  // --help, --version
    app_.exit(error, io.data, io.talk);
    return is_help ? ExitCode::ok : ExitCode::usage;
  }
  return chosen->work(io);
}

ExitCode report(Io& io, CallError const& error) {
  io.talk << "whence: " << net::plain_text::shown(error.message) << '\n';
  json::array const* const violations = find_violations(error.rpc_error);
  if (violations == nullptr) return error.exit;
  std::size_t count = 0;
  for (json::value const& violation : *violations) {
    if (!violation.is_object()) continue;
    if (++count > violations_shown_max) {
      io.talk << "  and " << violations->size() - violations_shown_max << " more\n";
      break;
    }
    print_violation(io, violation.get_object());
  }
  return error.exit;
}

}  // namespace whence::tools
