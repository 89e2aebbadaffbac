// Settings from environment and file, applied to the options of one verb.

#include "tools/cli/options/settings.hpp"

#include "tools/cli/io.hpp"

#include <algorithm>
#include <vector>

#include <CLI/Config.hpp>

namespace whence::tools {
namespace {

/// Options of this group are settings; it is also their heading in --help.
constexpr char const* group_name = "Settings (or WHENCE_... in the environment, or a line of --config FILE)";

bool is_setting(CLI::Option const* option) {
  return option->get_group() == group_name;
}

std::string variable_of(CLI::Option const& option) {
  std::string name = "WHENCE_" + option.get_lnames().front();
  for (char& c : name) {
    if (c == '-') c = '_';
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return name;
}

bool is_open(CLI::Option const& option) {
  auto const excluded = option.get_excludes();
  return option.count() == 0 &&
         std::none_of(excluded.begin(), excluded.end(), [](CLI::Option const* other) { return other->count() > 0; });
}

void apply(CLI::Option& option, std::vector<std::string> const& values) {
  if (!is_open(option)) return;
  for (std::string const& value : values) option.add_result(value);
  option.run_callback();
}

/// Marks that CLI11's parser of files adds around sections; not settings.
bool is_section_mark(CLI::ConfigItem const& item) {
  return item.name == "++" || item.name == "--";
}

bool is_in_section(CLI::ConfigItem const& item, CLI::App const& verb) {
  return item.parents.size() == 1 && item.parents.front() == verb.get_name();
}

CLI::Option* find_setting(CLI::App& verb, std::string const& name) {
  CLI::Option* const option = verb.get_option_no_throw("--" + name);
  return option != nullptr && is_setting(option) ? option : nullptr;
}

bool is_known(CLI::App& app, CLI::ConfigItem const& item) {
  auto const verbs = app.get_subcommands([](CLI::App*) { return true; });
  return std::any_of(verbs.begin(), verbs.end(), [&item](CLI::App* verb) {
    return (item.parents.empty() || is_in_section(item, *verb)) && find_setting(*verb, item.name) != nullptr;
  });
}

void apply(CLI::App& verb, CLI::ConfigItem const& item) {
  if (CLI::Option* const option = find_setting(verb, item.name); option != nullptr) apply(*option, item.inputs);
}

}  // namespace

CLI::Option* make_setting(CLI::Option* option) {
  return option->group(group_name);
}

std::string variable_of_setting(CLI::Option const& option) {
  return is_setting(&option) ? variable_of(option) : std::string{};
}

void apply_environment(CLI::App& verb) {
  for (CLI::Option* option : verb.get_options(is_setting)) {
    if (auto const value = environment_variable(variable_of(*option))) apply(*option, {*value});
  }
}

void apply_config_file(CLI::App& app, CLI::App& verb, std::string const& path) {
  std::vector<CLI::ConfigItem> items = CLI::ConfigTOML{}.from_file(path);
  std::erase_if(items, is_section_mark);
  for (CLI::ConfigItem const& item : items) {
    if (!is_known(app, item)) throw CLI::ConfigError(path + ": no setting is called " + item.fullname());
  }
  for (CLI::ConfigItem const& item : items) {
    if (is_in_section(item, verb)) apply(verb, item);
  }
  for (CLI::ConfigItem const& item : items) {
    if (item.parents.empty()) apply(verb, item);
  }
}

}  // namespace whence::tools
