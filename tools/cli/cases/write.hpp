#pragma once
// `whence export --format html`: answers with everything they rest on, in one file to read without a server.

#include "tools/cli/options/param_flags.hpp"
#include "tools/cli/options/target.hpp"
#include "tools/cli/process/io.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace whence::tools {

/// The name of the format, and the end of a file's name that implies it. It is no row of the table of formats: it shows
/// answers to people, and is made of what several methods say, not by a walk over the graph.
inline constexpr std::string_view case_format = "html";
inline constexpr std::string_view case_suffix = ".html";

struct CaseCommand {
  Target const& target;
  std::string const& path;  ///< `-` is standard output
  bool may_replace;
  std::vector<std::string> const& refs;
  BoundFlag const& as_of;
};

/// Gathers and writes the case. Says on `io.talk` of which answers the log proves nothing now, and why. Fails as the
/// calls do, with `usage` above `case_refs_max` refs, with `conflict` where the output is there already.
[[nodiscard]] CallResult<void> write_case(CaseCommand const& command, Io& io);

}  // namespace whence::tools
