// The events of a transaction: their order, their kinds, and the edges of each.

#include "graph/snapshot/delta.hpp"

#include "tests/engine/answers.hpp"
#include "tests/engine/batches.hpp"
#include "tests/engine/histories.hpp"
#include "tests/engine/records.hpp"

#include <map>
#include <sstream>

#include <boost/test/unit_test.hpp>

namespace whence::test {
namespace {

struct DeltaFixture : EngineFixture {
  std::vector<graph::Delta> deltas(std::uint64_t first = 1) {
    std::vector<graph::Delta> all;
    engine
        ->read_deltas(schema::TxId{first}, engine->snapshot(),
                      [&](graph::Delta&& delta) {
                        all.push_back(std::move(delta));
                        return true;
                      })
        .value();
    return all;
  }

  /// The events of the last transaction: "put Topic:t, put Message:m".
  std::string last_events() {
    auto const head = engine->snapshot();
    auto const all = deltas(schema::number(head.tx()));
    std::string text;
    for (auto const& event : all.at(0).events) {
      if (!text.empty()) text += ", ";
      text += std::string(schema::name_of(event.op)) + ' ' +
              schema::format_ref(head.type(event.vertex), head.id(event.vertex));
      if (event.has_score) text += " scored";
    }
    return text;
  }

  std::string events_of(std::vector<schema::Record> records) {
    engine->write(ensured(std::move(records))).value();
    return last_events();
  }

