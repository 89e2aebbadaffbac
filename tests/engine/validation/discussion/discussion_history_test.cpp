// Claim: after any history of rounds, openings, responses, summaries, repairs from files and deletions the engine holds
// the rounds, summaries and edges that a naive model holds, now, as of every earlier transaction, and after restarts;
// and it accepts or refuses each write as the model does.
// Method: random histories over two discussions with numbers that are often wrong. The seed of a failing history is
// printed; WHENCE_TEST_SEED=N runs that one first.

#include "tests/engine/batches.hpp"
#include "tests/engine/histories.hpp"
#include "tests/support/seed.hpp"

#include <map>
#include <random>

#include <boost/test/unit_test.hpp>

namespace whence::test {
namespace {

using schema::Persona;

constexpr int discussion_history_count = 30;
constexpr int writes = 50;  // of one history

/// One discussion as it should be. Only the last round may have fewer than three responses; a repair leaves gaps.
struct ModelDiscussion {
  std::map<std::int64_t, std::pair<std::string, int>> rounds = {};  // text and count of responses
  std::map<std::int64_t, std::string> summaries = {};               // each of the rounds 1 to its number
  bool is_opened = false;

  [[nodiscard]] bool has_begun() const { return !rounds.empty() && rounds.rbegin()->second.second < 3; }
  /// The number before that of the next round to be completed.
  [[nodiscard]] std::int64_t complete() const {
    return rounds.empty() ? 0 : rounds.rbegin()->first - (has_begun() ? 1 : 0);
  }
};

using Model = std::map<std::string, ModelDiscussion>;  // by id; those that exist

/// Records and edges of the model, as `lines_of` finds them.
std::vector<std::string> lines_of(Model const& model) {
  std::vector<std::string> lines;
  for (auto const& [id, discussion] : model) {
    lines.push_back("Discussion:u/" + id);
    auto const ref = [&id = id](std::int64_t number) {
      return "DiscussionRound:u/" + id + '/' + std::to_string(number);
    };
    for (auto const& [number, round] : discussion.rounds) {
      lines.push_back(ref(number) + ' ' + round.first + ' ' + std::to_string(round.second));
      lines.push_back(ref(number) + " PART_OF Discussion:u/" + id);
      if (discussion.rounds.contains(number - 1)) lines.push_back(ref(number) + " FOLLOWS " + ref(number - 1));
    }
    for (auto const& [reach, text] : discussion.summaries) {
      auto const summary = "SummaryEntry:u/" + id + '/' + std::to_string(reach);
      lines.push_back(std::string{summary}.append(" ").append(text));
      for (auto const& [number, round] : discussion.rounds) {
        if (number <= reach) lines.push_back(summary + " SUMMARIZES " + ref(number));
      }
    }
  }
  std::ranges::sort(lines);
  return lines;
}

int responses_of(schema::DiscussionRound const& round) {
  return int{round.analyzer_response.has_value()} + int{round.solver_response.has_value()} +
         int{round.moderator_response.has_value()};
}

std::vector<std::string> lines_of(engine::Engine const& engine, graph::Snapshot const& snapshot) {
  auto lines = edge_lines(snapshot);
  using enum schema::RecordType;
  for (auto const type : {discussion, discussion_round, summary_entry}) {
    for (auto const vertex : snapshot.vertices(type)) {
      auto const ref = ref_of(snapshot, vertex);
      auto const record = record_at(engine, snapshot, ref);
      auto line = ref;
      if (auto const* round = std::get_if<schema::DiscussionRound>(&record)) {
        line += ' ' + round->analyzer_response->content + ' ' + std::to_string(responses_of(*round));
      } else if (auto const* summary = std::get_if<schema::SummaryEntry>(&record)) {
        line += ' ' + summary->summary;
      }
      lines.push_back(std::move(line));
    }
  }
  std::ranges::sort(lines);
  return lines;
}

schema::DiscussionRound round_saying(std::int64_t number, std::string const& text, std::string const& id) {
  auto result = whole_round(number, text, id);
  result.analyzer_response->content = text;
  schema::name_speakers(result);
  return result;
}

/// Plays one random history on an engine and a model side by side.
class History {
 public:
  explicit History(std::uint64_t seed) : random_(seed) { moments_.push_back(lines_of(Model{})); }

