// Completion for bash, without the package bash-completion.

#include "tools/cli/manual/manual.hpp"

namespace whence::tools {
namespace {

// The words before the cursor's are read as they are: a value after `=` is a word of its own, because `=` is among
// COMP_WORDBREAKS. Of a list the last item is completed.
constexpr std::string_view bash_head = R"(# Completion of whence for bash. Made by `whence completion bash`.
_whence() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} verb= flags= kind= words= i
  for ((i = 1; i < COMP_CWORD; ++i)); do
    if [[ ${COMP_WORDS[i]} != -* ]]; then verb=${COMP_WORDS[i]}; break; fi
  done
  if [[ $current == "=" ]]; then current=; fi
  if [[ $previous == "=" ]]; then previous=${COMP_WORDS[COMP_CWORD - 2]}
  elif [[ ${COMP_WORDS[COMP_CWORD]} == "=" ]]; then previous=${COMP_WORDS[COMP_CWORD - 1]}; fi
  COMPREPLY=()
)";
constexpr std::string_view bash_tail = R"(  if [[ $current == -* ]]; then kind=words words=$flags; fi
  case $kind in
    words) mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current") ;;
    list)
      local before=
      if [[ $current == *,* ]]; then before=${current%,*},; fi
      mapfile -t COMPREPLY < <(compgen -P "$before" -W "$words" -- "${current##*,}")
      compopt -o nospace 2> /dev/null ;;
    file) mapfile -t COMPREPLY < <(compgen -f -- "$current"); compopt -o filenames 2> /dev/null ;;
    folder) mapfile -t COMPREPLY < <(compgen -d -- "$current"); compopt -o filenames 2> /dev/null ;;
  esac
}
complete -F _whence whence
)";

std::string joined(std::vector<std::string> const& words, std::string_view separator) {
  std::string text;
  for (std::string const& word : words) text.append(text.empty() ? "" : separator).append(word);
  return text;
}

/// The assignments for a value; empty for one that cannot be completed.
std::string bash_values(ArgumentUsage const& argument) {
  ValueUsage const values = values_of(argument.placeholder);
  if (values.is_file) return "kind=file";
  if (values.is_folder) return "kind=folder";
  if (values.words.empty()) return {};
  return std::string{values.is_list ? "kind=list" : "kind=words"} + " words='" + joined(values.words, " ") + "'";
}

std::string bash_flags(VerbUsage const& verb) {
  std::string flags;
  for (ArgumentUsage const& flag : verb.flags) flags.append(flags.empty() ? "" : " ").append(flag.names.back());
  return flags;
}

/// What may stand at the cursor: the value of the flag before it, else an argument.
std::string bash_case_of(VerbUsage const& verb) {
  std::string text = "    " + verb.name + ")\n      flags='" + bash_flags(verb) + "'\n";
  text += "      case $previous in\n";
  for (ArgumentUsage const& flag : verb.flags) {
    if (flag.placeholder.empty()) continue;
    std::string const values = bash_values(flag);
    text += "        " + joined(flag.names, "|") + ") " + (values.empty() ? "kind=none" : values) + " ;;\n";
  }
  std::string const first = verb.arguments.empty() ? std::string{} : bash_values(verb.arguments.front());
  if (!first.empty()) text += "        *) " + first + " ;;\n";
  return text + "      esac ;;\n";
}

}  // namespace

std::string bash_completion(std::vector<VerbUsage> const& verbs) {
  std::string text{bash_head};
  text += "  case $verb in\n    '')\n      flags='--help --version'\n      kind=words words='";
  for (VerbUsage const& verb : verbs) text += verb.name + (&verb == &verbs.back() ? "' ;;\n" : " ");
  for (VerbUsage const& verb : verbs) text += bash_case_of(verb);
  return text + "  esac\n" + std::string{bash_tail};
}

}  // namespace whence::tools
