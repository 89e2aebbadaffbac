// All records of one discussion in a batch are checked together, so their order in the batch does not matter. A round
// that differs from the known one in questions and answers only is no conflict: it revises these (`answered`). A copy
// may have gaps where records were deleted.

#include "engine/validation/discussion/discussions.hpp"

#include "engine/validation/discussion/answers.hpp"
#include "engine/validation/discussion/progress.hpp"
#include "schema/base/report.hpp"
#include "schema/types/ref.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace whence::engine {
namespace {

using schema::DiscussionRound;
using schema::DiscussionState;
using schema::RecordType;
using schema::SummaryEntry;

/// The records of one discussion in a batch. Rounds and summaries in record order.
struct DiscussionRecords {
  std::vector<Candidate const*> rounds = {};
  std::vector<Candidate const*> summaries = {};
};

template <class T>
T& record_of(Candidate const& candidate) {
  return std::get<T>(*candidate.record);
}

/// Checks the records of one discussion in a batch.
class DiscussionRules {
 public:
  DiscussionRules(DiscussionRecords const& records, std::optional<VertexId> discussion, WriteBatch const& batch,
                  Candidates const& candidates, schema::TokenRules const& token_rules, Contents& contents,
                  Findings& findings)
      : records_(records),
        is_copy_(batch.keeps_derived),
        batch_(batch),
        discussion_(discussion),
        candidates_(candidates),
        token_rules_(token_rules),
        contents_(contents),
        findings_(findings) {}

  /// Checks, and adds the known rounds that gain questions or answers to `answered`.
  Result<void> check(std::vector<Candidate const*>& answered) {
    if (discussion_) {
      auto const progress = progress_of(*discussion_, candidates_.known(), contents_);
      if (!progress) return progress.error();
      progress_ = *progress;
    }
    check_rounds(answered);
    return records_.summaries.empty() ? Result<void>{} : check_summaries();
  }

 private:
  /// The batch's rounds continue the numbers after the last one without a gap, in any order; those of a copy may have
  /// lost some.
  void check_rounds(std::vector<Candidate const*>& answered) {
    std::set<std::int64_t> numbers;
    for (auto const* candidate : records_.rounds) {
      if (candidate->is_new) numbers.insert(record_of<DiscussionRound>(*candidate).round_number);
    }
    last_ = before_new();
    while (numbers.contains(last_ + 1)) ++last_;
    if (is_copy_ && !numbers.empty()) last_ = std::max(last_, *numbers.rbegin());
    for (auto const* candidate : records_.rounds) {
      if (may_be_answered(*candidate)) {
        take_answers(*candidate, answered);
      } else {
        check_round(*candidate);
      }
    }
  }

  /// Whether a round that exists differs in its questions and answers only, and no later one was open before the batch.
  [[nodiscard]] bool may_be_answered(Candidate const& candidate) const {
    if (candidate.is_new) return false;
    auto const& given = record_of<DiscussionRound>(candidate);
    if (auto const* first = candidates_.proposed(candidate.vertex)) {
      return !first->has_field_errors && schema::says_the_same(given, record_of<DiscussionRound>(*first)) &&
             given.round_number > progress_.complete && given.round_number <= last_ && !progress_.is_opened;
    }
    return given.round_number == progress_.complete && !progress_.is_opened && says_what_is_known(given, candidate);
  }

  /// A round of this batch takes them itself; a known one is revised.
  void take_answers(Candidate const& candidate, std::vector<Candidate const*>& answered) const {
    auto const* first = candidates_.proposed(candidate.vertex);
    if (first == nullptr) return answered.push_back(&candidate);
    auto const& given = record_of<DiscussionRound>(candidate);
    auto& round = record_of<DiscussionRound>(*first);
    auto const& cleared = batch_.records[candidate.index].cleared;
    auto const is_cleared = [&](std::string_view name) { return std::ranges::find(cleared, name) != cleared.end(); };
    if (given.questions || is_cleared("questions")) round.questions = given.questions;
    if (given.user_answers || is_cleared("userAnswers")) round.user_answers = given.user_answers;
  }

  /// The number that those of new rounds are above. A copy may bring a deleted round back that a summary replaces.
  [[nodiscard]] std::int64_t before_new() const noexcept { return is_copy_ ? progress_.complete : progress_.next - 1; }

