// From a batch to the request that the writer validates. The fields of a step are checked as those of a record made
// from them; `validate_step` takes that record away again. The fingerprint is over the records as they came, so it is
// made before texts are taken out of them.
#include "engine/intake/intake.hpp"

#include "schema/stored/codec.hpp"
#include "schema/wire/unknown_members.hpp"

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace whence::engine {
namespace {

constexpr std::size_t checked_at_once = 256;  // 0.2 ms

/// Over the records as they came, keyed: it is kept with the answer, also when their contents are gone.
schema::Digest fingerprint_of(WriteBatch const& batch, schema::SecretKey const& key) {
  std::vector<schema::Digest> digests;
  digests.reserve(batch.records.size());
  for (auto const& given : batch.records) digests.push_back(schema::stored::fingerprint(given.record));
  auto const bytes = std::as_bytes(std::span{digests});
  return schema::hmac_sha256(key, {reinterpret_cast<char const*>(bytes.data()), bytes.size()});
}

/// Records with the fields of a step, which are checked in its place; none for a step whose fields are checked
/// elsewhere.
std::vector<schema::Record> records_of(Step const& step) {
  if (auto const* opening = std::get_if<RoundOpening>(&step)) {
    auto const& asked = opening->discussion;
    if (!opening->questions) return {asked};
    return {asked,
            schema::DiscussionRound{
                .user_id = asked.user_id, .discussion_id = asked.discussion_id, .questions = opening->questions}};
  }
  if (auto const* answers = std::get_if<RoundAnswers>(&step)) {
    return {schema::DiscussionRound{.user_id = answers->user_id,
                                    .discussion_id = answers->discussion_id,
                                    .round_number = answers->round_number,
                                    .questions = answers->questions,
                                    .user_answers = answers->user_answers}};
  }
  if (auto const* setting = std::get_if<DiscussionSetting>(&step)) return {setting->given};
  if (auto const* setting = std::get_if<HoldSetting>(&step)) return {setting->given};
  if (auto const* update = std::get_if<UnitUpdate>(&step)) {
    auto given = update->given;
    // What stays as it is was checked when it was written.
    if (given.source.empty() && std::ranges::find(update->members, "source") == update->members.end())
      given.source = "-";
    return {std::move(given)};
  }
  if (auto const* summary = std::get_if<RoundsSummary>(&step)) {
    auto const last = summary->round_number.value_or(1);
    return {schema::SummaryEntry{.user_id = summary->user_id,
                                 .discussion_id = summary->discussion_id,
                                 .round_number = last,
                                 .summary = summary->summary,
                                 .replaces_rounds = {last}}};
  }
  auto const* response = std::get_if<RoundResponse>(&step);
  if (response == nullptr) return {};
  schema::DiscussionRound round{
      .user_id = response->user_id, .discussion_id = response->discussion_id, .round_number = response->round_number};
  round.*schema::speaker(response->persona).response = response->message;
  return {std::move(round)};
}

bool is_sound(schema::IncomingRecord const& given) {
  return given.is_usable && given.violations.empty();
}

/// Whether capture mode takes a record without the required member at `path`.
bool may_lack(schema::Record const& record, std::string_view path) {
  if (std::holds_alternative<schema::Response>(record)) return path == "/context_units";
  if (std::holds_alternative<schema::RetrievedChunk>(record)) {
    return path == "/chunk_id" || path == "/metadata/chunk_index";
  }
  return false;
}

/// What capture mode takes that is refused otherwise: members that are not known, and records without some.
void relax(schema::IncomingRecord& given) {
  if (!given.is_usable) return;
  schema::json::take_unknown(given);
  std::erase_if(given.violations, [&](Violation const& violation) {
    return violation.rule == "required" && may_lack(given.record, violation.path);
  });
}

/// One form for equivalent records: a summary may leave out its previous version, terms may be in any order.
void normalise(schema::Record& record) {
  if (auto* summary = std::get_if<schema::Summary>(&record)) {
    bool const is_first = summary->version <= 1;
    if (!is_first && !summary->previous_version) {
      summary->previous_version = schema::summary_id(summary->topic, summary->version - 1);
    }
  } else if (auto* subject = std::get_if<schema::Subject>(&record)) {
    std::ranges::sort(subject->keywords);
  }
}

}  // namespace

void check_fields(schema::IncomingRecord& incoming, schema::CheckContext const& context) {
  name_unit(incoming, context.id_key);
  if (context.mode == schema::Mode::capture) relax(incoming);
  schema::check(incoming, context);
}

Request take_in(WriteBatch batch, schema::CheckContext const& context, Helper& helper) {
  for (auto& record : records_of(batch.step)) batch.records.push_back({.record = std::move(record)});
  if (!batch.has_checked_fields) {
    auto const count = (batch.records.size() + checked_at_once - 1) / checked_at_once;
    helper.run(count, [&](std::size_t piece) {
      auto const end = std::min(batch.records.size(), (piece + 1) * checked_at_once);
      for (auto i = piece * checked_at_once; i < end; ++i) check_fields(batch.records[i], context);
    });
  }
  Request request{.batch = std::move(batch)};
  auto& taken = request.batch;
  // Over the records as given, so before their texts are taken out. It is dropped again where a document is refused,
  // since then the batch is refused too.
  bool const is_bindable =
      !taken.idempotency_key.empty() && std::all_of(taken.records.begin(), taken.records.end(), is_sound);
  if (is_bindable) request.fingerprint = fingerprint_of(taken, context.id_key);
  find_own_texts(taken, context.id_key);
  request.units = take_units(taken, context.id_key);
  for (auto& given : taken.records) {
    normalise(given.record);
    schema::take_long_texts(given.record, request.texts);
  }
  for (auto& each : request.units) take_long_texts(each.unit, request.texts);
  request.xml = take_xml(taken);
  if (!std::all_of(taken.records.begin(), taken.records.end(), is_sound)) request.fingerprint.reset();
  return request;
}

}  // namespace whence::engine
