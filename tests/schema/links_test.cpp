// The edges that records bring, and records as one family.
#include "schema/links.hpp"

#include "schema/record_reader.hpp"
#include "tests/schema/random_records.hpp"
#include "tests/schema/wire.hpp"

#include <boost/test/unit_test.hpp>

namespace whence::schema::test {
namespace {

std::string shown_links(Record const& record) {
  std::string text;
  for (Link const& link : links_of(record)) {
    text.append(text.empty() ? "" : "; ").append(name_of(link.type)).append(link.owner_is_from ? " > " : " < ");
    text.append(link.other_id()).append(" " + link.place.pointer());
    if (link.value) text.append(" " + std::to_string(*link.value).substr(0, 3));
  }
  return text;
}

BOOST_AUTO_TEST_CASE(draws_the_edges_of_each_record) {
  BOOST_TEST(shown_links(judge(unit).record) ==
             "DERIVED_FROM > cu_1 /previous_version_id 2.0; UPDATED_BY > resp_1 /updated_by_response_id; "
             "DERIVED_FROM > cu_7 /derived_from/0; DERIVED_FROM > cu_8 /derived_from/1");
  BOOST_TEST(
      shown_links(judge(response).record) ==
      "USED_IN < cu_1 /context_units/0/context_unit_id 0.6; USED_IN < cu_2 /context_units/1/context_unit_id 0.4");
  BOOST_TEST(shown_links(judge(feedback).record) == "EVALUATES > resp_1 /response_id 0.5");
  BOOST_TEST(shown_links(judge(message).record) == "PART_OF > t /topicId");
  BOOST_TEST(shown_links(judge(topic).record) == "");
}

BOOST_AUTO_TEST_CASE(draws_one_edge_to_a_source_that_is_the_previous_version) {
  auto const record = judge(changed(unit, "/derived_from/0", "\"cu_1\"")).record;
  BOOST_TEST(shown_links(record) ==
             "DERIVED_FROM > cu_1 /previous_version_id 2.0; UPDATED_BY > resp_1 /updated_by_response_id; "
             "DERIVED_FROM > cu_8 /derived_from/1");
}

// Claim: every edge that a record can bring has a row in the edge table. Method: random records of every type.
BOOST_AUTO_TEST_CASE(draws_only_edges_of_the_table) {
  RandomRecords random{seed_from_environment()};
  for (int i = 0; i < 500; ++i) {
    Record const record = random.next();
    for (Link const& link : links_of(record)) {
      RecordType const from = link.owner_is_from ? type_of(record) : link.other_type;
      RecordType const to = link.owner_is_from ? link.other_type : type_of(record);
      bool const has_row = std::ranges::any_of(edge_rules(), [&](EdgeRule const& rule) {
        return rule.type == link.type && rule.from == from && rule.to == to;
      });
      BOOST_TEST(has_row, "seed " << random.seed() << ": " << link.type << " from " << from << " to " << to);
    }
  }
}

BOOST_AUTO_TEST_CASE(completes_a_record_with_what_the_graph_holds) {
  Record record = Response{};
  complete(record, "resp_9", {{"cu_1", 1.0}});
  BOOST_TEST(node_id_of(record) == "resp_9");
  BOOST_TEST(std::get<Response>(record).context_units.size() == 1U);
}

}  // namespace
}  // namespace whence::schema::test