  void check_round(Candidate const& candidate) {
    auto const number = record_of<DiscussionRound>(candidate).round_number;
    if (is_late_answer(candidate)) {
      refuse(candidate, "round_open", number, progress_.next, too_late_message(number));
    } else if (progress_.is_opened) {
      refuse(candidate, "round_open", number, progress_.next,
             "round " + std::to_string(progress_.next) + " is open: its responses come first");
    } else if (!candidate.is_new || number <= before_new() || number > last_) {
      bool const is_after_batch = number > last_ || candidates_.proposed(candidate.vertex) != nullptr;
      auto const expected = (is_after_batch ? last_ : before_new()) + 1;
      refuse(candidate, "round_number", number, expected, "the next round is " + std::to_string(expected));
    }
  }

  /// An answer to the last complete round while the next one is open.
  [[nodiscard]] bool is_late_answer(Candidate const& candidate) const {
    if (candidate.is_new || !progress_.is_opened || candidates_.proposed(candidate.vertex) != nullptr) return false;
    auto const& given = record_of<DiscussionRound>(candidate);
    return given.round_number == progress_.complete && says_what_is_known(given, candidate);
  }

  [[nodiscard]] bool says_what_is_known(DiscussionRound const& given, Candidate const& candidate) const {
    auto const* const record = contents_.find(candidate.vertex);
    return record != nullptr && schema::says_the_same(given, std::get<DiscussionRound>(*record));
  }

  void refuse(Candidate const& candidate, std::string_view rule, std::int64_t number,
              std::optional<std::int64_t> expected, std::string message) {
    findings_.add(candidate.index, {.code = Errc::precondition,
                                    .rule = rule,
                                    .path = "/roundNumber",
                                    .seen = schema::shown(number),
                                    .message = std::move(message),
                                    .expected = expected});
  }

  // --- summaries ---

  Result<void> check_summaries() {
    auto state = discussion_ ? context_of(*discussion_, candidates_.known(), contents_) : DiscussionState{};
    if (!state) return state.error();
    auto in_order = records_.summaries;
    std::ranges::stable_sort(in_order, {},
                             [](Candidate const* each) { return record_of<SummaryEntry>(*each).round_number; });
    for (auto const* candidate : in_order) {
      if (!check_summary(*candidate, *state)) continue;
      auto& summary = record_of<SummaryEntry>(*candidate);
      count_tokens(*candidate, summary, *state);
      state->summaries = {summary};
    }
    return {};
  }

  /// Whether a summary may be where it is.
  bool check_summary(Candidate const& candidate, DiscussionState const& state) {
    auto const& summary = record_of<SummaryEntry>(candidate);
    auto const key = schema::discussion_key(summary.user_id, summary.discussion_id);
    if (!candidates_.find(RecordType::discussion, key)) {
      findings_.add(candidate.index,
                    {Errc::invalid_record, "unknown_reference", "/discussionId", schema::shown(summary.discussion_id),
                     schema::format_ref(RecordType::discussion, key) + " is not known"});
      return false;
    }
    auto const* current = state.current_summary();
    if (current != nullptr && summary.round_number <= current->round_number) {
      refuse(candidate, "round_number", summary.round_number, std::nullopt,
             "the current summary reaches to round " + std::to_string(current->round_number));
      return false;
    }
    if (!is_complete_round(summary.round_number) && !may_have_lost(summary.round_number)) {
      refuse(candidate, "round_number", summary.round_number, std::nullopt, "there is no such complete round");
      return false;
    }
    bool is_sound = true;
    for (std::size_t i = 0; i < summary.replaces_rounds.size(); ++i) {
      auto const number = summary.replaces_rounds[i];
      if (is_copy_ || find_round(summary, number)) continue;
      is_sound = false;
      findings_.add(candidate.index, {Errc::invalid_record, "unknown_reference", "/replacesRounds/" + std::to_string(i),
                                      schema::shown(number), "there is no round " + std::to_string(number)});
    }
    return is_sound;
  }

  /// Whether a copy may lack the round of this number.
  [[nodiscard]] bool may_have_lost(std::int64_t number) const noexcept {
    return is_copy_ && number <= last_ + graph::late_summaries_max;
  }

  [[nodiscard]] bool is_complete_round(std::int64_t number) const {
    return number <= last_ && find_round(record_of<SummaryEntry>(*records_.summaries.front()), number).has_value();
  }

  [[nodiscard]] std::optional<VertexId> find_round(SummaryEntry const& summary, std::int64_t number) const {
    return candidates_.find(RecordType::discussion_round,
                            schema::round_key(summary.user_id, summary.discussion_id, number));
  }

