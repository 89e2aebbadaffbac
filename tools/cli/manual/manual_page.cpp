// The manual page. In roff a line that starts with a dot or an apostrophe is a request, and a backslash starts an
// escape.

#include "net/base/version.hpp"
#include "schema/encoding/ascii.hpp"
#include "tools/cli/manual/manual.hpp"

namespace whence::tools {
namespace {

/// Text as it is; `-` as the character of the keyboard, so that flags can be copied.
std::string in_roff(std::string_view text) {
  std::string escaped;
  for (char const c : text) {
    if (c == '\\') {
      escaped += "\\e";
    } else if (c == '-') {
      escaped += "\\-";
    } else if (c == '\n') {
      escaped += "\n.br\n";
    } else if ((c == '.' || c == '\'') && (escaped.empty() || escaped.back() == '\n')) {
      escaped += std::string{"\\&"} + c;
    } else {
      escaped += c;
    }
  }
  return escaped;
}

std::string bold(std::string_view text) {
  return "\\fB" + in_roff(text) + "\\fR";
}

std::string italic(std::string_view text) {
  return "\\fI" + in_roff(text) + "\\fR";
}

std::string synopsis_of(VerbUsage const& verb) {
  std::string text = bold("whence " + verb.name) + " [" + italic("flags") + "]";
  for (ArgumentUsage const& argument : verb.arguments) {
    std::string const name = italic(argument.names.front()) + (argument.is_repeatable ? " ..." : "");
    text += argument.is_required ? " " + name : " [" + name + "]";
  }
  return text;
}

std::string flag_text(ArgumentUsage const& flag) {
  std::string text = ".TP\n";
  for (std::string const& name : flag.names) text += (&name == &flag.names.front() ? "" : ", ") + bold(name);
  if (!flag.placeholder.empty()) text += " " + italic(flag.placeholder);
  text += "\n" + in_roff(flag.doc);
  if (!flag.doc.ends_with('.')) text += ".";
  if (!flag.variable.empty()) text += "\nEnvironment: " + bold(flag.variable) + ".";
  return text + "\n";
}

std::string verb_text(VerbUsage const& verb) {
  std::string text = ".SS " + in_roff(verb.name) + "\n" + synopsis_of(verb) + "\n.PP\n" + in_roff(verb.doc) + ".\n";
  if (!verb.footer.empty()) text += ".PP\n" + in_roff(verb.footer) + "\n";
  for (ArgumentUsage const& argument : verb.arguments)
    text += ".TP\n" + italic(argument.names.front()) + "\n" + in_roff(argument.doc) +
            (argument.doc.ends_with('.') ? "\n" : ".\n");
  for (ArgumentUsage const& flag : verb.flags) {
    if (!is_of_every_verb(flag)) text += flag_text(flag);
  }
  return text;
}

}  // namespace

std::string manual_page(std::vector<VerbUsage> const& verbs, std::string_view footer) {
  std::string text = ".TH WHENCE 1 \"\" \"whence " + in_roff(net::version()) + "\" \"User Commands\"\n";
  text +=
      ".SH NAME\nwhence \\- records what responses of language models were made from, and answers where they came "
      "from\n";
  text += ".SH SYNOPSIS\n" + bold("whence") + " " + italic("verb") + " [" + italic("arguments") + "] [" +
          italic("flags") + "]\n.br\n" + bold("whence") + " " + bold("--help") + "\n.br\n" + bold("whence") + " " +
          bold("--version") + "\n";
  text +=
      ".SH DESCRIPTION\nWhence keeps a graph of what responses were made from and of what was made from them. Each "
      "verb "
      "works on a server or on a store. Data goes to standard output, everything else to standard error.\n";
  text += ".PP\nA node is named " + italic("Type:id") + ". A moment (" + italic("TX|TIME") +
          ") is the number of a transaction or a time as in RFC 3339.\n";
  std::string purpose;
  for (VerbUsage const& verb : verbs) {
    if (verb.purpose != purpose) text += ".SH VERBS: " + in_roff(schema::in_upper(purpose = verb.purpose)) + "\n";
    text += verb_text(verb);
  }
  text += ".SH FLAGS OF EVERY VERB\n.TP\n" + bold("-h") + ", " + bold("--help") +
          "\nPrints the flags of the verb.\n.TP\n" + bold("--config") + " " + italic("FILE") +
          "\nReads settings from this file that are given nowhere else.\n" + "Environment: " + bold("WHENCE_CONFIG") +
          ".\n";
  return text + ".SH SETTINGS AND EXIT CODES\n" + in_roff(footer) + "\n";
}

}  // namespace whence::tools
