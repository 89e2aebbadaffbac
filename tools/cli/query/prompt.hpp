#pragma once
// The prompt of `whence query`: statements that end with `;`, one answer after the other.

#include "tools/cli/query/asked.hpp"

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>

namespace whence::tools {

/// Reads lines as the terminal gives them: their editing is the terminal's own. A statement may take several lines.
/// What was asked is kept while the prompt runs, and is asked again by its number.
class QueryPrompt {
 public:
  /// All outlive the prompt.
  QueryPrompt(Caller& caller, QuerySettings settings, Io& io);

  /// Until the input ends or `:quit`.
  [[nodiscard]] ExitCode run();

 private:
  void take_line(std::string_view line);
  void take_command(std::string_view line);
  void ask(std::string statement);
  void list_history() const;
  void ask_again(std::string_view number);

  Caller& caller_;
  QuerySettings settings_;
  Io& io_;
  std::string begun_;                ///< a statement without its end
  std::deque<std::string> history_;  ///< the last ones, oldest first
  std::size_t forgotten_ = 0;        ///< statements before them
  bool is_over_ = false;
};

}  // namespace whence::tools
