#pragma once
// The params of the methods that write discussions and answers, and of those about their files. Described once, for
// parsing and for OpenRPC alike.

#include "net/params/common_params.hpp"
#include "schema/base/fields.hpp"
#include "schema/base/limits.hpp"
#include "schema/records/check_context.hpp"
#include "schema/records/discussion/discussion.hpp"
#include "schema/records/discussion/fields.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace whence::net {

struct OpenParams : TimeoutParams {
  std::string user_id = {};
  std::string discussion_id = {};
  std::optional<std::string> topic = {};
  std::optional<std::int64_t> round_number = {};
  std::optional<schema::QuestionSet> questions = {};
};

struct RoundAnswerParams : TimeoutParams {
  std::string user_id = {};
  std::string discussion_id = {};
  std::int64_t round_number = 1;
  std::optional<std::vector<std::string>> user_answers = {};
  std::optional<schema::QuestionSet> questions = {};
};

struct AddResponseParams : TimeoutParams {
  std::string user_id = {};
  std::string discussion_id = {};
  std::int64_t round_number = 1;
  schema::Persona persona = schema::Persona::analyzer;
  std::string content = {};
  std::optional<schema::EpochMs> timestamp = {};
};

struct AnswerParams : TimeoutParams {
  std::string request_id = {};
  std::optional<std::string> answer = {};
  std::optional<std::string> message = {};
  std::optional<std::string> system_prompt = {};
  std::optional<std::int64_t> processing_time_ms = {};
  std::optional<schema::Mode> mode = {};
};

struct FilesParams {
  std::string user_id = {};
  std::string discussion_id = {};
};

/// Which differences between the files and the store are repaired.
enum class Repair : std::uint8_t { none, tokens, all, from_file };

struct ReconcileParams : FilesParams {
  Repair repair = Repair::none;
};

}  // namespace whence::net

namespace whence::schema {

template <>
struct Describe<net::OpenParams> {
  using T = net::OpenParams;
  static constexpr auto fields = std::tuple_cat(
      std::tuple{
          field("userId", &T::user_id, Presence::required, rules::id(), "Whose discussion it is."),
          field("discussionId", &T::discussion_id, Presence::required, rules::id(), "Made where it is missing."),
          field("topic", &T::topic, Presence::optional, rules::any(), "What it is about; replaces what is known."),
          field("roundNumber", &T::round_number, Presence::optional, asked_round_rule, "Must be the next round."),
          field("questions", &T::questions, Presence::optional, rules::any(),
                "Questions to the user in this round: an object, kept as it is."),
      },
      fields_of<net::TimeoutParams>);
};

template <>
struct Describe<net::RoundAnswerParams> {
  using T = net::RoundAnswerParams;
  static constexpr auto fields = std::tuple_cat(
      std::tuple{
          field("userId", &T::user_id, Presence::required, rules::id(), "Whose discussion it is."),
          field("discussionId", &T::discussion_id, Presence::required, rules::id(), "The discussion; must exist."),
          field("roundNumber", &T::round_number, Presence::required, asked_round_rule, "The last complete round."),
          field("userAnswers", &T::user_answers, Presence::optional, rules::any(),
                "What the user answers; replaces earlier answers."),
          field("questions", &T::questions, Presence::optional, rules::any(),
                "Questions to the user: an object, kept as it is; replaces earlier ones."),
      },
      fields_of<net::TimeoutParams>);
};

template <>
struct Describe<net::AddResponseParams> {
  using T = net::AddResponseParams;
  static constexpr auto fields = std::tuple_cat(
      std::tuple{
          field("userId", &T::user_id, Presence::required, rules::id(), "Whose discussion it is."),
          field("discussionId", &T::discussion_id, Presence::required, rules::id(), "The discussion; must exist."),
          field("roundNumber", &T::round_number, Presence::required, asked_round_rule,
                "The round that is open, or next."),
          field("persona", &T::persona, Presence::required, rules::any(), "Who speaks; must be next."),
          field("content", &T::content, Presence::required, rules::any(), "What is said; not only white space."),
          field("timestamp", &T::timestamp, Presence::optional, discussion_time_rule,
                "Milliseconds since the epoch; now where left out."),
      },
      fields_of<net::TimeoutParams>);
};

template <>
struct Describe<net::AnswerParams> {
  using T = net::AnswerParams;
  static constexpr auto fields = std::tuple_cat(
      std::tuple{
          field("request_id", &T::request_id, Presence::required, rules::any(), "The query that is answered."),
          field("answer", &T::answer, Presence::optional, rules::any(),
                "The text, with its citations in brackets; null where nothing was found."),
          field("message", &T::message, Presence::optional, rules::any(), "Why there is no text."),
          field("system_prompt", &T::system_prompt, Presence::optional, rules::any(),
                "The system prompt of the model, where no prompt was recorded."),
          field("processing_time_ms", &T::processing_time_ms, Presence::optional, rules::number(0, limits::integer_max),
                "How long it took, 0 where left out."),
          field("mode", &T::mode, Presence::optional, rules::any(),
                "As of records.write: capture keeps texts and citations that strict withholds or refuses."),
      },
      fields_of<net::TimeoutParams>);
};

template <>
struct Describe<net::FilesParams> {
  using T = net::FilesParams;
  static constexpr auto fields = std::tuple{
      field("userId", &T::user_id, Presence::required, rules::any(), "Whose discussion it is."),
      field("discussionId", &T::discussion_id, Presence::required, rules::any(), "Which of the user's."),
  };
};

template <>
struct Describe<net::ReconcileParams> {
  using T = net::ReconcileParams;
  static constexpr auto fields = std::tuple_cat(
      fields_of<net::FilesParams>,
      std::tuple{
          field("repair", &T::repair, Presence::optional, rules::any(),
                "`none` only reports; `tokens` corrects a token count in the file that is less than 5 % off; `all` "
                "takes what was edited in the file and writes both files; `from_file` makes the store agree with the "
                "file, what it lacks is deleted."),
      });
};

}  // namespace whence::schema
