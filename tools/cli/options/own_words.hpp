#pragma once
// Errors of methods in the words of the command line: the flags and arguments that were typed, not paths of the
// protocol.

#include "tools/cli/transport/caller.hpp"

#include <span>
#include <string_view>

#include <CLI/App.hpp>

namespace whence::tools {

/// A param or member of a record, and what it is called on the command line.
struct OwnWord {
  std::string_view param;
  std::string_view word;
};

/// `error` with the paths that its message and its violations begin with written as flags or arguments of `verb`:
/// "/as_of" is "--as-of", "/refs/1" is "--refs, number 2". So are the names of its params within backquotes. `words` go
/// before its flags. What `verb` does not take, such as the members of a record in a file, keeps its path.
[[nodiscard]] CallError in_own_words(CallError error, CLI::App const& verb, std::span<OwnWord const> words = {});

/// The same of the one record that a verb writes: its number says nothing.
[[nodiscard]] CallError of_own_record(CallError error, CLI::App const& verb, std::span<OwnWord const> words);

}  // namespace whence::tools
