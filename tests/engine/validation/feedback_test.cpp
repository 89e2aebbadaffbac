// Running scores and deprecation.

#include "tests/engine/answers.hpp"
#include "tests/engine/histories.hpp"
#include "tests/support/seed.hpp"

#include <cmath>
#include <map>
#include <random>
#include <set>

#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

namespace whence::test {
namespace {

using graph::StateCause;
using graph::UnitStatus;
using schema::TxId;

struct RatedUnits : EngineFixture {
  RatedUnits() {
    write({unit("cu_a"), unit("cu_b"), response("resp_a", Uses{{"cu_a", 0.7}, {"cu_b", 0.3}}),
           response("resp_full", {"cu_a"})})
        .value();
  }
  graph::UnitState state(std::string_view id) const { return state_of(engine->snapshot(), id); }
  std::vector<graph::StateChange> changes(std::string_view id) const {
    auto const snapshot = engine->snapshot();
    return snapshot.state_changes(snapshot.find(schema::RecordType::context_unit, id).value());
  }
};

BOOST_FIXTURE_TEST_SUITE(feedback_rules, RatedUnits)

BOOST_AUTO_TEST_CASE(the_running_score_is_computed_exactly_as_written) {
  double const scores[] = {0.1, -0.3, 1, 0.7};
  double old = 0;
  for (int count = 0; count < 4; ++count) {
    write({feedback("", "resp_a", scores[count])}).value();
    old = (old * count + scores[count] * 0.7) / (count + 1);
    BOOST_TEST(state("cu_a").score == old);  // equal, not close
    BOOST_TEST(state("cu_a").count == static_cast<unsigned>(count + 1));
  }
}

BOOST_AUTO_TEST_CASE(a_batch_of_feedback_counts_in_record_order) {
  write({feedback("fb_2", "resp_a", 0.1), feedback("fb_1", "resp_full", -0.2), feedback("fb_3", "resp_a", 0.3)})
      .value();
  double score = 0.1 * 0.7;
  score = (score * 1 + -0.2 * 1.0) / 2;
  score = (score * 2 + 0.3 * 0.7) / 3;
  BOOST_TEST(state("cu_a").score == score);
  BOOST_TEST(state("cu_b").count == 2);
}

BOOST_AUTO_TEST_CASE(a_rating_in_words_alone_moves_no_score) {
  write({feedback("fb_1", "resp_a", 0.5)}).value();
  auto words = feedback("fb_2", "resp_a", 0);
  words.score.reset();
  words.feedback_text = "fail";
  BOOST_TEST(outcome(write({words})) == "0 /score invalid_record required");
  auto captured = batch({words});
  captured.mode = schema::Mode::capture;
  engine->write(std::move(captured)).value();
  BOOST_TEST(state("cu_a").score == 0.5 * 0.7);
  BOOST_TEST(state("cu_a").count == 1U);
  BOOST_TEST(!record_of<schema::FeedbackRecord>(*engine, "FeedbackRecord:fb_2").score);
}

BOOST_AUTO_TEST_CASE(only_the_units_used_directly_are_touched) {
  write({next_version("cu_a2", "cu_a", 2), derived("cu_d", {"cu_a"}), response("resp_new", {"cu_a2", "cu_d"})}).value();
  write({feedback("fb", "resp_new", -0.4)}).value();
  BOOST_TEST(state("cu_a2").count == 1);
  BOOST_TEST(state("cu_d").count == 1);
  BOOST_TEST(state("cu_a").count == 0);
}

BOOST_AUTO_TEST_CASE(the_feedbacks_own_time_does_not_order_it) {
  auto late = feedback("fb_late", "resp_full", 0.5);
  late.timestamp = at_second(100);
  write({late}).value();
  write({feedback("fb_early", "resp_full", -0.25)}).value();
  BOOST_TEST(state("cu_a").score == (0.5 * 1 + -0.25) / 2);
}

BOOST_AUTO_TEST_CASE(the_same_feedback_again_counts_once) {
  write({feedback("fb", "resp_full", 0.5)}).value();
  write({feedback("fb", "resp_full", 0.5)}).value();
  BOOST_TEST(state("cu_a").count == 1);
}

BOOST_AUTO_TEST_CASE(feedback_as_old_as_its_response_is_taken_and_an_older_one_is_not) {
  BOOST_TEST(outcome(write({feedback("fb_same", "resp_a", 0)})) == "ok 2");
  auto early = feedback("fb_early", "resp_a", 0);
  early.timestamp = {noon.seconds - 1, 999'999'999};
  BOOST_TEST(outcome(write({early})) == "0 /timestamp invalid_record before_response");
}

BOOST_AUTO_TEST_CASE(feedback_older_than_a_response_of_its_batch_is_refused) {
  auto newer = response("resp_new", {"cu_a"});
  newer.timestamp = at_second(1);
  BOOST_TEST(outcome(write({feedback("fb", "resp_new", 0), newer})) == "0 /timestamp invalid_record before_response");
}

struct Threshold {
  char const* name;
  double score;
  UnitStatus status;
};
std::ostream& operator<<(std::ostream& out, Threshold const& sample) {
  return out << sample.name;
}

std::vector<Threshold> const thresholds = {{"at_the_threshold", -0.5, UnitStatus::active},
                                           {"just_below", std::nextafter(-0.5, -1.0), UnitStatus::deprecated},
                                           {"just_above", std::nextafter(-0.5, 0.0), UnitStatus::active}};

BOOST_DATA_TEST_CASE_F(RatedUnits, a_score_below_the_threshold_deprecates, boost::unit_test::data::make(thresholds)) {
  write({feedback("fb", "resp_full", sample.score)}).value();
  BOOST_CHECK(state("cu_a").status == sample.status);
  BOOST_TEST(state("cu_a").score == sample.score);
}

BOOST_AUTO_TEST_CASE(deprecation_happens_in_the_feedbacks_transaction_and_is_an_event_of_its_own) {
  write({feedback("fb", "resp_full", -0.75)}).value();
  std::vector<graph::StateChange> const expected = {
      {TxId{2}, StateCause::feedback, {UnitStatus::active, -0.75, 1}},
      {TxId{2}, StateCause::deprecated, {UnitStatus::deprecated, -0.75, 1}}};
  BOOST_CHECK(changes("cu_a") == expected);
  BOOST_CHECK(state_of(engine->snapshot().as_of(TxId{1}), "cu_a").status == UnitStatus::active);
  reopen();
  BOOST_CHECK(changes("cu_a") == expected);
}

BOOST_AUTO_TEST_CASE(deprecated_is_final_while_score_and_count_go_on) {
  write({feedback("fb_1", "resp_full", -1)}).value();
  write({feedback("fb_2", "resp_full", 1), feedback("fb_3", "resp_full", 1)}).value();
  BOOST_TEST(state("cu_a").score > 0);
  BOOST_TEST(state("cu_a").count == 3);
  BOOST_CHECK(state("cu_a").status == UnitStatus::deprecated);
}

BOOST_AUTO_TEST_CASE(deprecated_wins_over_updated_in_either_order) {
  write({next_version("cu_a2", "cu_a", 2), response("resp_b", {"cu_b"})}).value();
  write({feedback("fb_a", "resp_full", -1), feedback("fb_b", "resp_b", -1)}).value();
  write({next_version("cu_b2", "cu_b", 2)}).value();
  BOOST_CHECK(state("cu_a").status == UnitStatus::deprecated);
  BOOST_CHECK(state("cu_b").status == UnitStatus::deprecated);
}

BOOST_AUTO_TEST_CASE(falling_and_rising_within_a_transaction_deprecates_live_and_after_a_restart) {
  write({feedback("fb_1", "resp_full", -1), feedback("fb_2", "resp_full", 1), next_version("cu_a2", "cu_a", 2)})
      .value();
  BOOST_CHECK(state("cu_a").status == UnitStatus::deprecated);
  auto const live = changes("cu_a");
  reopen();
  BOOST_CHECK(changes("cu_a") == live);
}

BOOST_AUTO_TEST_CASE(a_changed_threshold_does_not_rewrite_history) {
  write({feedback("fb_1", "resp_full", -0.6)}).value();
  config.deprecate_below = -0.9;
  reopen();
  BOOST_CHECK(state("cu_a").status == UnitStatus::deprecated);
  config.deprecate_below = 1;
  reopen();
  BOOST_CHECK(state("cu_b").status == UnitStatus::active);
}

schema::FeedbackRecord rating(std::string ref, double score) {
  return {.timestamp = noon, .score = score, .ref = std::move(ref)};
}

schema::Answer citing(std::string request, std::vector<std::string> const& chunks) {
  auto made = answer(std::move(request), "Yes.", 0.75);
  for (auto const& id : chunks) {
    made.citations.push_back({.document_name = "manual", .excerpt = "Content of " + id, .chunk_id = id});
  }
  return made;
}

graph::UnitState state_at(graph::Snapshot const& now, std::string const& ref) {
  auto const parsed = schema::parse_ref(ref).value();
  return now.state(now.find(parsed.type, parsed.id).value());
}

BOOST_AUTO_TEST_CASE(a_rating_of_an_answer_is_shared_by_what_it_cites) {
  write({query("r"), retrieved("r", chunk("c1"), 0.75), retrieved("r", chunk("c2"), 0.75),
         retrieved("r", chunk("c3", "notes"), 0.75), citing("r", {"c1", "c2"}), rating("Answer:r", -1)})
      .value();
  auto const now = engine->snapshot();
  BOOST_TEST(state_at(now, "RetrievedChunk:c1").score == -0.5);
  BOOST_TEST(state_at(now, "RetrievedChunk:c3").count == 0U);
  BOOST_TEST(state_at(now, "Document:manual").score == -1);  // once, with the sum
  BOOST_TEST(state_at(now, "Document:manual").count == 1U);
  BOOST_CHECK(state_at(now, "Document:manual").status == UnitStatus::deprecated);
  BOOST_TEST(state_at(now, "Document:notes").count == 0U);
}

BOOST_AUTO_TEST_CASE(a_rating_of_an_answer_without_citations_is_shared_by_similarity) {
  write({query("r"), retrieved("r", chunk("c1"), 0.375), retrieved("r", chunk("c2", "notes"), 0.125),
         answer("r", "Too little.", 0.25), rating("Answer:r", -1)})
      .value();
  BOOST_TEST(state_at(engine->snapshot(), "RetrievedChunk:c1").score == -0.75);
  BOOST_TEST(state_at(engine->snapshot(), "Document:notes").score == -0.25);
}

BOOST_AUTO_TEST_CASE(where_a_similarity_is_unknown_the_parts_are_equal) {
  auto unknown = retrieved("r", chunk("c2", "notes"), 0);
  unknown.similarity_score.reset();
  auto given = batch({query("r"), retrieved("r", chunk("c1"), 0.375), unknown, answer("r", "Too little.", 0.375),
                      rating("Answer:r", -1)});
  given.mode = schema::Mode::capture;
  engine->write(std::move(given)).value();
  BOOST_TEST(state_at(engine->snapshot(), "RetrievedChunk:c1").score == -0.5);
  BOOST_TEST(state_at(engine->snapshot(), "Document:notes").score == -0.5);
}

BOOST_AUTO_TEST_CASE(a_rating_of_one_half_of_an_act_reaches_the_sources_of_both) {
  auto given = response("resp_r", Uses{{"cu_a", 0.5}, {.weight = 0.5, .ref = "Document:manual"}});
  given.request_id = "r";
  write({query("r"), retrieved("r", chunk("c1"), 0.75), citing("r", {"c1"}), given}).value();
  write({rating("Answer:r", 0.5), feedback("", "resp_r", 0.5)}).value();
  auto const now = engine->snapshot();
  BOOST_TEST(state_at(now, "cu_a").score == 0.25);
  BOOST_TEST(state_at(now, "cu_a").count == 2U);
  BOOST_TEST(state_at(now, "RetrievedChunk:c1").score == 0.5);
  BOOST_TEST(state_at(now, "Document:manual").score == 0.5);  // 1 at most
  BOOST_TEST(state_at(now, "Document:manual").count == 2U);
}

BOOST_AUTO_TEST_CASE(what_is_rated_is_a_known_response_or_answer) {
  BOOST_TEST(outcome(write({rating("Answer:no", 1)})) == "0 /ref invalid_record unknown_reference");
  BOOST_TEST(outcome(write({rating("cu_a", 1)})) == "0 /ref invalid_record ref");
  BOOST_TEST(outcome(write({feedback("", "", 1)})) == "0 /response_id invalid_record required");
  auto both = rating("Answer:r", 1);
  both.response_id = "resp_a";
  BOOST_TEST(outcome(write({both})) == "0 /ref invalid_record ref");
  write({rating("Response:resp_full", 1)}).value();
  BOOST_TEST(state("cu_a").count == 1U);
}

BOOST_AUTO_TEST_CASE(a_deprecated_chunk_is_reported_where_it_is_used) {
  write({query("r"), retrieved("r", chunk("c1"), 0.75), citing("r", {"c1"}), rating("Answer:r", -1)}).value();
  write({query("q"), retrieved("q", chunk("c1"), 0.75)}).value();
  BOOST_TEST(warnings(write({citing("q", {"c1"})})) ==
             "0 /retrieved_chunks/0 deprecated_context\n"
             "0 /citations/0 deprecated_context");
  auto const used = response("resp_c", Uses{{.weight = 1, .ref = "RetrievedChunk:c1"}});
  BOOST_TEST(warnings(write({used})) == "0 /context_units/0 deprecated_context");
}

/// Scores of sources by the rules as they are written for people, from records alone.
class NaiveScores {
 public:
  struct Score {
    double score = 0;
    std::uint32_t count = 0;
    bool is_deprecated = false;
  };

