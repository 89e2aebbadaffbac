// `whence completion` and `whence manual`.

#include "schema/base/suggest.hpp"
#include "tools/cli/manual/manual.hpp"
#include "tools/cli/program/program.hpp"

#include <array>
#include <memory>
#include <ostream>

namespace whence::tools {
namespace {

struct ShellRow {
  std::string_view name;
  std::string (*script)(std::vector<VerbUsage> const& verbs);
};
constexpr std::array shells = {ShellRow{"bash", bash_completion}, ShellRow{"zsh", zsh_completion},
                               ShellRow{"fish", fish_completion}};

ExitCode print_completion(Program const& program, std::string const& shell, Io& io) {
  for (ShellRow const& row : shells) {
    if (row.name != shell) continue;
    io.data << row.script(usage_of(program.app()));
    return ExitCode::ok;
  }
  return report(io, {.exit = ExitCode::usage,
                     .message = "there is no completion for \"" + shell + "\"" +
                                schema::alternatives(shell, schema::names_in(shells))});
}

}  // namespace

void add_manual_verbs(Program& program) {
  CLI::App& completion =
      program.add_verb("completion", "Prints a script that completes verbs, flags and values", Purpose::maintain);
  completion.footer(
      "bash: source <(whence completion bash)\n"
      "zsh: source <(whence completion zsh), after compinit\n"
      "fish: whence completion fish | source");
  auto const shell = std::make_shared<std::string>();
  completion.add_option("shell", *shell, "The shell it is for")->required()->type_name("bash|zsh|fish");
  program.set_work(completion, [&program, shell](Io& io) { return print_completion(program, *shell, io); });

  CLI::App& manual = program.add_verb("manual", "Prints the manual page, for `man -l -`", Purpose::maintain);
  program.set_work(manual, [&program](Io& io) {
    io.data << manual_page(usage_of(program.app()), program.app().get_footer());
    return ExitCode::ok;
  });
}

}  // namespace whence::tools