  void run() {
    for (int i = 0; i < writes; ++i) {
      BOOST_TEST_CONTEXT("write " << i) {
        write();
      }
      if (one_in(12)) fixture_.reopen();
    }
    compare_moments();
    BOOST_TEST(fixture_.engine->verify().value().is_ok);
    fixture_.reopen();
    compare_moments();
  }

 private:
  std::int64_t below(std::int64_t bound) { return std::uniform_int_distribution<std::int64_t>(0, bound - 1)(random_); }
  bool one_in(std::int64_t n) { return below(n) == 0; }
  std::string text() { return std::string(1, static_cast<char>('a' + below(20))); }

  void write() {
    id_ = one_in(3) ? "e" : "d";
    auto const known = model_.find(id_);
    next_ = known == model_.end() ? ModelDiscussion{} : known->second;
    is_known_ = known != model_.end();
    switch (below(12)) {
      case 0:
      case 1:
      case 2:
        return write_rounds();
      case 3:
      case 4:
        return open();
      case 5:
      case 6:
      case 7:
      case 8:
        return respond();
      case 9:
        return summarize();
      case 10:
        return restore();
      default:
        return one_in(3) ? remove() : restore();
    }
  }

  /// Mostly the next rounds, perhaps turned round, perhaps one too far.
  void write_rounds() {
    auto given = ensured({});
    auto const count = 1 + below(3);
    auto const first = next_.complete() + 1 + (one_in(6) ? 1 : 0);
    auto const complete = next_.complete();
    for (std::int64_t i = 0; i < count; ++i) {
      auto const said = text();
      given.records.push_back({.record = round_saying(first + i, said, id_)});
      if (!next_.is_opened) next_.rounds[complete + 1 + i] = {said, 3};
    }
    std::shuffle(given.records.begin(), given.records.end(), random_);
    expect(given, !next_.is_opened && first == complete + 1);
  }

  void open() {
    bool const may = !next_.is_opened;
    next_.is_opened = true;
    expect(opening(id_), may);
  }

  void respond() {
    auto const number = next_.complete() + 1 + (one_in(8) ? 1 : 0);
    auto const due = next_.has_begun() ? next_.rounds.rbegin()->second.second : 0;
    auto const persona = one_in(6) ? below(3) : due;
    auto const said = text();
    bool const may = is_known_ && next_.is_opened && number == next_.complete() + 1 && persona == due;
    if (next_.has_begun()) {
      ++next_.rounds.rbegin()->second.second;
    } else {
      next_.rounds[next_.complete() + 1] = {said, 1};
    }
    if (!next_.has_begun()) next_.is_opened = false;
    expect(responding(number, static_cast<Persona>(persona), said, id_), may);
  }

  void summarize() {
    auto const reach = 1 + below(next_.complete() + 2);
    auto const said = std::to_string(++summaries_);  // never as before, which would be taken as said already
    auto const& there = next_.summaries;
    bool may = is_known_ && reach <= next_.complete() && (there.empty() || reach > there.rbegin()->first);
    for (std::int64_t number = 1; number <= reach; ++number) may = may && next_.rounds.contains(number);
    next_.summaries[reach] = said;
    expect(batch({summary_of(reach, said, id_)}), may);
  }

  void remove() {
    is_removal_ = true;
    expect(removing({"Discussion:u/" + id_}), is_known_);
    is_removal_ = false;
  }