  void write(std::vector<schema::Record> const& records) {
    std::map<std::string, std::string> fresh;  // request to the last response of the batch
    std::set<std::string> answered;            // by this batch
    for (auto const& record : records) {
      if (auto const* chunk = std::get_if<schema::RetrievedChunk>(&record)) {
        documents_[chunk->chunk_id] = chunk->metadata.document_name;
        if (chunk->request_id) similarities_[*chunk->request_id][chunk->chunk_id] = *chunk->similarity_score;
      }
      if (auto const* answer = std::get_if<schema::Answer>(&record)) {
        answered.insert(answer->request_id);
        auto& cited = answers_[answer->request_id];
        double sum = 0;
        for (auto const& [chunk, similarity] : similarities_[answer->request_id]) sum += similarity;
        bool const is_withheld = sum / static_cast<double>(similarities_[answer->request_id].size()) < 0.5;
        for (auto const& each : answer->citations) {
          if (!is_withheld) cited.push_back(*each.chunk_id);
        }
      }
      if (auto const* response = std::get_if<schema::Response>(&record)) {
        responses_[response->id] = response->context_units;
        if (response->request_id) fresh[*response->request_id] = response->id;
      }
    }
    for (auto const& [request, response] : fresh) latest_[request] = response;
    for (auto const& [request, cited] : answers_) {
      bool const is_changed = answered.contains(request) || fresh.contains(request);
      if (is_changed && !acts_.contains(request) && latest_.contains(request)) acts_[request] = latest_[request];
    }
    for (auto const& record : records) {
      if (auto const* feedback = std::get_if<schema::FeedbackRecord>(&record)) rate(*feedback);
    }
  }

