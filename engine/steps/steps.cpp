// Chooses what plans a step. The batch still has the record that the fields of the step were checked in; it is taken
// away first. Violations are answered with paths into the params of the step, since the client never gave a record.

#include "engine/steps/steps.hpp"

#include "engine/plan/candidates.hpp"
#include "engine/steps/discussion_file.hpp"
#include "engine/steps/four_eyes.hpp"
#include "engine/steps/rounds.hpp"
#include "engine/validation/discussion/progress.hpp"
#include "engine/validation/retrieval/requests.hpp"
#include "engine/validation/validate.hpp"
#include "graph/removal/of_person.hpp"
#include "graph/snapshot/unknown.hpp"
#include "schema/base/report.hpp"
#include "schema/records/record_fields.hpp"
#include "schema/types/ref.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace whence::engine {
namespace {

/// The violations of a step's record with paths into the params of the step: without the number of a record that the
/// client never gave, and without the member that holds a response.
Error error_of_step(std::vector<Violation> violations, Step const& step) {
  auto const* response = std::get_if<RoundResponse>(&step);
  for (auto& violation : violations) {
    violation.index.reset();
    bool const is_of_update = std::holds_alternative<UnitUpdate>(step);
    if (is_of_update && violation.path == "/previous_version_id") violation.path = "/ref";
    if (response == nullptr) continue;
    auto const prefix = "/" + std::string(schema::speaker(response->persona).member) + "/";
    if (violation.path.starts_with(prefix)) violation.path.erase(0, prefix.size() - 1);
  }
  return error_from(std::move(violations));
}

Result<Plan> validate_record(schema::Record record, std::vector<std::string> cleared, Request& request,
                             ValidationContext const& context) {
  request.batch.records.push_back({.record = std::move(record), .cleared = std::move(cleared)});
  auto plan = validate(request, context);
  if (plan || plan.error().violations.empty()) return plan;
  return error_of_step(std::move(plan.error().violations), request.batch.step);
}

/// The same of a record of a type that is written once. What was purged is not stored again by a repeat: an answer
/// would say what was not done, so this fails with `purged` at `path`.
Result<Plan> validate_unpurged(schema::Record record, std::string path, Request& request,
                               ValidationContext const& context) {
  auto const before = context.known.find(schema::type_of(record), schema::node_id_of(record));
  if (before && context.known.gone(*before) == graph::GoneWhy::purged) {
    return error_from(graph::gone_content(context.known, *before, graph::GoneWhy::purged, std::move(path)));
  }
  return validate_record(std::move(record), {}, request, context);
}

/// What the unit says, with what changed: not how that version came about, nor the embedding of another text.
schema::ContextUnit next_version(schema::ContextUnit unit, UnitUpdate const& step, schema::ContextUnit&& given) {
  auto const has = [](std::vector<std::string_view> const& names, std::string_view name) {
    return std::ranges::find(names, name) != names.end();
  };
  unit.previous_version_id = std::exchange(unit.id, {});
  unit.version = schema::version_left_out;
  unit.timestamp.reset();
  unit.updated_by_response_id.reset();
  unit.derived_from.reset();
  unit.flags = {};
  bool const is_text_given = has(step.members, "content") || has(step.cleared, "content");
  if (is_text_given && (given.content != unit.content || given.content_blob != unit.content_blob)) {
    unit.embedding_id.reset();
    unit.content.reset();
    unit.content_blob = given.content_blob;
  }
  schema::for_each_field<schema::ContextUnit>([&](auto const& field) {
    auto& member = unit.*field.member;
    if constexpr (requires { member.reset(); }) {
      if (has(step.cleared, field.name)) member.reset();
    }
    if (has(step.members, field.name)) member = std::move(given.*field.member);
  });
  return unit;
}

/// `given`: the step's members, checked, a long text apart.
Result<Plan> validate_update(UnitUpdate const& step, schema::ContextUnit given, Request& request,
                             ValidationContext const& context, Contents& contents) {
  auto const vertex = context.known.find(step.ref.type, step.ref.id);
  if (!vertex) return error_from(graph::unknown_ref(context.known, step.ref, "/ref"));
  auto const record = contents.fetch_one(*vertex);
  if (!record) return record.error();
  if (*record == nullptr) return error_from(graph::gone_content(context.known, *vertex, "/ref"));
  auto unit = next_version(std::get<schema::ContextUnit>(**record), step, std::move(given));
  return validate_record(std::move(unit), {}, request, context);
}

Error not_known(ValidationContext const& context, schema::NodeRef const& ref, std::string path) {
  return error_from(graph::unknown_ref(context.known, ref, std::move(path)));
}

/// A person without a node may have discussions and decisions.
Result<void> check_person_there(std::string const& person, ValidationContext const& context, Contents& contents) {
  schema::NodeRef const ref{schema::RecordType::person, person};
  if (!context.known.find_all_ever(ref.type, ref.id).empty()) return {};
  auto const theirs = graph::find_of_person(context.known, person, contents.reading());
  if (!theirs) return theirs.error();
  if (theirs->own.empty()) return not_known(context, ref, "/person");
  return {};
}

/// A hold that holds nothing would say that something is safe.
Result<Plan> validate_hold(schema::Hold hold, Request& request, ValidationContext const& context, Contents& contents) {
  if (hold.refs) {
    for (std::size_t i = 0; i < hold.refs->size(); ++i) {
      auto const ref = schema::parse_ref((*hold.refs)[i]);
      if (ref && context.known.find_all_ever(ref->type, ref->id).empty())
        return not_known(context, *ref, "/refs/" + std::to_string(i));
    }
  }
  if (hold.person) {
    if (auto const there = check_person_there(*hold.person, context, contents); !there) return there.error();
  }
  using schema::RecordType;
  if (hold.topic && context.known.find_all_ever(RecordType::topic, *hold.topic).empty())
    return not_known(context, {RecordType::topic, *hold.topic}, "/topic");
  hold.timestamp = context.now;
  return validate_record(std::move(hold), {}, request, context);
}

/// The hold stays as what it was, and says that it is over.
Result<Plan> clear_hold(HoldClearing const& step, ValidationContext const& context, Contents& contents) {
  auto const type = schema::RecordType::hold;
  auto const vertex = context.known.find(type, step.id);
  if (!vertex) return not_known(context, {type, step.id}, "/id");
  auto const record = contents.fetch_one(*vertex);
  if (!record) return record.error();
  if (*record == nullptr) return error_from(graph::gone_content(context.known, *vertex, "/id"));
  auto hold = std::get<schema::Hold>(**record);
  Plan plan;
  plan.refs = {schema::format_ref(type, step.id)};
  if (hold.cleared) return plan;
  hold.cleared = step.reason;
  plan.revise(
      {.row = {.vertex = *vertex, .type = type, .revision = 0, .kind = schema::RevisionKind::whole, .edges = {}},
       .content = hold,
       .whole = hold},
      context.known);
  return plan;
}

Result<Plan> validate_setting(DiscussionSetting const& step, Request& request, ValidationContext const& context) {
  auto const found = find_discussion(step.given.user_id, step.given.discussion_id, context.known);
  if (!found) return found.error();
  return validate_record(step.given, step.cleared, request, context);
}

Result<Plan> validate_answer(AnswerText const& text, Request& request, ValidationContext const& context,
                             Contents& contents) {
  AnswerRules const rules{context.config.confidence_min, context.mode};
  auto composed = compose_answer(text, rules, context.known, contents);
  if (!composed) return composed.error();
  auto plan = validate_unpurged(std::move(composed->answer), "/request_id", request, context);
  if (!plan || !composed->withheld) return plan;
  plan->withheld = composed->withheld;
  plan->warnings.push_back({.code = Errc::invalid_record,
                            .rule = "withheld",
                            .path = "/answer",
                            .seen = schema::shown(composed->withheld->mean),
                            .message = why_withheld(*composed->withheld, rules)});
  return plan;
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
    query.request_id = Candidates::fresh_request_id(
        {.known = context.known, .ids = context.ids, .now = context.now, .id_key = context.id_key});
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
  auto checked = std::exchange(batch.records, {});
  Contents contents(context.store, context.memory, context.known);
  if (auto const* opening = std::get_if<RoundOpening>(&batch.step)) return open_round(*opening, context, contents);
  if (auto const* response = std::get_if<RoundResponse>(&batch.step)) return add_response(*response, context, contents);
  if (auto const* answers = std::get_if<RoundAnswers>(&batch.step)) return answer_round(*answers, context, contents);
  if (auto const* abandoning = std::get_if<RoundAbandoning>(&batch.step)) {
    return abandon_round(*abandoning, context, contents);
  }
  if (auto const* rounds = std::get_if<RoundsSummary>(&batch.step)) {
    auto summary = compose_summary(*rounds, context, contents);
    if (!summary) return summary.error();
    return validate_unpurged(*std::move(summary), "/roundNumber", request, context);
  }
  if (std::holds_alternative<HoldSetting>(batch.step)) {
    return validate_hold(std::get<schema::Hold>(std::move(checked.front().record)), request, context, contents);
  }
  if (auto const* clearing = std::get_if<HoldClearing>(&batch.step)) return clear_hold(*clearing, context, contents);
  if (auto const* withdrawing = std::get_if<PurgeWithdrawing>(&batch.step)) {
    auto const read = contents.reading();
    return withdraw_purge(withdrawing->id, batch.who, {context.known, read});
  }
  if (auto const* setting = std::get_if<DiscussionSetting>(&batch.step)) {
    return validate_setting(*setting, request, context);
  }
  if (auto const* update = std::get_if<UnitUpdate>(&batch.step)) {
    return validate_update(*update, std::get<schema::ContextUnit>(std::move(checked.front().record)), request, context,
                           contents);
  }
  if (auto const* restoring = std::get_if<DiscussionRestoring>(&batch.step)) {
    return restore_discussion(
        *restoring, {context.known, contents, schema::epoch_ms_of(context.now), keeping(context.config, context.now)});
  }
  if (auto const* recording = std::get_if<RetrievalRecording>(&batch.step)) {
    return validate_recording(*recording, request, context, contents);
  }
  return validate_answer(std::get<AnswerText>(batch.step), request, context, contents);
}

}  // namespace whence::engine
