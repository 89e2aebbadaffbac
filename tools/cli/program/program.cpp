// Parsing the command line and choosing the verb.

#include "tools/cli/program/program.hpp"

#include "net/base/version.hpp"
#include "net/plain_text/shown.hpp"
#include "schema/base/suggest.hpp"
#include "schema/json/json.hpp"
#include "tools/cli/options/settings.hpp"
#include "tools/cli/program/store_owner.hpp"

#include <algorithm>
#include <memory>
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
    "`whence VERB --help` lists the flags of a verb, `whence manual` prints the manual page.\n"
    "Settings: flag, then environment (WHENCE_DB, WHENCE_URL, ...), then --config FILE, then default.\n"
    "Exit codes: 0 ok, 1 failure, 2 usage, 3 not found, 4 invalid input, 5 conflict, 6 unreachable or timeout,\n"
    "7 incomplete result, 8 verification failed.";

/// Violations printed at most; the answer of `whence rpc` has all of them.
constexpr std::size_t violations_shown_max = 10;

std::string violation_text(json::object const& object, std::string_view name) {
  json::value const* const member = object.if_contains(name);
  if (member == nullptr || member->is_null()) return {};
  return member->is_string() ? std::string{member->get_string()} : schema::json::to_text(*member);
}

/// The offending value, unless the message has it.
void print_seen(Io& io, json::object const& violation) {
  std::string const seen = violation_text(violation, "seen");
  if (seen.empty() || violation_text(violation, "message").find(seen) != std::string::npos) return;
  io.talk << " (seen: " << net::plain_text::shown(seen) << ')';
}

void print_violation(Io& io, json::object const& violation) {
  io.talk << "  ";
  if (std::string const index = violation_text(violation, "index"); !index.empty())
    io.talk << "record " << index << ' ';
  io.talk << net::plain_text::shown(violation_text(violation, "path")) << ": "
          << net::plain_text::shown(violation_text(violation, "message"));
  print_seen(io, violation);
  io.talk << '\n';
}

json::array const* find_violations(json::value const& rpc_error) {
  json::object const* const error = rpc_error.if_object();
  json::value const* const data = error != nullptr ? error->if_contains("data") : nullptr;
  json::object const* const members = data != nullptr ? data->if_object() : nullptr;
  json::value const* const list = members != nullptr ? members->if_contains("errors") : nullptr;
  return list != nullptr ? list->if_array() : nullptr;
}

std::string heading_of(Purpose purpose) {
  switch (purpose) {
    case Purpose::look:
      return "Look";
    case Purpose::write:
      return "Write";
    case Purpose::serve:
      return "Serve";
    case Purpose::maintain:
      break;
  }
  return "Maintain";
}

/// The help of CLI11 with one line for each verb.
class Help final : public CLI::Formatter {
 public:
  Help() { label("SUBCOMMAND", "VERB"); }

  [[nodiscard]] std::string make_subcommand(CLI::App const* verb) const override {
    constexpr std::size_t name_columns = 20;
    std::string name = "  " + verb->get_name();
    name.resize(std::max(name.size() + 1, name_columns), ' ');
    return name + verb->get_description() + "\n";
  }
};

/// The flag without its value: of `--depth=3` that is `--depth`.
std::string_view flag_in(std::string_view argument) {
  return argument.substr(0, argument.find('='));
}

/// The message of a violation as the message on top has it: after its place.
bool is_on_top(json::object const& violation, std::string_view message) {
  std::string const path = violation_text(violation, "path");
  std::string const own = violation_text(violation, "message");
  if (!message.ends_with(own)) return false;
  message.remove_suffix(own.size());
  return path.empty() || message.find(path) != std::string_view::npos;
}

/// In our own words where the library's are those of its parser.
std::string message_of(CLI::ParseError const& error, int argc, char const* const* argv) {
  std::string said = error.what();
  constexpr std::string_view unconverted = "Could not convert: ";
  auto const sign = said.find(" = ");
  if (said.starts_with(unconverted) && sign != std::string::npos) {
    return said.substr(unconverted.size(), sign - unconverted.size()) + ": must be a number, not \"" +
           said.substr(sign + 3) + "\"";
  }
  bool const lacks_verb = dynamic_cast<CLI::RequiredError const*>(&error) != nullptr && (argc < 2 || *argv[1] == '-');
  if (!lacks_verb) return said;
  std::string const flag = argc < 2 ? std::string{} : "\"" + std::string{argv[1]} + "\" is no flag of whence: ";
  return flag + "a verb comes first; `whence --help` lists them";
}

