#pragma once
// Lines that a person types: edited, remembered and completed by libedit, or as the stream gives them.

#include <functional>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace whence::tools {

/// What takes the place of the last `replaced` bytes before the cursor, and what to list below the line.
struct LineCompletion {
  std::size_t replaced = 0;
  std::string text = {};
  std::vector<std::string> listed = {};
};

/// Reads lines. One at a time in a process: the terminal is one.
class LineEditor {
 public:
  /// What TAB does after `before`, the line up to the cursor.
  using Complete = std::function<LineCompletion(std::string_view before)>;

  virtual ~LineEditor() = default;
  /// The next line without its end; nothing at the end of the input.
  [[nodiscard]] virtual std::optional<std::string> read(std::string_view prompt) = 0;
  /// A statement that arrow keys bring back, on one line.
  virtual void remember(std::string_view statement) = 0;
};

/// Edits on the terminal of standard input, and talks on standard error, as prompts do.
[[nodiscard]] std::unique_ptr<LineEditor> terminal_editor(LineEditor::Complete complete);

/// Takes lines of `in` as they are. Both outlive it.
[[nodiscard]] std::unique_ptr<LineEditor> plain_editor(std::istream& in, std::ostream& talk);

}  // namespace whence::tools