  [[nodiscard]] std::map<std::string, Score> const& scores() const { return scores_; }

 private:
  void rate(schema::FeedbackRecord const& feedback) {
    std::string response = feedback.response_id;
    std::string request = feedback.ref ? feedback.ref->substr(7) : "";
    for (auto const& [each, other] : acts_) {
      if (each == request) response = other;
      if (!feedback.ref && other == response) request = each;
    }
    std::map<std::string, double> parts;
    for (auto const& use : responses_[response]) {
      parts[use.ref ? *use.ref : "ContextUnit:" + use.context_unit_id] = use.weight;
    }
    if (!request.empty()) share(request, parts);
    std::map<std::string, double> documents;
    for (auto const& [source, part] : parts) {
      if (source.starts_with("RetrievedChunk:")) documents["Document:" + documents_[source.substr(15)]] += part;
    }
    for (auto const& [document, part] : documents) parts[document] = std::min(1.0, parts[document] + part);
    for (auto const& [source, part] : parts) {
      auto& [score, count, is_deprecated] = scores_[source];
      score = (score * count + feedback.score.value() * part) / (count + 1);
      ++count;
      is_deprecated = is_deprecated || score < -0.5;
    }
  }

  void share(std::string const& request, std::map<std::string, double>& parts) {
    std::map<std::string, double> shares;
    for (auto const& chunk : answers_[request]) shares[chunk] = 1;
    if (shares.empty()) shares = similarities_[request];
    double sum = 0;
    for (auto const& [chunk, share] : shares) sum += share;
    for (auto const& [chunk, share] : shares) {
      auto& part = parts["RetrievedChunk:" + chunk];
      part = std::max(part, sum > 0 ? share / sum : 1 / static_cast<double>(shares.size()));
    }
  }

