#pragma once
// What is made of the command line as data: scripts that complete it, and its manual page.

#include "tools/cli/manual/usage.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace whence::tools {

/// A script for the shell, to be sourced or installed.
[[nodiscard]] std::string bash_completion(std::vector<VerbUsage> const& verbs);
[[nodiscard]] std::string zsh_completion(std::vector<VerbUsage> const& verbs);
[[nodiscard]] std::string fish_completion(std::vector<VerbUsage> const& verbs);

/// The page whence(1) in roff, for the macros `man`. `footer` is what `whence --help` ends with.
[[nodiscard]] std::string manual_page(std::vector<VerbUsage> const& verbs, std::string_view footer);

}  // namespace whence::tools
