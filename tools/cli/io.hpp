#pragma once
// What a verb reads from and writes to: data on one stream, talk on another, and whether people look at them.

#include <cstddef>
#include <iosfwd>

namespace whence::tools {

/// The program's streams. References outlive it.
struct Io {
  std::istream& in;
  std::ostream& data;             ///< stdout: what was asked for, nothing else
  std::ostream& talk;             ///< stderr: errors, progress, hints
  bool is_data_terminal = false;  ///< people read `data`: long cells are cut to its width
  bool is_talk_terminal = false;  ///< progress may be drawn
  bool has_colour = false;        ///< `data` is a terminal and NO_COLOR is not set
  std::size_t columns = 0;        ///< width of the terminal; 0: no limit
};

/// The standard streams of this process and what they are connected to.
[[nodiscard]] Io standard_io();

}  // namespace whence::tools
