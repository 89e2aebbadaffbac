// The deleted neighbours of a lineage.

#include "tests/queries/fixture.hpp"
#include "tests/queries/requests.hpp"

#include <boost/test/unit_test.hpp>

namespace whence::test {
namespace {

/// `cu_1` and `cu_2` are in `resp_1`, `cu_1` was derived from `cu_0`, which was derived from `cu_z`.
struct DanglingWorld {
  RecordWorld world;

  DanglingWorld() {
    world.commit({unit("cu_z"), derived("cu_0", {"cu_z"}), derived("cu_1", {"cu_0"}), unit("cu_2"),
                  response("resp_1", {"cu_1", "cu_2"})});
  }

  [[nodiscard]] std::string ancestors(queries::LineageParams const& params, std::uint64_t tx) const {
    auto const found = json_of(ask(queries::lineage_ancestors, world.view(tx), params, unlimited()));
    return found.contains("dangling") ? text(found.at("dangling")) : "none";
  }
};

BOOST_FIXTURE_TEST_SUITE(dangling, DanglingWorld)

BOOST_AUTO_TEST_CASE(nothing_dangles_where_nothing_was_deleted) {
  BOOST_TEST(ancestors({.ref = ref("resp_1")}, 1) == "none");
}

BOOST_AUTO_TEST_CASE(deleted_neighbours_of_start_and_nodes_are_named_in_order) {
  world.remove({"cu_2", "cu_0"});
  BOOST_TEST(ancestors({.ref = ref("resp_1")}, 2) == R"(["ContextUnit:cu_0","ContextUnit:cu_2"])");
  BOOST_TEST(ancestors({.ref = ref("resp_1")}, 1) == "none");
  BOOST_TEST(ancestors({.ref = ref("cu_z")}, 2) == "none");
}

BOOST_AUTO_TEST_CASE(nodes_behind_a_deleted_node_are_not_named) {
  world.remove({"cu_0", "cu_z"});
  BOOST_TEST(ancestors({.ref = ref("resp_1")}, 2) == R"(["ContextUnit:cu_0"])");
}

BOOST_AUTO_TEST_CASE(depth_and_edge_types_bound_the_named_nodes) {
  world.remove({"cu_0"});
  BOOST_TEST(ancestors({.ref = ref("resp_1"), .depth = 2}, 2) == R"(["ContextUnit:cu_0"])");
  BOOST_TEST(ancestors({.ref = ref("resp_1"), .depth = 1}, 2) == "none");
  BOOST_TEST(ancestors({.ref = ref("resp_1"), .depth = 0}, 2) == "none");
  schema::EdgeTypeSet uses;
  uses.insert(schema::EdgeType::used_in);
  BOOST_TEST(ancestors({.ref = ref("resp_1"), .edge_types = uses}, 2) == "none");
}

BOOST_AUTO_TEST_CASE(filters_of_nodes_change_nothing) {
  world.remove({"cu_0"});
  schema::RecordTypeSet responses;
  responses.insert(schema::RecordType::response);
  BOOST_TEST(ancestors({.ref = ref("resp_1"), .node_types = responses}, 2) == R"(["ContextUnit:cu_0"])");
}

BOOST_AUTO_TEST_CASE(descendants_dangle_too) {
  world.remove({"resp_1"});
  auto const found = json_of(ask(queries::lineage_descendants, world.view(), {.ref = ref("cu_z")}, unlimited()));
  BOOST_TEST(text(found.at("dangling")) == R"(["Response:resp_1"])");
}

BOOST_AUTO_TEST_CASE(an_id_deleted_twice_is_named_once) {
  world.remove({"cu_2"});
  world.commit({unit("cu_2"), response("resp_2", {"cu_2"}), derived("cu_3", {"cu_1"})});
  world.remove({"cu_2", "resp_2"});
  auto const found = json_of(ask(queries::lineage_ancestors, world.view(), {.ref = ref("resp_1")}, unlimited()));
  BOOST_TEST(text(found.at("dangling")) == R"(["ContextUnit:cu_2"])");
}

BOOST_AUTO_TEST_CASE(an_answer_names_the_chunk_it_cites_that_is_gone) {
  auto const cited = chunk("c1", "a.pdf", vector_of(1));
  world.commit({document("a.pdf"), cited, query("r"), retrieval(cited, "r", 1, 1), prompt("r", {"c1"}),
                answer("r", "Some [a.pdf].", {"c1"})});
  world.remove({"RetrievedChunk:c1"});
  auto const found = json_of(ask(queries::lineage_ancestors, world.view(), {.ref = ref("Answer:r")}, unlimited()));
  BOOST_TEST(refs_of(found) == "PromptContext:r Query:r");
  BOOST_TEST(text(found.at("dangling")) == R"(["RetrievedChunk:c1"])");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace whence::test
