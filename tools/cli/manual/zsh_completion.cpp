// Completion for zsh, by its function _arguments.

#include "tools/cli/manual/manual.hpp"

namespace whence::tools {
namespace {

/// Text inside single quotes, where `:`, `[` and `]` separate the parts of a specification.
std::string in_zsh(std::string_view text) {
  std::string escaped;
  for (char const c : text) {
    if (c == '\'') {
      escaped += "'\\''";
    } else if (c == ':' || c == '[' || c == ']' || c == '\\') {
      escaped += std::string{"\\"} + c;
    } else {
      escaped += c;
    }
  }
  return escaped;
}

std::string zsh_words(std::vector<std::string> const& words) {
  std::string text;
  for (std::string const& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

/// ":MESSAGE:ACTION" for a value.
std::string zsh_value(ArgumentUsage const& argument) {
  ValueUsage const values = values_of(argument.placeholder);
  std::string action = "()";  // a message alone would keep flags from being completed
  if (values.is_file) action = "_files";
  if (values.is_folder) action = "_files -/";
  if (!values.words.empty())
    action = values.is_list ? "_sequence compadd - " + zsh_words(values.words) : "(" + zsh_words(values.words) + ")";
  return ":" + in_zsh(argument.placeholder) + ":" + action;
}

std::string zsh_case_of(VerbUsage const& verb) {
  std::string text = "        " + verb.name + ")\n          _arguments -s";
  for (ArgumentUsage const& flag : verb.flags) {
    for (std::string const& name : flag.names) {
      text += " \\\n            '";
      if (flag.is_repeatable) text += "*";
      text += name + (flag.placeholder.empty() || !name.starts_with("--") ? "" : "=") + "[" + in_zsh(flag.doc) + "]";
      if (!flag.placeholder.empty()) text += zsh_value(flag);
      text += "'";
    }
  }
  for (ArgumentUsage const& argument : verb.arguments)
    text += " \\\n            '" + std::string{argument.is_repeatable ? "*" : ""} + zsh_value(argument) + "'";
  return text + " ;;\n";
}

}  // namespace

std::string zsh_completion(std::vector<VerbUsage> const& verbs) {
  std::string text = R"(#compdef whence
# Completion of whence for zsh. Made by `whence completion zsh`.
_whence() {
  local curcontext=$curcontext state line
  typeset -A opt_args
  _arguments -C '(- *)--help[Prints the list of verbs]' '(- *)--version[Prints the version]' '1:verb:->verb' '*::argument:->argument'
  case $state in
    verb)
      local -a verbs
      verbs=(
)";
  for (VerbUsage const& verb : verbs) text += "        '" + verb.name + ":" + in_zsh(verb.doc) + "'\n";
  text += R"(      )
      _describe -t verbs verb verbs ;;
    argument)
      case $words[1] in
)";
  for (VerbUsage const& verb : verbs) text += zsh_case_of(verb);
  return text + R"(      esac ;;
  esac
}
if [[ $funcstack[1] == _whence ]]; then _whence "$@"; else compdef _whence whence; fi
)";
}

}  // namespace whence::tools