  std::map<std::string, std::string> documents_;                       // of chunks
  std::map<std::string, std::map<std::string, double>> similarities_;  // by request and chunk
  std::map<std::string, std::vector<std::string>> answers_;            // by request: what each cites
  std::map<std::string, Uses> responses_;
  std::map<std::string, std::string> latest_;  // response by request
  std::map<std::string, std::string> acts_;    // response by request
  std::map<std::string, Score> scores_;        // by ref
};

/// Random requests, answers, responses and ratings, a few records in each batch.
class RandomRatings {
 public:
  explicit RandomRatings(std::uint64_t seed) : random_(seed) {}

  std::vector<schema::Record> batch() {
    std::vector<schema::Record> records;
    for (std::size_t i = 1 + below(3); i > 0; --i) add(records);
    return records;
  }

 private:
  std::size_t below(std::size_t count) { return static_cast<std::size_t>(random_() % count); }
  std::string chunk_id() { return "c" + std::to_string(below(6)); }
  static schema::RetrievedChunk numbered(std::string const& id) { return chunk(id, id < "c3" ? "manual" : "notes"); }

  void add(std::vector<schema::Record>& records) {
    switch (below(5)) {
      case 0:
        return add_request(records);
      case 1:
        return add_answer(records);
      case 2:
        return add_response(records);
      default:
        return add_rating(records);
    }
  }

