// Completion for fish: a line for each verb and each flag.

#include "tools/cli/manual/manual.hpp"

namespace whence::tools {
namespace {

std::string in_fish(std::string_view text) {
  std::string quoted = "'";
  for (char const c : text) quoted += c == '\'' || c == '\\' ? std::string{"\\"} + c : std::string{c};
  return quoted + "'";
}

std::string fish_words(std::vector<std::string> const& words) {
  std::string text;
  for (std::string const& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

/// The options of `complete` for a value; files are offered where the value is one.
std::string fish_value(ArgumentUsage const& argument) {
  ValueUsage const values = values_of(argument.placeholder);
  if (values.is_file) return " -r -F";
  if (values.is_folder) return " -x -a '(__fish_complete_directories)'";
  if (values.words.empty()) return {};
  // Of a list the items before the last comma are kept.
  return values.is_list ? " -x -a '(__whence_list " + fish_words(values.words) + ")'"
                        : " -x -a '" + fish_words(values.words) + "'";
}

}  // namespace

std::string fish_completion(std::vector<VerbUsage> const& verbs) {
  std::string text = R"(# Completion of whence for fish. Made by `whence completion fish`.
function __whence_list
  set -l before (string replace -r '^(--[^=]*=)?((.*,)?)[^,]*$' '$2' -- (commandline -ct))
  printf "$before%s\n" $argv
end
complete -c whence -f
)";
  for (VerbUsage const& verb : verbs)
    text += "complete -c whence -n __fish_use_subcommand -a " + verb.name + " -d " + in_fish(verb.doc) + "\n";
  for (VerbUsage const& verb : verbs) {
    std::string const when = "complete -c whence -n '__fish_seen_subcommand_from " + verb.name + "'";
    for (ArgumentUsage const& flag : verb.flags) {
      text += when;
      for (std::string const& name : flag.names)
        text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      if (!flag.placeholder.empty()) {
        std::string const value = fish_value(flag);
        text += value.empty() ? " -x" : value;
      }
      text += " -d " + in_fish(flag.doc) + "\n";
    }
    if (!verb.arguments.empty()) {
      if (std::string const value = fish_value(verb.arguments.front()); !value.empty()) text += when + value + "\n";
    }
  }
  return text;
}

}  // namespace whence::tools
