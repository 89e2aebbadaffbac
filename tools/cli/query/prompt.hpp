#pragma once
// The prompt of `whence query`: statements that end with `;`, one answer after the other.

#include "tools/cli/query/asked.hpp"
#include "tools/cli/query/completion.hpp"
#include "tools/cli/query/line_editor.hpp"

#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace whence::tools {

/// Lines are edited and completed where both standard input and standard error are a terminal that can move its cursor,
/// else taken as they come. A statement may take several lines. What was asked is kept while the prompt runs, and is
/// asked again by its number, or with the arrow keys.
class QueryPrompt {
 public:
  /// All outlive the prompt.
  QueryPrompt(Caller& caller, QuerySettings settings, Io& io);
  QueryPrompt(QueryPrompt const&) = delete;
  QueryPrompt& operator=(QueryPrompt const&) = delete;

  /// Until the input ends or `:quit`.
  [[nodiscard]] ExitCode run();

 private:
  [[nodiscard]] LineCompletion complete(std::string_view line);
  void take_line(std::string_view line);
  void take_command(std::string_view line);
  void ask(std::string statement);
  void list_history() const;
  void ask_again(std::string_view number);

  Caller& caller_;
  QuerySettings settings_;
  Io& io_;
  std::optional<QueryVocabulary> vocabulary_;  ///< from the first completion on
  std::unique_ptr<LineEditor> editor_;
  std::string begun_;                ///< a statement without its end
  std::deque<std::string> history_;  ///< the last ones, oldest first
  std::size_t forgotten_ = 0;        ///< statements before them
  bool is_over_ = false;
};

}  // namespace whence::tools