/// A flag of the verb whose value is empty, such as that of a script's variable which was never set: it does not mean
/// what it means to leave the flag out. A setting may be emptied, and what needs no flag goes to the method as it is.
std::optional<std::string> find_emptied_flag(CLI::App const& verb) {
  for (CLI::Option const* option : verb.get_options()) {
    bool const is_plain =
        !option->get_lnames().empty() && !option->get_positional() && option->get_items_expected_max() > 0;
    if (!is_plain || !variable_of_setting(*option).empty()) continue;
    auto const values = option->results();
    if (std::ranges::find(values, std::string{}) != values.end()) return "--" + option->get_lnames().front();
  }
  return std::nullopt;
}

}  // namespace

Program::Program() : app_{"Records what responses were made from, and answers where they came from.", "whence"} {
  app_.require_subcommand(1);
  app_.footer(std::string{footer});
  app_.formatter(std::make_shared<Help>());
  app_.set_version_flag("--version", std::string{net::version()});
}

CLI::App& Program::add_verb(std::string const& name, std::string const& doc, Purpose purpose) {
  CLI::App* const verb = app_.add_subcommand(name, doc);
  verb->group(heading_of(purpose));
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

CallError Program::unexpected_arguments() const {
  auto const verb = std::ranges::find_if(verbs_, [](Verb const& each) { return each.app->parsed(); });
  std::vector<std::string> const unknown = app_.remaining(true);
  auto const flag = std::ranges::find_if(unknown, [](std::string const& word) { return word.starts_with('-'); });
  if (verb == verbs_.end() || flag == unknown.end()) {
    std::string const first = unknown.empty() ? std::string{} : unknown.front();
    std::string const name = verb == verbs_.end() ? std::string{} : verb->app->get_name() + " ";
    return {.exit = ExitCode::usage,
            .message = "\"" + first + "\" is one argument too many; `whence " + name + "--help` shows what is taken"};
  }
  std::vector<std::string> names;
  for (CLI::Option const* option : verb->app->get_options()) {
    for (std::string const& name : option->get_lnames()) names.push_back("--" + name);
  }
  std::string const name = verb->app->get_name();
  if (std::ranges::find(names, flag_in(*flag)) != names.end()) {
    return {.exit = ExitCode::usage,
            .message = "flags stand behind the verb: `whence " + name + " " + std::string{flag_in(*flag)} + " ...`"};
  }
  std::string const suggestion =
      schema::did_you_mean(flag_in(*flag), std::vector<std::string_view>(names.begin(), names.end()));
  return {.exit = ExitCode::usage,
          .message = "no flag of " + name + " is called \"" + std::string{flag_in(*flag)} + "\"" + suggestion +
                     (suggestion.empty() ? ";" : "") + " `whence " + name + " --help` lists them"};
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
    if (auto const flag = find_emptied_flag(*chosen->app))
      return report(io, {.exit = ExitCode::usage, .message = *flag + ": must not be empty"});
    apply_environment(*chosen->app);
    if (!config_path_.empty()) apply_config_file(app_, *chosen->app, config_path_);
  } catch (CLI::ExtrasError const&) {
    return report(io, unexpected_arguments());
  } catch (CLI::ParseError const& error) {
    bool const is_help = error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success);  // --help, --version
    // What is lacking may be what a misspelt flag was to give.
    bool const is_lacking =
        dynamic_cast<CLI::RequiredError const*>(&error) != nullptr && !app_.get_subcommands().empty();
    if (is_lacking && !app_.remaining(true).empty()) return report(io, unexpected_arguments());
    if (!is_help) return report(io, {.exit = ExitCode::usage, .message = message_of(error, argc, argv)});
    app_.exit(error, io.data, io.talk);
    return ExitCode::ok;
  }
  CLI::Option const* const store = chosen->app->get_option_no_throw("--db");
  std::optional<StoreOwner> owner;
  if (store != nullptr && store->count() > 0) owner.emplace(store->results().front());
  return chosen->work(io);
}

ExitCode report(Io& io, CallError const& error) {
  io.talk << "whence: " << net::plain_text::shown(error.message);
  json::array const* const violations = find_violations(error.rpc_error);
  json::object const* const top =
      violations != nullptr && !violations->empty() ? violations->front().if_object() : nullptr;
  bool const is_said = top != nullptr && is_on_top(*top, error.message);
  if (is_said) print_seen(io, *top);
  io.talk << '\n';
  if (violations == nullptr) return error.exit;
  std::size_t count = 0;
  for (json::value const& violation : *violations) {
    bool const is_first = &violation == &violations->front();
    if (!violation.is_object() || (is_first && is_said)) continue;
    if (++count > violations_shown_max) {
      io.talk << "  and " << violations->size() - violations_shown_max - (is_said ? 1 : 0) << " more\n";
      break;
    }
    print_violation(io, violation.get_object());
  }
  return error.exit;
}

}  // namespace whence::tools
