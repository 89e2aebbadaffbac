#pragma once
// Settings: options that may also be set in the environment or in a file. The flag has precedence, then `WHENCE_NAME`,
// then the file, then the default. (CLI11 supports both sources, but gives the file precedence over the environment and
// reports a conflict between an environment variable and a flag that excludes it; so only its file parser is used.)

#include <functional>
#include <string>
#include <string_view>

#include <CLI/App.hpp>
#include <CLI/Validators.hpp>

namespace whence::tools {

/// Refuses numbers below `least`, in words: CLI11's own says that they are not in a range of 300 digits.
[[nodiscard]] CLI::Validator at_least(int least);

/// Makes `option` a setting. The name of its variable is that of its flag: `--token-file` is `WHENCE_TOKEN_FILE`.
CLI::Option* make_setting(CLI::Option* option);

/// The name of its variable; empty where it is no setting.
[[nodiscard]] std::string variable_of_setting(CLI::Option const& option);

/// Sets every setting of `verb` that no flag has set from the environment. A setting that excludes another is left
/// unset if the other has a value. Throws CLI::ParseError on a value that the option refuses.
void apply_environment(CLI::App& verb);

/// The same from the file at `path`, after the environment: lines `name = value`. Lines before the first section apply
/// to all verbs; a section `[verb]` has precedence for its verb. Throws CLI::ParseError naming the file if it is
/// missing, a name is not a setting of any verb of `app` (in a section: of that verb), or a setting of one value has
/// several.
void apply_config_file(CLI::App& app, CLI::App& verb, std::string const& path);

/// What is shown of the value of a setting: secrets in it are hidden.
using ShownValue = std::function<std::string(std::string_view name, std::string const& value)>;

/// All settings of `verb` as a file for `--config`: each with its description, its range and its variable as comments.
/// A setting that was given, by flag, environment or file, is a line; any other is a line behind `#`, with its default,
/// or with the form of its value where it has none.
[[nodiscard]] std::string settings_file(CLI::App const& verb, ShownValue const& shown);

}  // namespace whence::tools
