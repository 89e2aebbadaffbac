// Lineage as a tree of text lines.

#include "net/plain_text/tree.hpp"

#include "net/plain_text/cell.hpp"
#include "schema/json/json.hpp"

#include <boost/test/unit_test.hpp>

using namespace whence;

namespace {

boost::json::array edges(std::string_view text) {
  return schema::json::parse(text)->value.as_array();
}

}  // namespace

BOOST_AUTO_TEST_SUITE(tree)

BOOST_AUTO_TEST_CASE(puts_causes_below_effects_whatever_way_the_edge_is_drawn) {
  std::string const text = net::plain_text::render_tree("Response:resp_1", edges(R"([
    {"from":"ContextUnit:cu_1","to":"Response:resp_1","type":"USED_IN","weight":0.25},
    {"from":"ContextUnit:cu_2","to":"Response:resp_1","type":"USED_IN","weight":0.75},
    {"from":"ContextUnit:cu_2","to":"ContextUnit:cu_0","type":"DERIVED_FROM","version":2},
    {"from":"FeedbackRecord:fb_1","to":"Response:resp_1","type":"EVALUATES","score":1}])"),
                                                        {{"ContextUnit:cu_0", "old"}});
  BOOST_TEST(text ==
             "Response:resp_1\n"
             "├─ USED_IN 0.75 ContextUnit:cu_2\n"
             "│  └─ DERIVED_FROM ContextUnit:cu_0  old\n"
             "└─ USED_IN 0.25 ContextUnit:cu_1\n");
}

BOOST_AUTO_TEST_CASE(takes_a_node_apart_once) {
  std::string const text = net::plain_text::render_tree("Response:resp_1", edges(R"([
    {"from":"ContextUnit:cu_1","to":"Response:resp_1","type":"USED_IN","weight":0.5},
    {"from":"ContextUnit:cu_2","to":"Response:resp_1","type":"USED_IN","weight":0.5},
    {"from":"ContextUnit:cu_1","to":"ContextUnit:cu_2","type":"DERIVED_FROM"},
    {"from":"ContextUnit:cu_2","to":"ContextUnit:cu_3","type":"DERIVED_FROM"}])"),
                                                        {});
  BOOST_TEST(text ==
             "Response:resp_1\n"
             "├─ USED_IN 0.5 ContextUnit:cu_1\n"
             "│  └─ DERIVED_FROM ContextUnit:cu_2\n"
             "│     └─ DERIVED_FROM ContextUnit:cu_3\n"
             "└─ USED_IN 0.5 ContextUnit:cu_2  (see above)\n");
}

BOOST_AUTO_TEST_CASE(draws_a_node_without_causes_alone) {
  BOOST_TEST(net::plain_text::render_tree("Topic:t", {}, {}) == "Topic:t\n");
}

BOOST_AUTO_TEST_CASE(counts_what_it_does_not_list_where_it_belongs) {
  net::plain_text::TreeForm const form{.has_effects_below = true,
                                       .breadth_max = 1,
                                       .hidden = {{"ContextUnit:cu_1", 53'627}, {"Response:resp_1", 2}},
                                       .marks = {{"ContextUnit:cu_1", "deprecated"}}};
  std::string const text = net::plain_text::render_tree("ContextUnit:cu_1", edges(R"([
    {"from":"ContextUnit:cu_1","to":"Response:resp_1","type":"USED_IN","weight":0.5},
    {"from":"ContextUnit:cu_1","to":"Response:resp_2","type":"USED_IN","weight":0.25}])"),
                                                        {{"ContextUnit:cu_1", "note"}}, form);
  BOOST_TEST(text ==
             "ContextUnit:cu_1  note  [deprecated]\n"
             "├─ USED_IN 0.5 Response:resp_1\n"
             "│  └─ 2 more\n"
             "└─ and 53,628 more\n");
}

BOOST_AUTO_TEST_CASE(cuts_notes_to_the_columns_and_cleans_them) {
  net::plain_text::NodeNotes const notes{{"Topic:t", "a long\x1b[2J note of many words"}};
  BOOST_TEST(net::plain_text::render_tree("Topic:t", {}, notes, {.columns = 24}) == "Topic:t  a long\\u001b[2…\n");
  BOOST_TEST(net::plain_text::render_tree("Topic:t", {}, notes, {.columns = 12}) == "Topic:t\n");
}

BOOST_AUTO_TEST_CASE(colours_refs_by_the_group_of_their_type) {
  std::string const text = net::plain_text::render_tree(
      "Response:resp_1", edges(R"([{"from":"ContextUnit:cu_1","to":"Response:resp_1","type":"USED_IN","weight":0.5}])"),
      {}, {.has_colour = true});
  BOOST_TEST(text ==
             "\x1b[32mResponse:resp_1\x1b[0m\n"
             "\x1b[2m└─ \x1b[0m\x1b[2mUSED_IN 0.5 \x1b[0m\x1b[34mContextUnit:cu_1\x1b[0m\n");
}

BOOST_AUTO_TEST_CASE(numbers_for_people_have_groups) {
  BOOST_TEST(net::plain_text::grouped(7) == "7");
  BOOST_TEST(net::plain_text::grouped(1'000) == "1,000");
  BOOST_TEST(net::plain_text::grouped(53'629) == "53,629");
  BOOST_TEST(net::plain_text::grouped(1'234'567) == "1,234,567");
}

BOOST_AUTO_TEST_SUITE_END()
