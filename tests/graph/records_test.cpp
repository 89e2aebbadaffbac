// Whole records from their stored pieces.
#include "graph/snapshot/records.hpp"

#include "tests/graph/world.hpp"

#include <map>
#include <string>

#include <boost/test/unit_test.hpp>

namespace whence::test {

using graph::RevisionKind;
using schema::ContentId;
using schema::ContextReference;
using schema::Keyword;
using schema::Record;
using schema::Response;
using schema::Topic;

namespace {

/// Contents in a map, as a store holds them: without ids.
class Contents final : public schema::RecordReader {
 public:
  std::map<ContentId, Record> records = {};
  mutable int calls = 0;

  [[nodiscard]] Result<void> read(
      std::span<ContentId const> contents,
      std::function<bool(std::size_t, schema::StoredContent&&)> const& visit) const override {
    ++calls;
    for (std::size_t i = 0; i < contents.size(); ++i) {
      auto const found = records.find(contents[i]);
      if (found == records.end()) return Error{.code = Errc::corrupt};
      if (!visit(i, Record{found->second})) break;
    }
    return {};
  }
  [[nodiscard]] Result<std::optional<std::string>> read_blob(schema::Digest const& /*digest*/) const override {
    return std::optional<std::string>{};
  }
};

Keyword keyword(std::int64_t frequency, std::vector<std::string> subjects) {
  Keyword keyword;
  keyword.frequency = frequency;
  keyword.subjects = std::move(subjects);
  return keyword;
}

/// A topic, a keyword revised three times (an addition and two updates), a response of two units, of which one is
/// deleted in the last transaction.
struct Recorded : World {
  Contents contents = {};
  VertexId topic = vertex(RecordType::topic, "t");
  VertexId term = vertex(RecordType::keyword, "term");
  VertexId unit_a = unit("cu_a");
  VertexId unit_b = unit("cu_b");
  VertexId answer = response("resp_a");

  Recorded() {
    (void)use(unit_b, answer, 0.75);
    (void)use(unit_a, answer, 0.25);
    (void)edge(EdgeType::updated_by, unit("cu_c"), answer);
    contents.records[{topic, 0}] = Topic{};
    contents.records[{answer, 0}] = Response{};
    contents.records[{term, 0}] = keyword(1, {"s1"});
    (void)revise(term, RevisionKind::addition);
    contents.records[{term, 1}] = keyword(2, {"s2"});
    (void)revise(term, RevisionKind::update);
    contents.records[{term, 2}] = keyword(3, {});
    (void)revise(term, RevisionKind::update);
    contents.records[{term, 3}] = keyword(4, {});
    hide(unit_b);
  }

  [[nodiscard]] std::vector<Record> read(Snapshot const& snapshot, std::vector<VertexId> const& vertices) const {
    std::vector<Record> records;
    auto const done = graph::read_those_there(snapshot, contents, vertices, [&](std::size_t position, Record&& record) {
      BOOST_TEST(position == records.size());
      records.push_back(std::move(record));
      return true;
    });
    BOOST_REQUIRE(done.has_value());
    return records;
  }
  [[nodiscard]] Keyword read_term(Snapshot const& snapshot) const {
    return std::get<Keyword>(read(snapshot, {term}).at(0));
  }
};

using Strings = std::vector<std::string>;

}  // namespace

BOOST_FIXTURE_TEST_SUITE(records, Recorded)

BOOST_AUTO_TEST_CASE(tell_what_a_response_used_in_order_deleted_units_too) {
  std::vector<ContextReference> const expected{{"cu_b", 0.75}, {"cu_a", 0.25}};
  BOOST_CHECK(graph::uses_of(now(), answer) == expected);
  BOOST_CHECK(graph::uses_of(now().as_of(TxId{6}), answer) == (std::vector<ContextReference>{{"cu_b", 0.75}}));
}

BOOST_AUTO_TEST_CASE(come_with_their_ids_and_references) {
  auto const read_now = read(now(), {answer, topic});
  BOOST_REQUIRE(read_now.size() == 2U);
  auto const& response = std::get<Response>(read_now[0]);
  BOOST_TEST(response.id == "resp_a");
  BOOST_CHECK(response.context_units == graph::uses_of(now(), answer));
  BOOST_TEST(std::get<Topic>(read_now[1]).id == "t");
}

BOOST_AUTO_TEST_CASE(are_folded_as_of_the_snapshot) {
  auto const latest = read_term(now());
  BOOST_TEST(latest.term == "term");
  BOOST_TEST(latest.frequency == 4);
  BOOST_TEST(latest.subjects == (Strings{"s1", "s2"}));
  auto const first = read_term(now().as_of(TxId{2}));
  BOOST_TEST(first.frequency == 1);
  BOOST_TEST(first.subjects == Strings{"s1"});
  auto const third = read_term(now().as_of(TxId{11}));
  BOOST_TEST(third.frequency == 3);
  BOOST_TEST(third.subjects == (Strings{"s1", "s2"}));
}

BOOST_AUTO_TEST_CASE(come_in_the_order_asked_for_with_one_read) {
  auto const read_now = read(now(), {topic, term, answer, term});
  BOOST_REQUIRE(read_now.size() == 4U);
  BOOST_TEST(std::get<Topic>(read_now[0]).id == "t");
  BOOST_TEST(std::get<Keyword>(read_now[1]).frequency == 4);
  BOOST_TEST(std::get<Response>(read_now[2]).id == "resp_a");
  BOOST_CHECK(read_now[3] == read_now[1]);
  BOOST_TEST(contents.calls == 1);
  BOOST_TEST(read(now(), {}).empty());
}

BOOST_AUTO_TEST_CASE(twice_asked_for_in_a_row_come_twice) {
  auto const read_now = read(now(), {term, term, topic, topic});
  BOOST_REQUIRE(read_now.size() == 4U);
  BOOST_CHECK(read_now[0] == read_now[1]);
  BOOST_TEST(std::get<Keyword>(read_now[0]).frequency == 4);
}

BOOST_AUTO_TEST_CASE(of_deleted_vertices_say_what_they_said_last) {
  hide(term);
  BOOST_TEST(read_term(now()).frequency == 4);
}

BOOST_AUTO_TEST_CASE(end_when_told_to) {
  for (auto const& vertices : {std::vector{topic, term, answer}, std::vector{topic, answer, answer}}) {
    int visits = 0;
    auto const done =
        graph::read_those_there(now(), contents, vertices, [&](std::size_t, Record&&) { return ++visits < 2; });
    BOOST_TEST(done.has_value());
    BOOST_TEST(visits == 2);
  }
}

BOOST_AUTO_TEST_CASE(fail_where_a_content_is_not_there) {
  contents.records.erase({term, 1});
  auto const done =
      graph::read_those_there(now(), contents, std::vector{topic, term}, [](std::size_t, Record&&) { return true; });
  BOOST_REQUIRE(done.has_error());
  BOOST_TEST(done.error().code == Errc::corrupt);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace whence::test
