// Settings from environment and file, applied to the options of one verb.

#include "tools/cli/options/settings.hpp"

#include "schema/encoding/ascii.hpp"
#include "tools/cli/process/io.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

#include <CLI/Config.hpp>
#include <CLI/TypeTools.hpp>

namespace whence::tools {
namespace {

/// Options of this group are settings; it is also their heading in --help.
constexpr char const* group_name = "Settings (or WHENCE_... in the environment, or a line of --config FILE)";

bool is_setting(CLI::Option const* option) {
  return option->get_group() == group_name;
}

std::string variable_of(CLI::Option const& option) {
  std::string name = schema::in_upper("WHENCE_" + option.get_lnames().front());
  std::ranges::replace(name, '-', '_');
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

/// Lines of one name are one setting with all their values, wherever they stand in the file: CLI11 joins neighbours
/// only, and the first would win over the others.
std::vector<CLI::ConfigItem> joined(std::vector<CLI::ConfigItem> const& items) {
  std::vector<CLI::ConfigItem> all;
  for (CLI::ConfigItem const& item : items) {
    auto const same = std::find_if(all.begin(), all.end(), [&item](CLI::ConfigItem const& other) {
      return other.parents == item.parents && other.name == item.name;
    });
    if (same == all.end())
      all.push_back(item);
    else
      same->inputs.insert(same->inputs.end(), item.inputs.begin(), item.inputs.end());
  }
  return all;
}

bool takes_one_value(CLI::Option const& option) {
  return option.get_items_expected_max() <= 1 && option.get_multi_option_policy() == CLI::MultiOptionPolicy::Throw;
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

constexpr std::size_t comment_columns = 100;

/// `text` as lines that begin with `# `.
std::string comment(std::string_view text) {
  std::string lines;
  while (!text.empty()) {
    std::size_t end = text.size();
    if (end > comment_columns) {
      auto const space = text.rfind(' ', comment_columns);
      end = space == std::string_view::npos ? comment_columns : space;
    }
    lines += "# " + std::string{text.substr(0, end)} + '\n';
    text.remove_prefix(end);
    text = text.substr(std::min(text.find_first_not_of(' '), text.size()));
  }
  return lines;
}

/// What a value looks like, and the range that CLI11 puts behind that.
struct ValueForm {
  std::string form;
  std::string range;
};

ValueForm form_of(CLI::Option const& option) {
  std::string const type = option.get_type_name();
  for (char const* const check : {":POSITIVE", ":NONNEGATIVE", ":INT in ", ":FLOAT in "}) {
    if (auto const at = type.find(check); at != std::string::npos) return {type.substr(0, at), type.substr(at + 1)};
  }
  return {type, {}};
}

std::string quoted(std::string const& value) {
  bool const is_plain = value == "true" || value == "false" ||
                        (!value.empty() && value.find_first_not_of("0123456789.-") == std::string::npos);
  if (is_plain) return value;
  char const quote = value.find('"') == std::string::npos ? '"' : '\'';
  return quote + value + quote;
}

std::string value_text(CLI::Option const& option, std::vector<std::string> const& values) {
  if (option.get_items_expected_max() <= 1 && values.size() == 1) return quoted(values.front());
  std::string text = "[";
  for (auto const& value : values) text += (text.size() > 1 ? ", " : "") + quoted(value);
  return text + ']';
}

std::vector<std::string> shown_values(CLI::Option const& option, ShownValue const& shown) {
  auto values = option.results();
  for (auto& value : values) value = shown(option.get_lnames().front(), value);
  return values;
}

/// The line of a setting; behind `#` where it was not given.
std::string setting_line(CLI::Option const& option, ShownValue const& shown) {
  bool const is_flag = option.get_items_expected_max() == 0;
  std::string const name = option.get_lnames().front() + " = ";
  bool const is_given = option.count() > 0;
  if (is_flag) return (is_given ? "" : "#") + name + (is_given && option.as<bool>() ? "true\n" : "false\n");
  if (is_given) return name + value_text(option, shown_values(option, shown)) + '\n';
  std::string const known = option.get_default_str();
  return '#' + name + value_text(option, {known.empty() ? form_of(option).form : known}) + '\n';
}

}  // namespace

CLI::Validator at_least(int least) {
  auto const check = [least](std::string const& text) {
    double number = 0;
    bool const is_enough = CLI::detail::lexical_cast(text, number) && number >= least;
    return is_enough ? std::string{} : text + " is not a number from " + std::to_string(least) + " on";
  };
  return CLI::Validator(check, "");
}

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
  items = joined(items);
  for (CLI::ConfigItem const& item : items) {
    if (!is_known(app, item)) throw CLI::ConfigError(path + ": no setting is called " + item.fullname());
    CLI::Option const* const option = find_setting(verb, item.name);
    if (option != nullptr && item.inputs.size() > 1 && takes_one_value(*option))
      throw CLI::ConfigError(path + ": " + item.fullname() + " is set more than once");
  }
  for (CLI::ConfigItem const& item : items) {
    if (is_in_section(item, verb)) apply(verb, item);
  }
  for (CLI::ConfigItem const& item : items) {
    if (item.parents.empty()) apply(verb, item);
  }
}

std::string settings_file(CLI::App const& verb, ShownValue const& shown) {
  std::string text = comment("Settings of `whence " + verb.get_name() +
                             "`, for `--config FILE`. A line behind # has the default, or the form of the value where "
                             "there is none: remove the # and set it. Several values are a list: [\"A\", \"B\"]. "
                             "A flag and a variable have precedence.");
  for (CLI::Option const* option : verb.get_options(is_setting)) {
    text += '\n' + comment(option->get_description() + '.');
    auto const range = form_of(*option).range;
    text += comment((range.empty() ? "" : "Range: " + range + ". ") + "Variable: " + variable_of(*option) + '.');
    text += setting_line(*option, shown);
  }
  return text;
}

}  // namespace whence::tools