  /// The context as it was when the summary was made: all known rounds, and those of the batch that precede it or are
  /// summarized by it.
  void count_tokens(Candidate const& candidate, SummaryEntry& summary, DiscussionState const& known) {
    DiscussionState state = known;
    for (auto const* round : records_.rounds) {
      auto const& record = record_of<DiscussionRound>(*round);
      if (round->is_new && (round->index < candidate.index || record.round_number <= summary.round_number)) {
        state.rounds.push_back(record);
      }
    }
    std::ranges::sort(state.rounds, {}, &DiscussionRound::round_number);
    settle_count(candidate, summary.token_count_before, "/tokenCountBefore", state.tokens(token_rules_).total());
    state.summaries = {summary};
    settle_count(candidate, summary.token_count_after, "/tokenCountAfter", state.tokens(token_rules_).total());
  }

  void settle_count(Candidate const& candidate, std::optional<std::int64_t>& count, std::string path,
                    std::int64_t computed) {
    if (!count) count = computed;
    if (*count == computed) return;
    findings_.warn(candidate.index, {Errc::invalid_record, "token_count", std::move(path), schema::shown(*count),
                                     "computed are " + std::to_string(computed)});
  }

  DiscussionRecords const& records_;
  bool const is_copy_;
  WriteBatch const& batch_;
  std::optional<VertexId> const discussion_;  // known
  Candidates const& candidates_;
  schema::TokenRules const& token_rules_;
  Contents& contents_;
  Findings& findings_;
  DiscussionProgress progress_;
  std::int64_t last_ = 0;  // the last complete round with the batch
};

/// The rounds and summaries to check, by discussion.
std::map<std::string, DiscussionRecords> records_by_discussion(Candidates const& candidates,
                                                               std::vector<Candidate const*> const& changed) {
  std::map<std::string, DiscussionRecords> found;
  auto const take = [&](Candidate const& candidate) {
    if (candidate.record == nullptr || candidate.has_field_errors) return;
    if (auto const* round = std::get_if<DiscussionRound>(candidate.record)) {
      found[schema::discussion_key(round->user_id, round->discussion_id)].rounds.push_back(&candidate);
    } else if (auto const* summary = std::get_if<SummaryEntry>(candidate.record)) {
      found[schema::discussion_key(summary->user_id, summary->discussion_id)].summaries.push_back(&candidate);
    }
  };
  for (auto const& candidate : candidates.all()) {
    if (candidate.is_new) take(candidate);
  }
  for (auto const* candidate : changed) take(*candidate);
  return found;
}

}  // namespace

Result<std::vector<Candidate const*>> check_discussions(WriteBatch const& batch, Candidates const& candidates,
                                                        std::vector<Candidate const*> const& changed,
                                                        schema::TokenRules const& rules, Contents& contents,
                                                        Findings& findings) {
  std::vector<Candidate const*> answered;
  for (auto const& [key, records] : records_by_discussion(candidates, changed)) {
    auto const discussion = candidates.known().find(RecordType::discussion, key);
    DiscussionRules rules_of_one(records, discussion, batch, candidates, rules, contents, findings);
    if (auto const checked = rules_of_one.check(answered); !checked) return checked.error();
  }
  return answered;
}

void plan_answered(Candidates const& candidates, std::vector<Candidate const*> const& answered,
                   Contents const& contents, Plan& plan) {
  for (auto const* candidate : answered) {
    auto const* const record = contents.find(candidate->vertex);
    if (record == nullptr) continue;  // it was compared with what is there
    auto const& stored = std::get<DiscussionRound>(*record);
    auto const& given = record_of<DiscussionRound>(*candidate);
    // What was left out was taken from the stored round, and must not undo what another record of the batch gives.
    GivenAnswers answers;
    // One that is not there now was cleared.
    if (given.questions != stored.questions) answers.questions = given.questions;
    if (given.user_answers != stored.user_answers) answers.user_answers = given.user_answers;
    answers.clears_questions = stored.questions && !given.questions;
    answers.clears_user_answers = stored.user_answers && !given.user_answers;
    auto const* before = plan.revision_of(candidate->vertex);
    auto round = before == nullptr ? stored : std::get<DiscussionRound>(before->whole);
    plan_answers(answers, candidate->vertex, round, candidates.known(), plan, candidates.rows_up_to(candidate->index));
  }
}

}  // namespace whence::engine