  std::string events_of_deleting(std::vector<std::string> const& refs) {
    engine->write(removing(refs)).value();
    return last_events();
  }
};

BOOST_FIXTURE_TEST_SUITE(delta, DeltaFixture)

BOOST_AUTO_TEST_CASE(records_come_in_batch_order_with_implied_records_right_before_them) {
  BOOST_TEST(events_of({unit("cu_z"), message("m", "t"), unit("cu_a")}) ==
             "put ContextUnit:cu_z, put Topic:t, put Message:m, put ContextUnit:cu_a");
}

BOOST_AUTO_TEST_CASE(a_next_version_is_a_version_event_and_sets_the_one_before_updated) {
  events_of({unit("cu_1")});
  BOOST_TEST(events_of({next_version("cu_2", "cu_1", 2), unit("cu_3")}) ==
             "version ContextUnit:cu_2, status ContextUnit:cu_1, put ContextUnit:cu_3");
}

BOOST_AUTO_TEST_CASE(a_declared_source_is_no_version) {
  BOOST_TEST(events_of({unit("cu_1"), derived("cu_2", {"cu_1"})}) == "put ContextUnit:cu_1, put ContextUnit:cu_2");
}

BOOST_AUTO_TEST_CASE(deprecations_come_after_the_last_feedback_that_counted_in_order_of_ref) {
  events_of({unit("cu_b"), unit("cu_a"), response("resp_1", {"cu_b", "cu_a"}), response("resp_2", {"cu_b", "cu_a"})});
  BOOST_TEST(events_of({feedback("fb_1", "resp_1", -1.0), feedback("fb_2", "resp_2", -1.0), unit("cu_c")}) ==
             "put FeedbackRecord:fb_1, put FeedbackRecord:fb_2, put ContextUnit:cu_c");
  BOOST_TEST(events_of({response("resp_3", {"cu_b"}), response("resp_4", {"cu_a"})}) ==
             "put Response:resp_3, put Response:resp_4");
  BOOST_TEST(
      events_of({feedback("fb_3", "resp_3", -1.0), feedback("fb_4", "resp_4", -1.0), feedback("fb_5", "resp_3", -1.0),
                 feedback("fb_6", "resp_4", -1.0), unit("cu_d")}) ==
      "put FeedbackRecord:fb_3, put FeedbackRecord:fb_4, put FeedbackRecord:fb_5, status ContextUnit:cu_b scored, "
      "put FeedbackRecord:fb_6, status ContextUnit:cu_a scored, put ContextUnit:cu_d");
}

BOOST_AUTO_TEST_CASE(a_unit_that_is_updated_and_deprecated_at_once_is_reported_as_deprecated_only) {
  events_of({unit("cu_1"), response("resp_1", {"cu_1"})});
  BOOST_TEST(events_of({next_version("cu_2", "cu_1", 2), feedback("fb_1", "resp_1", -1.0)}) ==
             "version ContextUnit:cu_2, put FeedbackRecord:fb_1, status ContextUnit:cu_1 scored");
}

BOOST_AUTO_TEST_CASE(derived_records_come_after_their_attachment_in_byte_order_of_ref) {
  auto const events =
      events_of({attachment("t", "m", said({about("a", true, {{"k2", 0.9}, {"k1", 0.8}})}, "s")), unit("cu_z")});
  auto const after_attachment = events.substr(events.find("Keyword") - 4);
  BOOST_TEST(events.starts_with("put Topic:t, put Message:m, put XMLMessageAttachment:"));
  BOOST_TEST(after_attachment ==
             "put Keyword:k1, put Keyword:k2, put Subject:t/k1+k2, put Summary:t-v1, put ContextUnit:cu_z");
}

BOOST_AUTO_TEST_CASE(a_keyword_named_again_is_a_version_after_its_attachment) {
  events_of({attachment("t", "m1", said({about("a", true, {{"k", 0.9}})}))});
  auto const events = events_of({attachment("t", "m2", said({about("a", false, {{"k", 0.9}})}), 1), unit("cu_z")});
  BOOST_TEST(events.ends_with(", version Keyword:k, version Subject:t/k, put ContextUnit:cu_z"));
}

BOOST_AUTO_TEST_CASE(a_record_that_changes_keeps_its_place_in_the_batch) {
  events_of({topic("t"), schema::Keyword{.term = "k"}});
  BOOST_TEST(events_of({unit("cu_a"), schema::Keyword{.term = "k", .score = 0.5}, unit("cu_b")}) ==
             "put ContextUnit:cu_a, version Keyword:k, put ContextUnit:cu_b");
}

BOOST_AUTO_TEST_CASE(a_new_template_sets_the_active_one_inactive) {
  auto const prompt = [](std::int64_t version) {
    return schema::SystemPromptTemplate{.model_id = "m", .prompt_text = "Say it.", .version = version};
  };
  events_of({prompt(1)});
  BOOST_TEST(events_of({prompt(2), unit("cu_a")}) ==
             "version SystemPromptTemplate:m/2, status SystemPromptTemplate:m/1, put ContextUnit:cu_a");
}

BOOST_AUTO_TEST_CASE(what_is_current_again_is_a_status_after_the_deletions) {
  auto const prompt = [](std::int64_t version) {
    return schema::SystemPromptTemplate{.model_id = "m", .prompt_text = "Say it.", .version = version};
  };
  events_of({unit("cu_1"), next_version("cu_2", "cu_1", 2), next_version("cu_3", "cu_2", 3), prompt(1), prompt(2)});
  BOOST_TEST(events_of_deleting({"ContextUnit:cu_3", "SystemPromptTemplate:m/2", "ContextUnit:cu_2"}) ==
             "delete ContextUnit:cu_3, delete SystemPromptTemplate:m/2, delete ContextUnit:cu_2, "
             "status ContextUnit:cu_1, status SystemPromptTemplate:m/1");
}

BOOST_AUTO_TEST_CASE(nodes_deleted_with_a_named_one_follow_it_in_byte_order_of_ref) {
  events_of({whole_round(1), whole_round(2), summary_of(1), unit("cu_1")});
  BOOST_TEST(events_of_deleting({"Discussion:u/d", "ContextUnit:cu_1"}) ==
             "delete Discussion:u/d, delete DiscussionRound:u/d/1, delete DiscussionRound:u/d/2, "
             "delete SummaryEntry:u/d/1, delete ContextUnit:cu_1");
}

/// Claim: over all transactions of a history with every kind of write, each edge of the graph is in exactly one
/// event, and reading the log again after a restart gives the same events. Method: count edge ids; compare as text.
BOOST_AUTO_TEST_CASE(every_edge_is_reported_once_and_the_same_after_a_restart) {
  events_of(
      {unit("cu_1"), response("resp_1", {"cu_1"}), next_version("cu_2", "cu_1", 2), feedback("fb_1", "resp_1", -1.0)});
  events_of({attachment("t", "m1", said({about("a", true, {{"k", 0.9}})}, "s"))});
  events_of({attachment("t", "m2", said({about("a", false, {{"k", 0.9}}), about("b", true, {{"k", 0.7}})}, "s"), 1),
             attachment("t", "m3", said({about("a", false, {{"l", 0.9}})}, "s"), 2)});
  events_of({whole_round(1), whole_round(2), summary_of(1)});
  events_of_deleting({"Message:m1"});
  auto const text_of_all = [&] {
    std::ostringstream text;
    std::map<std::uint32_t, int> edges;
    for (auto const& each : deltas()) {
      text << "tx " << each.tx;
      for (auto const& event : each.events) {
        text << ' ' << schema::name_of(event.op) << ' ' << event.vertex;
        for (auto const& edge : each.edges_of(event)) {
          text << ' ' << edge.from << '>' << edge.to << '#' << edge.edge;
          ++edges[schema::number(edge.edge)];
        }
      }
      text << '\n';
    }
    BOOST_TEST(edges.size() == engine->snapshot().edge_count());
    for (auto const& [edge, count] : edges) BOOST_TEST(count == 1);
    return text.str();
  };
  auto const before = text_of_all();
  reopen();
  BOOST_TEST(text_of_all() == before);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace whence::test
