// The standard streams, inspected once.

#include "tools/cli/io.hpp"

#include <cstdlib>
#include <iostream>
#include <string_view>

#include <sys/ioctl.h>
#include <unistd.h>

namespace whence::tools {
namespace {

std::size_t terminal_columns() {
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) return 0;
  return size.ws_col;
}

/// no-color.org: set and not empty means no colour.
bool is_colour_refused() {
  char const* no_colour = std::getenv("NO_COLOR");
  char const* term = std::getenv("TERM");
  return (no_colour != nullptr && *no_colour != '\0') || (term != nullptr && std::string_view{term} == "dumb");
}

}  // namespace

Io standard_io() {
  bool const is_data_terminal = isatty(STDOUT_FILENO) != 0;
  return {.in = std::cin,
          .data = std::cout,
          .talk = std::cerr,
          .is_data_terminal = is_data_terminal,
          .is_talk_terminal = isatty(STDERR_FILENO) != 0,
          .has_colour = is_data_terminal && !is_colour_refused(),
          .columns = is_data_terminal ? terminal_columns() : 0};
}

}  // namespace whence::tools
