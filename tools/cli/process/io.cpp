// The standard streams, inspected once.

#include "tools/cli/process/io.hpp"

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <system_error>

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
  return environment_variable("NO_COLOR") || environment_variable("TERM") == "dumb";
}

}  // namespace

std::optional<std::string> environment_variable(std::string const& name) {
  char const* const value = std::getenv(name.c_str());  // NOLINT(concurrency-mt-unsafe): the program sets no variable
  if (value == nullptr || *value == '\0') return std::nullopt;
  return value;
}

std::optional<UnreadableFile> find_unreadable(std::string const& path) {
  // Not opened: the writer of a pipe would take that for its reader.
  if (path == "-") return std::nullopt;
  std::error_code failed;
  if (std::filesystem::is_directory(path, failed))
    return UnreadableFile{.exit = ExitCode::failure, .why = path + " cannot be read: it is a folder"};
  if (access(path.c_str(), R_OK) == 0) return std::nullopt;
  auto const why = errno;
  return UnreadableFile{.exit = why == ENOENT || why == ENOTDIR ? ExitCode::not_found : ExitCode::failure,
                        .why = path + " cannot be read: " + std::generic_category().message(why)};
}

Io standard_io() {
  bool const is_data_terminal = isatty(STDOUT_FILENO) != 0;
  return {.in = std::cin,
          .data = std::cout,
          .talk = std::cerr,
          .is_data_terminal = is_data_terminal,
          .is_talk_terminal = isatty(STDERR_FILENO) != 0,
          .has_colour = is_data_terminal && !is_colour_refused(),
          .columns = is_data_terminal ? terminal_columns() : 0,
          .is_in_terminal = isatty(STDIN_FILENO) != 0};
}

}  // namespace whence::tools
