#pragma once
// Settings: options that may also stand in the environment or in a file. First the flag, then `WHENCE_NAME`, then the
// file, then the default. (CLI11 knows both sources but lets the file win over the environment, and an environment
// variable clash with a flag that excludes it; so only its parser of files is used.)

#include <string>

#include <CLI/App.hpp>

namespace whence::tools {

/// Makes `option` a setting. The name of its variable is that of its flag: `--token-file` is `WHENCE_TOKEN_FILE`.
CLI::Option* make_setting(CLI::Option* option);

/// Gives every setting of `verb` that no flag set its value from the environment. A setting that excludes another is
/// left alone where the other has a value. Throws CLI::ParseError on a value that the option refuses.
void apply_environment(CLI::App& verb);

/// The same from the file at `path`, after the environment: lines `name = value`, for all verbs before any section, for
/// one in its section `[verb]`, which goes before. Throws CLI::ParseError naming the file where it is missing or a name
/// is no setting of any verb of `app` (in a section: of that verb).
void apply_config_file(CLI::App& app, CLI::App& verb, std::string const& path);

}  // namespace whence::tools
