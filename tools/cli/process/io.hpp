#pragma once
// The streams of a verb: input, data and messages, and whether they are terminals.

#include "tools/cli/process/exit_code.hpp"

#include <cstddef>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>

namespace whence::tools {

/// The program's streams. References outlive it.
struct Io {
  std::istream& in;
  std::ostream& data;             ///< stdout: the requested data, nothing else
  std::ostream& talk;             ///< stderr: errors, progress, hints
  bool is_data_terminal = false;  ///< long cells are cut to its width
  bool is_talk_terminal = false;  ///< progress may be shown
  bool has_colour = false;        ///< `data` is a terminal and NO_COLOR is not set
  std::size_t columns = 0;        ///< width of the terminal; 0: no limit
  bool is_in_terminal = false;    ///< a person types what `in` has
};

/// The environment's variable `name`; nothing where it is not set or empty.
[[nodiscard]] std::optional<std::string> environment_variable(std::string const& name);

/// What some programs write before a text, and nobody means.
inline constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

/// A file that cannot be read, and why, in the system's words. One that is not there is `not_found`.
struct UnreadableFile {
  ExitCode exit;
  std::string why;
};

/// Whether the file or pipe at `path` cannot be read, as where it is a folder; nothing where it can, or is `-`.
[[nodiscard]] std::optional<UnreadableFile> find_unreadable(std::string const& path);

/// The standard streams of this process, and whether they are terminals.
[[nodiscard]] Io standard_io();

}  // namespace whence::tools
