// discussion.open, discussion.addResponse, discussion.answer, rag.answer.

#include "net/calls/steps.hpp"

#include "net/calls/write.hpp"
#include "net/params/params.hpp"
#include "net/params/step_params.hpp"
#include "queries/render/retrieval.hpp"
#include "schema/json/writer.hpp"

#include <utility>

namespace whence::net {

namespace {

using schema::Discussion;
using schema::DiscussionRound;
using schema::json::Writer;

/// The params, all that is wrong with them at once.
template <class Params>
Result<Params> take_params(Request const& request) {
  std::vector<Violation> violations = duplicate_violations(request.duplicates);
  Params params;
  decode_params(request.params, params, violations);
  if (!violations.empty()) return error_from(std::move(violations));
  return params;
}

template <class Params>
WriteRequest with_step(Request const& request, Params const& params, engine::Step step) {
  WriteRequest write;
  write.batch.step = std::move(step);
  write.batch.bytes = request.bytes;
  if (params.timeout_ms) write.timeout = timeout_of(*params.timeout_ms);
  return write;
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
  auto const params = take_params<OpenParams>(request);
  if (!params) return params.error();
  engine::RoundOpening step{.discussion = {.user_id = params->user_id, .discussion_id = params->discussion_id}};
  step.discussion.topic = params->topic;
  step.round_number = params->round_number;
  step.questions = params->questions;
  return with_step(request, *params, std::move(step));
}

Result<WriteRequest> parse_add_response(Request const& request) {
  auto const params = take_params<AddResponseParams>(request);
  if (!params) return params.error();
  return with_step(request, *params,
                   engine::RoundResponse{.user_id = params->user_id,
                                         .discussion_id = params->discussion_id,
                                         .round_number = params->round_number,
                                         .persona = params->persona,
                                         .message = {.content = params->content, .timestamp = params->timestamp}});
}

Result<WriteRequest> parse_round_answer(Request const& request) {
  auto const params = take_params<RoundAnswerParams>(request);
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

Result<WriteRequest> parse_answer(Request const& request) {
  auto const params = take_params<AnswerParams>(request);
  if (!params) return params.error();
  auto write = with_step(request, *params,
                         engine::AnswerText{.request_id = params->request_id,
                                            .answer = params->answer,
                                            .message = params->message,
                                            .system_prompt = params->system_prompt.value_or(""),
                                            .processing_time_ms = params->processing_time_ms.value_or(0)});
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

void write_answered(std::string& out, engine::WriteAnswer const& answer) {
  Writer writer(out);
  writer.begin_object().member("tx", schema::number(answer.tx)).member("ref", answer.refs.front()).key("answer");
  queries::write_answer(writer, std::get<schema::Answer>(answer.made.value()));
  if (answer.is_unchanged) writer.member("unchanged", true);
  writer.end_object();
}

}  // namespace whence::net
