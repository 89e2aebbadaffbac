#include "engine/steps/steps.hpp"

#include "engine/plan/candidates.hpp"
#include "engine/steps/discussion_file.hpp"
#include "engine/steps/rounds.hpp"
#include "engine/validation/retrieval/requests.hpp"
#include "engine/validation/validate.hpp"
#include "schema/base/report.hpp"

#include <string>
#include <utility>

namespace whence::engine {
namespace {

/// The violations of a step's record with paths into the params of the step: without the number of a record that the
/// client never gave, and without the member that holds a response.
Error error_of_step(std::vector<Violation> violations, Step const& step) {
  auto const* response = std::get_if<RoundResponse>(&step);
  for (auto& violation : violations) {
    violation.index.reset();
    if (response == nullptr) continue;
    auto const prefix = "/" + std::string(schema::speaker(response->persona).member) + "/";
    if (violation.path.starts_with(prefix)) violation.path.erase(0, prefix.size() - 1);
  }
  return error_from(std::move(violations));
}

Result<Plan> validate_answer(AnswerText const& text, Request& request, ValidationContext const& context,
                             Contents& contents) {
  auto answer = compose_answer(text, {context.config.confidence_min, context.mode}, context.known, contents);
  if (!answer) return answer.error();
  request.batch.records.push_back({.record = std::move(*answer)});
  auto plan = validate(request, context);
  if (plan || plan.error().violations.empty()) return plan;
  return error_of_step(std::move(plan.error().violations), request.batch.step);
}

Error other_request(std::string const& request_id, std::string message) {
  return error_from(Violation{.code = Errc::conflict,
                              .rule = "conflict",
                              .path = "/request_id",
                              .seen = schema::shown(request_id),
                              .message = std::move(message)});
}

/// The query of a recording: a known one of the same question, else a new one, under a fresh id where it has none.
Result<schema::Query> query_of(RetrievalRecording const& step, ValidationContext const& context, Contents& contents) {
  auto query = step.query;
  if (query.request_id.empty()) {
    query.request_id = Candidates::fresh_request_id({.known = context.known, .ids = context.ids, .now = context.now});
    return query;
  }
  auto const known = context.known.find(schema::RecordType::query, query.request_id);
  if (!known) return query;
  auto const record = contents.fetch_one(*known);
  if (!record) return record.error();
  if (*record == nullptr) return query;
  auto const& before = std::get<schema::Query>(**record);
  if (before.question != query.question || (query.filters && before.filters != query.filters)) {
    return other_request(query.request_id, "this request is known with another question or other filters");
  }
  return before;
}

/// Records the query with its embedding and its chunks.
Result<Plan> validate_recording(RetrievalRecording const& step, Request& request, ValidationContext const& context,
                                Contents& contents) {
  auto query = query_of(step, context, contents);
  if (!query) return query.error();
  auto const id = query->request_id;
  auto const add = [&](auto record) {
    record.request_id = id;
    request.batch.records.push_back({.record = std::move(record)});
  };
  add(*std::move(query));
  add(step.embedding);
  for (auto const& chunk : step.chunks) add(chunk);
  auto plan = validate(request, context);
  if (!plan && plan.error().code == Errc::conflict) {
    return other_request(id, "another retrieval is recorded for this request");
  }
  return plan;
}

}  // namespace

Result<Plan> validate_step(Request& request, ValidationContext const& context) {
  auto& batch = request.batch;
  for (auto& given : batch.records) {
    if (!given.violations.empty()) return error_of_step(std::move(given.violations), batch.step);
  }
  batch.records.clear();
  Contents contents(context.store, context.memory, context.known);
  if (auto const* opening = std::get_if<RoundOpening>(&batch.step)) return open_round(*opening, context, contents);
  if (auto const* response = std::get_if<RoundResponse>(&batch.step)) return add_response(*response, context, contents);
  if (auto const* answers = std::get_if<RoundAnswers>(&batch.step)) return answer_round(*answers, context, contents);
  if (auto const* restoring = std::get_if<DiscussionRestoring>(&batch.step)) {
    return restore_discussion(*restoring, context.known, contents);
  }
  if (auto const* recording = std::get_if<RetrievalRecording>(&batch.step)) {
    return validate_recording(*recording, request, context, contents);
  }
  return validate_answer(std::get<AnswerText>(batch.step), request, context, contents);
}

}  // namespace whence::engine
