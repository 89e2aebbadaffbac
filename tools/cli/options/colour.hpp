#pragma once
// Whether a verb's data has colours.

#include "tools/cli/process/io.hpp"

#include <string>

#include <CLI/App.hpp>

namespace whence::tools {

/// Adds `--color always|never|auto`, which goes into `choice`. It outlives the parsing.
void add_colour_flag(CLI::App& verb, std::string& choice);

/// The streams as `choice` wants them: coloured, plain, or as they are, which is coloured on a terminal where NO_COLOR
/// is not set.
[[nodiscard]] Io with_colour(Io const& io, std::string const& choice);

}  // namespace whence::tools
