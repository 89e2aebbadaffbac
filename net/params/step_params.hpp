#pragma once
// The params of the methods that write discussions and answers, and of those about their files. Described once, for
// parsing and for OpenRPC alike.

#include "net/params/common_params.hpp"
#include "schema/base/fields.hpp"
#include "schema/base/limits.hpp"
#include "schema/checks/check_context.hpp"
#include "schema/records/context/fields.hpp"
#include "schema/records/discussion/discussion.hpp"
#include "schema/records/discussion/fields.hpp"
#include "schema/types/named_enum.hpp"
#include "schema/types/ref.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
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

struct DiscussionSetParams : TimeoutParams {
  std::string user_id = {};
  std::string discussion_id = {};
  std::optional<std::string> topic = {};
  std::optional<bool> is_resolved = {};
  std::optional<bool> needs_user_input = {};
  std::optional<schema::Attributes> attributes = {};
};

struct AbandonParams : TimeoutParams {
  std::string user_id = {};
  std::string discussion_id = {};
};

struct SummarizeParams : TimeoutParams {
  std::string user_id = {};
  std::string discussion_id = {};
  std::string summary = {};
  std::optional<std::int64_t> round_number = {};
};

/// The members of a unit have the names that they have in its record.
struct UnitUpdateParams : TimeoutParams {
  schema::NodeRef ref = {};
  std::optional<std::string> id = {};
  std::optional<schema::ContextType> type = {};
  std::optional<std::string> source = {};
  std::optional<std::string> content = {};
  std::optional<schema::Time> timestamp = {};
  std::optional<double> contribution_weight = {};
  std::optional<std::string> embedding_id = {};
  std::optional<std::string> summary = {};
  std::optional<std::string> updated_by_response_id = {};
  std::optional<std::vector<std::string>> derived_from = {};
  std::optional<schema::Attributes> attributes = {};
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
constexpr std::array<std::string_view, 4> enum_names(Repair) noexcept {
  return {"none", "tokens", "all", "from_file"};
}

struct ReconcileParams : FilesParams {
  Repair repair = Repair::none;
};

}  // namespace whence::net

namespace whence::schema {

/// A text of a discussion; that it is not only white space, its record's check says.
inline constexpr Rule said_rule = rules::text(1, Rule{}.length_max);

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
          field("content", &T::content, Presence::required, said_rule, "What is said; not only white space."),
          field("timestamp", &T::timestamp, Presence::optional, discussion_time_rule,
                "Milliseconds since the epoch; now where left out."),
      },
      fields_of<net::TimeoutParams>);
};

template <>
struct Describe<net::DiscussionSetParams> {
  using T = net::DiscussionSetParams;
  static constexpr auto fields = std::tuple_cat(
      std::tuple{
          field("userId", &T::user_id, Presence::required, rules::id(), "Whose discussion it is."),
          field("discussionId", &T::discussion_id, Presence::required, rules::id(), "The discussion; must exist."),
          field("isResolved", &T::is_resolved, Presence::optional, rules::any(), "Whether it is settled."),
          field("needsUserInput", &T::needs_user_input, Presence::optional, rules::any(),
                "Whether it waits for its user."),
          field("topic", &T::topic, Presence::optional, rules::any(), "What it is about."),
          field("attributes", &T::attributes, Presence::optional, rules::any(), "Free data of the client."),
      },
      fields_of<net::TimeoutParams>);
};

template <>
struct Describe<net::AbandonParams> {
  using T = net::AbandonParams;
  static constexpr auto fields = std::tuple_cat(
      std::tuple{
          field("userId", &T::user_id, Presence::required, rules::id(), "Whose discussion it is."),
          field("discussionId", &T::discussion_id, Presence::required, rules::id(), "The discussion; must exist."),
      },
      fields_of<net::TimeoutParams>);
};

template <>
struct Describe<net::SummarizeParams> {
  using T = net::SummarizeParams;
  static constexpr auto fields = std::tuple_cat(
      std::tuple{
          field("userId", &T::user_id, Presence::required, rules::id(), "Whose discussion it is."),
          field("discussionId", &T::discussion_id, Presence::required, rules::id(), "The discussion; must exist."),
          field("summary", &T::summary, Presence::required, said_rule,
                "The text in place of the rounds since the summary before; not only white space."),
          field("roundNumber", &T::round_number, Presence::optional, round_number_rule,
                "The last round that it replaces; the last complete one where left out."),
      },
      fields_of<net::TimeoutParams>);
};

/// A member of a ContextUnit as a param: with its rule and, unless another is given, its sentence.
template <class Member>
constexpr Field<net::UnitUpdateParams, Member> unit_field(std::string_view name, Member net::UnitUpdateParams::*member,
                                                          std::string_view doc = {}) {
  Field<net::UnitUpdateParams, Member> result{name, member, Presence::optional, {}, doc};
  for_each_field<ContextUnit>([&](auto const& of_unit) {
    if (of_unit.name != name) return;
    result.rule = of_unit.rule;
    if (doc.empty()) result.doc = of_unit.doc;
  });
  return result;
}

template <>
struct Describe<net::UnitUpdateParams> {
  using T = net::UnitUpdateParams;
  static constexpr auto fields = std::tuple_cat(
      std::tuple{
          field("ref", &T::ref, Presence::required, rules::any(), "The unit that gets a next version; its newest one."),
          unit_field("id", &T::id, "Of the new version; made where left out."),
          unit_field("type", &T::type),
          unit_field("source", &T::source),
          unit_field("content", &T::content, "Its text. Where it changes, the old `embedding_id` goes."),
          unit_field("timestamp", &T::timestamp),
          unit_field("contribution_weight", &T::contribution_weight),
          unit_field("embedding_id", &T::embedding_id),
          unit_field("summary", &T::summary),
          unit_field("updated_by_response_id", &T::updated_by_response_id,
                     "The response that caused this version; not taken from the old one."),
          unit_field("derived_from", &T::derived_from,
                     "Units it was made from, each named once; not taken from the old one."),
          unit_field("attributes", &T::attributes),
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
                "How long it took."),
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
