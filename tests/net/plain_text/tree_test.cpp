// Lineage as a tree of text lines.

#include "net/plain_text/tree.hpp"

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

BOOST_AUTO_TEST_SUITE_END()
