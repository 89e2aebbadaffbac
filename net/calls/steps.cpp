// Two functions for each method: `parse_` makes a step from params, `write_` the result from the engine's answer, whose
// `made` is the record as the step left it. Null clears a member, which parsed params do not show: `is_null` looks at
// the request.

#include "net/calls/steps.hpp"

#include "net/calls/write.hpp"
#include "net/params/params.hpp"
#include "net/params/step_params.hpp"
#include "queries/render/retrieval.hpp"
#include "schema/base/optional.hpp"
#include "schema/base/report.hpp"
#include "schema/json/writer.hpp"
#include "schema/records/record_fields.hpp"

#include <algorithm>
#include <concepts>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

namespace whence::net {

namespace {

using schema::Discussion;
using schema::DiscussionRound;
using schema::json::Writer;

/// Whether a member of the params is there and null.
bool is_null(Request const& request, std::string_view name) {
  auto const* const value = request.params.if_contains(name);
  return value != nullptr && value->is_null();
}

/// Ends the result of a step, with the warnings that it has.
void end_step(Writer& writer, engine::WriteAnswer const& answer) {
  if (!answer.warnings.empty()) add_warnings(writer, answer.warnings);
  writer.end_object();
}

/// The last speaker of a round that has begun.
schema::Persona last_speaker(DiscussionRound const& round) {
  auto const next = schema::next_speaker(round);
  auto const spoken = next ? static_cast<int>(*next) : static_cast<int>(schema::speakers().size());
  return static_cast<schema::Persona>(spoken - 1);
}

}  // namespace

Result<WriteRequest> parse_open(Request const& request) {
  auto const params = parse_params<OpenParams>(request);
  if (!params) return params.error();
  engine::RoundOpening step{.discussion = {.user_id = params->user_id, .discussion_id = params->discussion_id}};
  step.discussion.topic = params->topic;
  step.round_number = params->round_number;
  step.questions = params->questions;
  return with_step(request, *params, std::move(step));
}

Result<WriteRequest> parse_add_response(Request const& request) {
  auto const params = parse_params<AddResponseParams>(request);
  if (!params) return params.error();
  return with_step(request, *params,
                   engine::RoundResponse{.user_id = params->user_id,
                                         .discussion_id = params->discussion_id,
                                         .round_number = params->round_number,
                                         .persona = params->persona,
                                         .message = {.content = params->content, .timestamp = params->timestamp}});
}

Result<WriteRequest> parse_round_answer(Request const& request) {
  auto const params = parse_params<RoundAnswerParams>(request);
  if (!params) return params.error();
  if (!params->user_answers && !params->questions) {
    return error_from(param_violation("required", "/userAnswers", "", "userAnswers or questions must be given"));
  }
  return with_step(request, *params,
                   engine::RoundAnswers{.user_id = params->user_id,
                                        .discussion_id = params->discussion_id,
                                        .round_number = params->round_number,
                                        .questions = params->questions,
                                        .user_answers = params->user_answers});
}

Result<WriteRequest> parse_discussion_set(Request const& request) {
  auto const params = parse_params<DiscussionSetParams>(request);
  if (!params) return params.error();
  engine::DiscussionSetting step{.given = {.user_id = params->user_id,
                                           .discussion_id = params->discussion_id,
                                           .topic = params->topic,
                                           .is_resolved = params->is_resolved,
                                           .needs_user_input = params->needs_user_input,
                                           .attributes = params->attributes}};
  for (std::string_view const name : {"isResolved", "needsUserInput", "topic", "attributes"}) {
    if (is_null(request, name)) step.cleared.emplace_back(name);
  }
  auto const& given = step.given;
  if (step.cleared.empty() && !given.topic && !given.is_resolved && !given.needs_user_input && !given.attributes) {
    return error_from(param_violation("required", "/isResolved", "", "something to set must be given"));
  }
  return with_step(request, *params, std::move(step));
}

Result<WriteRequest> parse_abandon(Request const& request) {
  auto const params = parse_params<AbandonParams>(request);
  if (!params) return params.error();
  return with_step(request, *params,
                   engine::RoundAbandoning{.user_id = params->user_id, .discussion_id = params->discussion_id});
}

Result<WriteRequest> parse_summarize(Request const& request) {
  auto const params = parse_params<SummarizeParams>(request);
  if (!params) return params.error();
  return with_step(request, *params,
                   engine::RoundsSummary{.user_id = params->user_id,
                                         .discussion_id = params->discussion_id,
                                         .summary = params->summary,
                                         .round_number = params->round_number});
}

Result<WriteRequest> parse_unit_update(Request const& request) {
  auto const params = parse_params<UnitUpdateParams>(request);
  if (!params) return params.error();
  if (params->ref.type != schema::RecordType::context_unit) {
    return error_from(param_violation("ref", "/ref", schema::shown(schema::format_ref(params->ref)),
                                      "must name a context unit: other records have no `unit.update`"));
  }
  engine::UnitUpdate step{.ref = params->ref};
  schema::for_each_field<schema::ContextUnit>([&](auto const& of_unit) {
    schema::for_each_field<UnitUpdateParams>([&](auto const& field) {
      if (field.name != of_unit.name) return;
      using OfUnit = typename std::remove_cvref_t<decltype(of_unit)>::member_type;
      using Given = typename std::remove_cvref_t<decltype(field)>::member_type;
      auto const& member = *params.*field.member;
      if constexpr (std::same_as<Given, std::optional<schema::value_type_t<OfUnit>>>) {
        if (member) step.given.*of_unit.member = *member;
        if (member) step.members.push_back(of_unit.name);
        if (!member && is_null(request, field.name)) step.cleared.push_back(of_unit.name);
      }
    });
  });
  if (step.members.empty() && step.cleared.empty()) {
    return error_from(param_violation("required", "/content", "", "a member that changes must be given"));
  }
  for (std::string_view const name : {"id", "type", "source"}) {
    if (std::ranges::find(step.cleared, name) == step.cleared.end()) continue;
    return error_from(param_violation("required", "/" + std::string(name), "null", "is required"));
  }
  return with_step(request, *params, std::move(step));
}

Result<WriteRequest> parse_answer(Request const& request) {
  auto const params = parse_params<AnswerParams>(request);
  if (!params) return params.error();
  auto write = with_step(request, *params,
                         engine::AnswerText{.request_id = params->request_id,
                                            .answer = params->answer,
                                            .message = params->message,
                                            .system_prompt = params->system_prompt.value_or(""),
                                            .processing_time_ms = params->processing_time_ms});
  write.batch.mode = params->mode;
  return write;
}

void write_opened(std::string& out, engine::WriteAnswer const& answer) {
  auto const number = std::get<Discussion>(answer.made.value()).open_round.value();
  auto const first = schema::Persona::analyzer;
  Writer writer(out);
  writer.begin_object().member("tx", schema::number(answer.tx)).member("ref", answer.refs.front());
  writer.member("roundNumber", number).member("next", schema::speaker(first).name);
  writer.member("turn", schema::turn_of(number, first));
  end_step(writer, answer);
}

void write_added(std::string& out, engine::WriteAnswer const& answer) {
  auto const& round = std::get<DiscussionRound>(answer.made.value());
  auto const next = schema::next_speaker(round);
  Writer writer(out);
  writer.begin_object().member("tx", schema::number(answer.tx)).member("ref", answer.refs.front());
  writer.member("roundNumber", round.round_number);
  writer.member("turn", schema::turn_of(round.round_number, last_speaker(round)));
  writer.member("complete", !next).key("next");
  if (next) {
    writer.value(schema::speaker(*next).name);
  } else {
    writer.null();
  }
  end_step(writer, answer);
}

void write_round_answered(std::string& out, engine::WriteAnswer const& answer) {
  auto const& round = std::get<DiscussionRound>(answer.made.value());
  Writer writer(out);
  writer.begin_object().member("tx", schema::number(answer.tx)).member("ref", answer.refs.front());
  writer.member("roundNumber", round.round_number);
  if (answer.is_unchanged) writer.member("unchanged", true);
  end_step(writer, answer);
}

void write_discussion_set(std::string& out, engine::WriteAnswer const& answer) {
  Writer writer(out);
  writer.begin_object().member("tx", schema::number(answer.tx)).member("ref", answer.refs.front());
  if (answer.is_unchanged) writer.member("unchanged", true);
  end_step(writer, answer);
}

void write_abandoned(std::string& out, engine::WriteAnswer const& answer) {
  auto const& discussion = answer.made.value();
  Writer writer(out);
  writer.begin_object().member("tx", schema::number(answer.tx));
  writer.member("ref", schema::format_ref(schema::RecordType::discussion, schema::node_id_of(discussion)));
  end_step(writer, answer);
}

void write_summarized(std::string& out, engine::WriteAnswer const& answer) {
  auto const& summary = std::get<schema::SummaryEntry>(answer.made.value());
  Writer writer(out);
  writer.begin_object().member("tx", schema::number(answer.tx)).member("ref", answer.refs.front());
  writer.member("roundNumber", summary.round_number).key("replacesRounds").begin_array();
  for (auto const number : summary.replaces_rounds) writer.value(number);
  writer.end_array();
  if (summary.token_count_before) writer.member("tokenCountBefore", *summary.token_count_before);
  if (summary.token_count_after) writer.member("tokenCountAfter", *summary.token_count_after);
  end_step(writer, answer);
}

void write_unit_updated(std::string& out, engine::WriteAnswer const& answer) {
  Writer writer(out);
  writer.begin_object().member("tx", schema::number(answer.tx)).member("ref", answer.refs.front());
  writer.member("version", std::get<schema::ContextUnit>(answer.made.value()).version);
  end_step(writer, answer);
}

void write_answered(std::string& out, engine::WriteAnswer const& answer) {
  Writer writer(out);
  writer.begin_object().member("tx", schema::number(answer.tx)).member("ref", answer.refs.front()).key("answer");
  queries::write_answer(writer, std::get<schema::Answer>(answer.made.value()));
  if (auto const& withheld = answer.withheld) {
    writer.key("withheld").begin_object().member("mean", withheld->mean).member("best", withheld->best).end_object();
  }
  if (answer.is_unchanged) writer.member("unchanged", true);
  end_step(writer, answer);
}

}  // namespace whence::net
