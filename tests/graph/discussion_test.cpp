// The rounds and summaries of a discussion, by their numbers, whatever was deleted.
#include "graph/snapshot/discussion.hpp"

#include "tests/graph/world.hpp"

#include <ostream>
#include <string>

#include <boost/test/unit_test.hpp>

namespace whence::graph {

std::ostream& operator<<(std::ostream& out, NumberedVertex const& each) {
  return out << each.number << " at " << each.vertex;
}

}  // namespace whence::graph

namespace whence::test {

using graph::last_round;
using graph::NumberedVertex;
using graph::rounds_of;
using graph::summaries_of;

using Numbered = std::vector<NumberedVertex>;

namespace {

/// One discussion, and another whose id begins like its own.
struct Discussed : World {
  VertexId discussion = vertex(RecordType::discussion, "u/d");
  VertexId other = vertex(RecordType::discussion, "u/d2");

  VertexId round_in(VertexId whole, std::string const& id) {
    begin();
    auto const round = graph.add_vertex(RecordType::discussion_round, id, {});
    (void)graph.add_edge(EdgeType::part_of, round, whole, {});
    end();
    return round;
  }
  VertexId round(int number) { return round_in(discussion, "u/d/" + std::to_string(number)); }
  VertexId summary(int number) { return vertex(RecordType::summary_entry, "u/d/" + std::to_string(number)); }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(discussions, Discussed)

BOOST_AUTO_TEST_CASE(have_no_parts_at_first) {
  BOOST_TEST(rounds_of(now(), discussion).empty());
  BOOST_TEST(summaries_of(now(), discussion).empty());
  BOOST_TEST(!last_round(now(), discussion).has_value());
}

BOOST_AUTO_TEST_CASE(list_rounds_by_number_not_by_text_or_age) {
  Numbered expected(12);
  for (int number = 12; number >= 1; --number) {
    expected[static_cast<std::size_t>(number - 1)] = {number, round(number)};
  }
  BOOST_TEST(rounds_of(now(), discussion) == expected, boost::test_tools::per_element());
  BOOST_TEST(last_round(now(), discussion).value() == expected.back());
}

BOOST_AUTO_TEST_CASE(keep_apart_what_begins_alike) {
  auto const mine = round(1);
  auto const foreign = round_in(other, "u/d2/1");
  (void)vertex(RecordType::summary_entry, "u/d2/1");
  BOOST_TEST(rounds_of(now(), discussion) == (Numbered{{1, mine}}), boost::test_tools::per_element());
  BOOST_TEST(last_round(now(), other).value() == (NumberedVertex{1, foreign}));
  BOOST_TEST(summaries_of(now(), discussion).empty());
}

BOOST_AUTO_TEST_CASE(read_the_number_behind_escaped_ids) {
  auto const escaped = vertex(RecordType::discussion, "a%2F7/%25");
  auto const first = round_in(escaped, "a%2F7/%25/1");
  auto const summarized = vertex(RecordType::summary_entry, "a%2F7/%25/1");
  BOOST_TEST(rounds_of(now(), escaped) == (Numbered{{1, first}}), boost::test_tools::per_element());
  BOOST_TEST(last_round(now(), escaped).value() == (NumberedVertex{1, first}));
  BOOST_TEST(summaries_of(now(), escaped) == (Numbered{{1, summarized}}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(list_summaries_by_number) {
  for (int number = 1; number <= 11; ++number) (void)round(number);
  auto const late = summary(10);
  auto const early = summary(2);
  BOOST_TEST(summaries_of(now(), discussion) == (Numbered{{2, early}, {10, late}}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(find_summaries_of_rounds_that_are_missing) {
  (void)round(3);
  (void)round(5);
  Numbered const expected{{2, summary(2)}, {4, summary(4)}, {6, summary(6)}};
  BOOST_TEST(summaries_of(now(), discussion) == expected, boost::test_tools::per_element());
  (void)round(1'000'000'000);  // numbers of a file
  Numbered const late{expected[0], expected[1], {999'999'999, summary(999'999'999)}};
  BOOST_TEST(summaries_of(now(), discussion) == late, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(leave_deleted_rounds_out) {
  auto const first = round(1);
  auto const second = round(2);
  auto const third = round(3);
  auto const before = now();
  hide(third);
  BOOST_TEST(last_round(now(), discussion).value() == (NumberedVertex{2, second}));
  hide(first);
  BOOST_TEST(rounds_of(now(), discussion) == (Numbered{{2, second}}), boost::test_tools::per_element());
  BOOST_TEST(last_round(now(), discussion).value() == (NumberedVertex{2, second}));
  hide(second);
  BOOST_TEST(!last_round(now(), discussion).has_value());
  BOOST_TEST(last_round(before, discussion).value() == (NumberedVertex{3, third}));
  BOOST_TEST(rounds_of(before, discussion).size() == 3U);
}

BOOST_AUTO_TEST_CASE(find_the_last_round_where_a_middle_one_is_deleted) {
  (void)round(1);
  auto const second = round(2);
  auto const third = round(3);
  hide(second);
  BOOST_TEST(last_round(now(), discussion).value() == (NumberedVertex{3, third}));
}

BOOST_AUTO_TEST_CASE(list_a_round_that_was_put_again) {
  auto const first = round(1);
  auto const second = round(2);
  hide(second);
  auto const again = round(2);
  BOOST_TEST(rounds_of(now(), discussion) == (Numbered{{1, first}, {2, again}}), boost::test_tools::per_element());
  BOOST_TEST(last_round(now(), discussion).value() == (NumberedVertex{2, again}));
}

BOOST_AUTO_TEST_CASE(list_summaries_of_deleted_rounds) {
  auto const first = round(1);
  auto const second = round(2);
  auto const summarized = summary(2);
  hide(first);
  hide(second);
  BOOST_TEST(summaries_of(now(), discussion) == (Numbered{{2, summarized}}), boost::test_tools::per_element());
  hide(summarized);
  BOOST_TEST(summaries_of(now(), discussion).empty());
  BOOST_TEST(summaries_of(now().as_of(TxId{tx - 1}), discussion).size() == 1U);
  auto const again = summary(2);
  BOOST_TEST(graph::summaries_of_ever(now(), discussion) == (std::vector{summarized, again}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(are_as_they_were_at_each_moment) {
  auto const first = round(1);
  auto const after_first = TxId{tx};
  auto const second = round(2);
  (void)summary(2);
  auto const then = now().as_of(after_first);
  BOOST_TEST(rounds_of(then, discussion) == (Numbered{{1, first}}), boost::test_tools::per_element());
  BOOST_TEST(last_round(then, discussion).value() == (NumberedVertex{1, first}));
  BOOST_TEST(summaries_of(then, discussion).empty());
  BOOST_TEST(last_round(now(), discussion).value() == (NumberedVertex{2, second}));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace whence::test
