// The flag for colours.

#include "tools/cli/options/colour.hpp"

#include <vector>

#include <CLI/Validators.hpp>

namespace whence::tools {

void add_colour_flag(CLI::App& verb, std::string& choice) {
  verb.add_option("--color", choice, "Whether the output has colours; auto: on a terminal, unless NO_COLOR is set")
      ->type_name("always|never|auto")
      ->check(CLI::IsMember(std::vector<std::string>{"always", "never", "auto"}).description(""));
}

Io with_colour(Io const& io, std::string const& choice) {
  Io chosen = io;
  if (choice == "always") chosen.has_colour = true;
  if (choice == "never") chosen.has_colour = false;
  return chosen;
}

}  // namespace whence::tools