  /// A file with some rounds and summaries changed, dropped or added. It never has the open round, which stays unless
  /// the file goes as far.
  void restore() {
    if (!is_known_) return;
    auto const before = stored();
    auto wanted = before;
    wanted.rounds.clear();
    auto const count = std::max<std::int64_t>(0, next_.complete() - below(3) + below(2));
    std::map<std::int64_t, std::pair<std::string, int>> rounds;
    for (std::int64_t number = 1; number <= count; ++number) {
      if (one_in(8)) continue;
      auto const there = std::ranges::find(before.rounds, number, &schema::DiscussionRound::round_number);
      bool const is_kept = number <= next_.complete() && there != before.rounds.end() && !one_in(4);
      wanted.rounds.push_back(is_kept ? *there : round_saying(number, text(), id_));
      rounds[number] = {wanted.rounds.back().analyzer_response->content, 3};
    }
    auto const last = rounds.empty() ? 0 : rounds.rbegin()->first;
    std::erase_if(wanted.summaries, [&](auto const& each) { return each.round_number > last || one_in(4); });
    next_.summaries.clear();
    for (auto& each : wanted.summaries) {
      if (one_in(4)) each.summary = text();
      next_.summaries[each.round_number] = each.summary;
    }
    if (last > next_.complete()) {
      next_.is_opened = false;
    } else if (next_.has_begun()) {
      rounds.insert(*next_.rounds.rbegin());
    }
    next_.rounds = std::move(rounds);
    expect(step_batch(engine::DiscussionRestoring{.state = wanted, .before = before}), true);
  }

  schema::DiscussionState stored() {
    auto const& engine = *fixture_.engine;
    schema::DiscussionState state{.discussion = record_of<schema::Discussion>(engine, "Discussion:u/" + id_)};
    for (auto const& round : next_.rounds) {
      auto const ref = "DiscussionRound:u/" + id_ + '/' + std::to_string(round.first);
      state.rounds.push_back(record_of<schema::DiscussionRound>(engine, ref));
    }
    for (auto const& each : next_.summaries) {
      auto const ref = "SummaryEntry:u/" + id_ + '/' + std::to_string(each.first);
      state.summaries.push_back(record_of<schema::SummaryEntry>(engine, ref));
    }
    return state;
  }

  /// Writes, and where that may be done the model becomes `next_`.
  void expect(engine::WriteBatch const& given, bool may) {
    auto const answer = fixture_.write_batch(given);
    BOOST_TEST(answer.has_value() == may, outcome(answer));
    if (!answer.has_value()) return;
    if (is_removal_) {
      model_.erase(id_);
    } else {
      model_[id_] = next_;
    }
    if (answer->is_unchanged) return;
    auto const expected = lines_of(model_);
    BOOST_TEST(lines_of(*fixture_.engine, fixture_.engine->snapshot()) == expected, boost::test_tools::per_element());
    moments_.push_back(expected);
  }

  void compare_moments() {
    auto const now = fixture_.engine->snapshot();
    BOOST_REQUIRE(schema::number(now.tx()) + 1 == moments_.size());
    for (std::size_t tx = 0; tx < moments_.size(); ++tx) {
      BOOST_TEST_CONTEXT("as of " << tx) {
        BOOST_TEST((lines_of(*fixture_.engine, now.as_of(schema::TxId{tx})) == moments_[tx]));
      }
    }
  }

  std::mt19937_64 random_;
  HistoryFixture fixture_;
  Model model_;
  std::vector<std::vector<std::string>> moments_;  // by transaction
  std::string id_;                                 // of the discussion being written
  ModelDiscussion next_;                           // the discussion if the write is accepted
  int summaries_ = 0;                              // written so far
  bool is_known_ = false;
  bool is_removal_ = false;
};

BOOST_AUTO_TEST_SUITE(discussion_histories)

BOOST_AUTO_TEST_CASE(equal_a_naive_model) {
  auto const first = whence::test::seed_from_environment();
  for (std::uint64_t seed = first; seed < first + discussion_history_count; ++seed) {
    BOOST_TEST_CONTEXT("WHENCE_TEST_SEED=" << seed) {
      History(seed).run();
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace whence::test
