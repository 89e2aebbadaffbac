// Lines to statements and commands.

#include "tools/cli/query/prompt.hpp"

#include "net/plain_text/shown.hpp"
#include "schema/base/text.hpp"
#include "tools/cli/query/statement.hpp"
#include "tools/cli/query/vocabulary.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <ostream>
#include <utility>
#include <vector>

namespace whence::tools {
namespace {

constexpr std::size_t history_max = 100;
constexpr std::size_t offers_listed_max = 60;  ///< words that may stand at a place
constexpr std::size_t statement_bytes_max = std::size_t{1} << 20;

constexpr std::string_view prompt_help =
    "A query ends with `;` and may take several lines. TAB completes words; arrow keys bring back queries, Ctrl-R "
    "finds\n"
    "one. Ctrl-D or :quit ends the prompt.\n"
    "  :history            what was asked, with numbers\n"
    "  :run N              asks that again\n"
    "  :param NAME=JSON    gives $NAME a value\n"
    "  :clear              forgets the lines of a query that has not ended\n";

}  // namespace

QueryPrompt::QueryPrompt(Caller& caller, QuerySettings settings, Io& io)
    : caller_(caller), settings_(std::move(settings)), io_(io) {
  auto const terminal = environment_variable("TERM");
  bool const is_edited = io.is_in_terminal && io.is_talk_terminal && terminal && *terminal != "dumb";
  if (is_edited) {
    editor_ = terminal_editor([this](std::string_view line) { return complete(line); });
  } else {
    editor_ = plain_editor(io.in, io.talk);
  }
}

ExitCode QueryPrompt::run() {
  io_.talk << "openCypher without writing clauses; a query ends with `;`, :help says more\n";
  io_.talk << std::flush;
  while (!is_over_) {
    auto const line = editor_->read(schema::trim_xml(begun_).empty() ? "whence> " : "   ...> ");
    if (!line) {
      io_.talk << '\n';
      break;
    }
    take_line(*line);
    io_.talk << std::flush;
  }
  return ExitCode::ok;
}

/// One word replaces what was typed of it; of several what they have in common does, and they are listed.
LineCompletion QueryPrompt::complete(std::string_view line) {
  if (!vocabulary_) vocabulary_ = read_vocabulary(caller_);
  std::vector<std::string> values;
  for (auto const& value : settings_.values) values.emplace_back(value.key());
  std::string const text = begun_ + std::string{line};
  auto const offers = offers_of(text, *vocabulary_, values);
  std::size_t const typed = text.size() - std::max(offers.begin, begun_.size());
  if (offers.words.empty() || offers.begin < begun_.size()) return {};
  if (offers.words.size() == 1) return {.replaced = typed, .text = offers.words.front()};
  LineCompletion done{.replaced = typed, .text = common_beginning(offers.words), .listed = offers.words};
  if (done.text.size() <= typed) done.text.clear();
  if (done.listed.size() > offers_listed_max) {
    done.listed.resize(offers_listed_max);
    done.listed.emplace_back("...");
  }
  return done;
}

void QueryPrompt::take_line(std::string_view line) {
  std::string_view const words = schema::trim_xml(line);
  // In the middle of a query a line may begin so: a label of a pattern.
  if (words.starts_with(':') && (schema::trim_xml(begun_).empty() || words == ":clear" || words == ":quit")) {
    return take_command(words);
  }
  begun_.append(line).append("\n");
  while (std::optional<std::size_t> const end = find_statement_end(begun_)) {
    std::string statement{schema::trim_xml(std::string_view{begun_}.substr(0, *end))};
    begun_.erase(0, *end + 1);
    if (!statement.empty()) ask(std::move(statement));
  }
  if (begun_.size() > statement_bytes_max) {
    io_.talk << "whence: a query has at most " << statement_bytes_max << " bytes; it is forgotten\n";
    begun_.clear();
  }
}

void QueryPrompt::take_command(std::string_view line) {
  std::string_view const name = line.substr(0, line.find_first_of(" \t"));
  std::string_view const rest = schema::trim_xml(line.substr(name.size()));
  if (name == ":quit" || name == ":exit") {
    is_over_ = true;
  } else if (name == ":clear") {
    begun_.clear();
  } else if (name == ":history") {
    list_history();
  } else if (name == ":run") {
    ask_again(rest);
  } else if (name == ":param") {
    if (Result<void> const added = add_query_value(settings_.values, rest, true); !added) {
      io_.talk << "whence: " << net::plain_text::shown(added.error().message) << '\n';
    }
  } else {
    if (name != ":help") io_.talk << "whence: no command is called " << net::plain_text::shown(name) << '\n';
    io_.talk << prompt_help;
  }
}

void QueryPrompt::ask(std::string statement) {
  // A failure is on the screen, and the next query may do better.
  static_cast<void>(answer_query(caller_, settings_, statement, io_));
  io_.data << std::flush;
  editor_->remember(statement);
  history_.push_back(std::move(statement));
  if (history_.size() <= history_max) return;
  history_.pop_front();
  ++forgotten_;
}

void QueryPrompt::list_history() const {
  for (std::size_t i = 0; i < history_.size(); ++i) {
    io_.talk << forgotten_ + i + 1 << "  " << net::plain_text::shown(history_[i]) << '\n';
  }
}

void QueryPrompt::ask_again(std::string_view number) {
  std::size_t asked = 0;
  auto const [end, failure] = std::from_chars(number.data(), number.data() + number.size(), asked);
  bool const is_known = failure == std::errc{} && end == number.data() + number.size() && asked > forgotten_ &&
                        asked <= forgotten_ + history_.size();
  if (is_known) {
    ask(history_[asked - forgotten_ - 1]);
  } else {
    io_.talk << "whence: :history lists the numbers\n";
  }
}

}  // namespace whence::tools