  void add_request(std::vector<schema::Record>& records) {
    auto const request = "r" + std::to_string(open_.size());
    records.emplace_back(query(request));
    std::set<std::string> chunks;
    for (std::size_t i = 1 + below(4); i > 0; --i) chunks.insert(chunk_id());
    double const scale = static_cast<double>(below(3)) / 2;  // 0 now and then
    for (auto const& id : chunks) {
      records.emplace_back(retrieved(request, numbered(id), scale * static_cast<double>(below(100)) / 99));
    }
    open_.push_back({request, {chunks.begin(), chunks.end()}, false});
  }

  void add_answer(std::vector<schema::Record>& records) {
    if (open_.empty()) return;
    auto& [request, chunks, is_answered] = open_[below(open_.size())];
    if (is_answered) return;
    is_answered = true;
    auto made = answer(request, "Yes.", 0.75);
    for (std::size_t i = 0; i < chunks.size(); ++i) {
      if (i > 0 && below(2) == 0) continue;
      made.citations.push_back({.document_name = numbered(chunks[i]).metadata.document_name,
                                .excerpt = "Content of " + chunks[i],
                                .chunk_id = chunks[i]});
    }
    records.emplace_back(made);
    rated_.push_back("Answer:" + request);
  }

  void add_response(std::vector<schema::Record>& records) {
    std::set<std::string> sources;
    for (std::size_t i = 1 + below(4); i > 0; --i) {
      std::string const all[] = {"cu_a", "cu_b", "RetrievedChunk:" + chunk_id(), "RetrievedChunk:" + chunk_id(),
                                 below(2) == 0 ? "Document:manual" : "Document:notes"};
      sources.insert(all[below(5)]);
    }
    Uses uses;
    for (auto const& source : sources) {
      auto const ref = schema::parse_ref(source).value();
      uses.push_back(schema::use_of(ref.type, ref.id, 1 / static_cast<double>(sources.size())));
    }
    auto made = response("resp_" + std::to_string(responses_++), uses);
    if (!open_.empty() && below(4) > 0) made.request_id = open_[below(open_.size())].request;
    records.emplace_back(made);
    rated_.push_back("Response:" + made.id);
  }

