// Reading the options of CLI11.

#include "tools/cli/manual/usage.hpp"

#include "schema/types/edge_type.hpp"
#include "schema/types/record_type.hpp"
#include "tools/cli/options/settings.hpp"

#include <algorithm>

namespace whence::tools {
namespace {

/// Whether a word can be typed as it is: placeholders such as REF and forms such as MODEL=DIMENSION cannot.
bool is_typed(std::string_view word) {
  return !word.empty() && std::ranges::all_of(word, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
  });
}

std::vector<std::string> split_words(std::string_view text, char separator) {
  std::vector<std::string> words;
  while (!text.empty()) {
    std::string_view const word = text.substr(0, text.find(separator));
    words.emplace_back(word);
    text.remove_prefix(std::min(word.size() + 1, text.size()));
  }
  return words;
}

std::vector<std::string> typed_words(std::string_view text, char separator) {
  std::vector<std::string> words = split_words(text, separator);
  bool const is_choice = words.size() > 1 && std::ranges::all_of(words, is_typed);
  return is_choice ? words : std::vector<std::string>{};
}

std::vector<std::string> node_type_names() {
  std::vector<std::string> names;
  for (schema::RecordTypeInfo const& type : schema::record_types()) {
    if (type.is_node) names.emplace_back(type.name);
  }
  return names;
}

std::vector<std::string> edge_names() {
  std::vector<std::string> names;
  for (schema::EdgeRule const& rule : schema::edge_rules()) {
    std::string_view const name = schema::name_of(rule.type);
    if (std::ranges::find(names, name) == names.end()) names.emplace_back(name);
  }
  return names;
}

ArgumentUsage argument_of(CLI::Option const& option) {
  ArgumentUsage usage{.doc = option.get_description(),
                      .variable = variable_of_setting(option),
                      .is_required = option.get_required(),
                      .is_repeatable = option.get_expected_max() > 1};
  if (usage.variable.empty()) usage.variable = option.get_envname();
  if (option.get_type_size() != 0) usage.placeholder = option.get_type_name();
  return usage;
}

VerbUsage verb_usage_of(CLI::App const& verb) {
  VerbUsage usage{
      .name = verb.get_name(), .doc = verb.get_description(), .purpose = verb.get_group(), .footer = verb.get_footer()};
  for (CLI::Option const* option : verb.get_options()) {
    if (option->get_group().empty()) continue;  // it is hidden
    ArgumentUsage argument = argument_of(*option);
    if (option->get_positional()) {
      argument.names = {option->get_name(true, false)};
      usage.arguments.push_back(argument);
    }
    argument.names.clear();
    for (std::string const& name : option->get_snames()) argument.names.push_back("-" + name);
    for (std::string const& name : option->get_lnames()) argument.names.push_back("--" + name);
    if (argument.names.empty()) continue;
    if (option->get_positional()) argument.is_required = false;  // one of the two ways is enough
    usage.flags.push_back(std::move(argument));
  }
  return usage;
}

}  // namespace

std::vector<VerbUsage> usage_of(CLI::App const& program) {
  std::vector<VerbUsage> usages;
  for (CLI::App const* verb : program.get_subcommands([](CLI::App const*) { return true; }))
    usages.push_back(verb_usage_of(*verb));
  return usages;
}

ValueUsage values_of(std::string_view placeholder) {
  ValueUsage values;
  std::string_view const item = placeholder.substr(0, placeholder.find(",..."));
  values.is_list = item.size() < placeholder.size();
  if (item == "TYPE") {
    values.words = node_type_names();
  } else if (item == "EDGE") {
    values.words = edge_names();
  } else if (item == "FILE" || item == "PATH") {
    values.is_file = true;
  } else if (item == "DIR") {
    values.is_folder = true;
  } else if (values.words = typed_words(placeholder, '|'); values.words.empty()) {
    values.words = typed_words(placeholder, ',');
    values.is_list = !values.words.empty();
  }
  return values;
}

bool is_of_every_verb(ArgumentUsage const& flag) {
  return std::ranges::any_of(flag.names,
                             [](std::string const& name) { return name == "--help" || name == "--config"; });
}

}  // namespace whence::tools
