// Blocks of text, joined by empty lines.
#include "queries/discussion/text.hpp"

#include "queries/discussion/load.hpp"

#include <string_view>

namespace whence::queries {
namespace {

using schema::DiscussionRound;
using schema::DiscussionState;
using schema::SummaryEntry;

/// Text that grows by blocks.
class Blocks {
 public:
  Blocks& add(std::string_view block) {
    if (!is_empty_) text_.append("\n\n");
    is_empty_ = false;
    text_.append(block);
    return *this;
  }

  /// The whole text, with its newline; "" where there are no blocks.
  [[nodiscard]] std::string finish() && {
    if (!is_empty_) text_.push_back('\n');
    return std::move(text_);
  }

 private:
  std::string text_;
  bool is_empty_ = true;
};

std::string numbered(std::string_view heading, std::int64_t number) {
  return std::string(heading).append(std::to_string(number));
}

void add_summary(Blocks& blocks, SummaryEntry const& summary) {
  blocks.add(numbered("## Summary (through round ", summary.round_number).append(")")).add(summary.summary);
}

void add_responses(Blocks& blocks, DiscussionRound const& round) {
  blocks.add(numbered("## Round ", round.round_number));
  for (auto const& speaker : schema::speakers()) {
    auto const& response = round.*speaker.response;
    if (response) blocks.add(std::string("### ").append(speaker.name)).add(response->content);
  }
}

bool has_answers(DiscussionRound const& round) {
  return round.user_answers && !round.user_answers->empty();
}

/// "1. one", "2. two": one block. The round has answers.
std::string answers_of(DiscussionRound const& round) {
  std::string text;
  std::size_t number = 0;
  for (auto const& answer : *round.user_answers) {
    if (number > 0) text.push_back('\n');
    text.append(std::to_string(++number)).append(". ").append(answer);
  }
  return text;
}

void add_answers(Blocks& blocks, std::span<DiscussionRound const> rounds) {
  bool has_heading = false;
  for (auto const& round : rounds) {
    if (!has_answers(round)) continue;
    if (!has_heading) blocks.add("## User answers");
    has_heading = true;
    blocks.add(numbered("### Round ", round.round_number)).add(answers_of(round));
  }
}

void add_files(Blocks& blocks, std::span<PromptFile const> files) {
  if (!files.empty()) blocks.add("## Files");
  for (auto const& file : files) blocks.add("### " + file.name).add(file.content);
}

std::string outline(DiscussionState const& state, schema::TokenRules const& token_rules) {
  return std::string("- user: ")
      .append(state.discussion.user_id)
      .append("\n- discussion: ")
      .append(state.discussion.discussion_id)
      .append("\n- rounds: ")
      .append(std::to_string(state.rounds.size()))
      .append("\n- tokens: ")
      .append(std::to_string(state.tokens(token_rules).total()));
}

}  // namespace

std::string prompt_text(DiscussionState const& state, std::span<PromptFile const> files) {
  Blocks blocks;
  if (auto const* summary = state.current_summary()) add_summary(blocks, *summary);
  for (auto const& round : state.included_rounds()) add_responses(blocks, round);
  add_answers(blocks, state.included_rounds());
  add_files(blocks, files);
  return std::move(blocks).finish();
}

std::string markdown_text(DiscussionState const& state, schema::TokenRules const& token_rules) {
  auto const complete = without_open_round(state);
  Blocks blocks;
  auto const& topic = complete.discussion.topic;
  if (topic && !topic->empty()) blocks.add("# " + *topic);
  blocks.add(outline(complete, token_rules));
  for (auto const& round : complete.rounds) {
    add_responses(blocks, round);
    if (has_answers(round)) blocks.add("### User answers").add(answers_of(round));
  }
  for (auto const& summary : complete.summaries) add_summary(blocks, summary);
  return std::move(blocks).finish();
}

}  // namespace whence::queries