  void add_rating(std::vector<schema::Record>& records) {
    if (rated_.empty()) return;
    auto const& ref = rated_[below(rated_.size())];
    double const score = static_cast<double>(below(200)) / 100 - 1.2;
    auto made = rating(ref, std::max(score, -1.0));
    made.id = "fb_" + std::to_string(ratings_++);
    if (ref.starts_with("Response:")) {
      made.response_id = ref.substr(9);
      made.ref.reset();
    }
    records.emplace_back(made);
  }

  struct Open {
    std::string request;
    std::vector<std::string> chunks;
    bool is_answered;
  };

  std::mt19937_64 random_;
  std::vector<Open> open_;
  std::vector<std::string> rated_;
  int responses_ = 0;
  int ratings_ = 0;
};

// Claim: scores, counts and statuses are those of the rules. Method: random histories and a second computation.
BOOST_AUTO_TEST_CASE(random_ratings_equal_those_computed_from_records) {
  auto const seed = seed_from_environment();
  for (std::uint64_t round = 0; round < 8; ++round) {
    EngineFixture fixture;
    NaiveScores naive;
    RandomRatings random(seed + round);
    std::vector<schema::Record> first = {unit("cu_a"), unit("cu_b")};
    for (std::string const id : {"c0", "c1", "c2"}) first.emplace_back(chunk(id));
    for (std::string const id : {"c3", "c4", "c5"}) first.emplace_back(chunk(id, "notes"));
    fixture.write(first).value();
    naive.write(first);
    for (int i = 0; i < 80; ++i) {
      auto const records = random.batch();
      if (records.empty()) continue;
      fixture.write(records).value();
      naive.write(records);
    }
    for (bool const is_reopened : {false, true}) {
      if (is_reopened) fixture.reopen();
      auto const now = fixture.engine->snapshot();
      for (auto const& [ref, expected] : naive.scores()) {
        BOOST_TEST_CONTEXT("seed " << seed + round << ' ' << ref) {
          auto const found = state_at(now, ref);
          BOOST_TEST(std::abs(found.score - expected.score) < 1e-12);
          BOOST_TEST(found.count == expected.count);
          BOOST_TEST((found.status == UnitStatus::deprecated) == expected.is_deprecated);
        }
      }
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace whence::test
