// Manifests as input and as text: agreement with themselves and with their response, and their size to the byte.
#include "schema/wire/manifest.hpp"

#include "tests/schema/json/wire.hpp"

#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

namespace whence::schema::test {
namespace {

namespace data = boost::unit_test::data;

std::vector<Case> const manifest_cases = {
    {"good", manifest, "/token_count", "null", ""},
    {"response_missing", manifest, "-/response_id", "", "required /response_id"},
    {"root_differs", manifest, "/provenance_tree/root", "\"resp_2\"", "manifest_mismatch /provenance_tree/root"},
    {"to_differs", manifest, "/provenance_tree/edges/0/to", "\"resp_2\"",
     "manifest_mismatch /provenance_tree/edges/0/to"},
    {"weight_differs", manifest, "/provenance_tree/edges/0/weight", "0.41",
     "manifest_mismatch /provenance_tree/edges/0/weight"},
    {"no_edges", manifest, "/provenance_tree/edges", "[]", "manifest_mismatch /provenance_tree/edges"},
    {"edge_twice", manifest, "/provenance_tree/edges/0", R"({"from":"cu_1","to":"resp_1","weight":0.6})",
     "manifest_mismatch /provenance_tree/edges"},
    {"edge_of_none", manifest, "/provenance_tree/edges/0/from", "\"cu_3\"", "manifest_mismatch /provenance_tree/edges"},
    {"unit_twice", manifest, "/context_tree/1/id", "\"cu_1\"", "duplicate_unit /context_tree/1/id"},
    {"tree_empty", manifest, "/context_tree", "[]", "items /context_tree"},
    {"tree_sum", manifest, "/context_tree/0/weight", "0.7", "weight_sum /context_tree"},
    {"tree_type", manifest, "/context_tree/0/type", "\"Model\"", "enum /context_tree/0/type"},
    {"tree_source", manifest, "/context_tree/0/source", "\"\"", "id /context_tree/0/source"},
    {"tree_source_missing", manifest, "-/context_tree/0/source", "", "required /context_tree/0/source"},
    {"tree_type_missing", manifest, "-/context_tree/0/type", "", "required /context_tree/0/type"},
    {"edges_left_out", manifest, "-/provenance_tree/edges", "", ""},
    {"entry_of_a_deleted_unit", manifest, "/context_tree/0", R"({"id":"cu_1","weight":0.6,"deleted":true})", ""},
    {"entry_of_a_unit_that_is_gone", manifest, "/context_tree/0", R"({"id":"cu_1","weight":0.6,"expired":true})", ""},
    {"agent_missing", manifest, "-/agent", "", "required /agent"},
    {"tree_unknown", manifest, "/context_tree/0/version", "1", "unknown_field /context_tree/0/version"},
    {"timestamp_future", manifest, "/timestamp", "\"2026-10-09T16:15:00Z\"", "future /timestamp"},
    {"attributes", manifest, "/attributes", R"({"a":[]})", ""},
};
BOOST_DATA_TEST_CASE(holds_the_rules_of_manifests, data::make(manifest_cases), each) {
  BOOST_TEST(verdict(changed(each.base, each.path, each.value)).substr(0, each.verdict.size()) == each.verdict);
  BOOST_TEST(verdict(changed(each.base, each.path, each.value)).empty() == each.verdict.empty());
}

LineageManifest decoded() {
  return std::get<LineageManifest>(validate(manifest).record);
}

BOOST_AUTO_TEST_CASE(writes_a_manifest_in_its_order_with_nulls) {
  BOOST_TEST(json::manifest_text(decoded()) ==
             R"({"response_id":"resp_1","timestamp":"2025-10-09T16:15:00Z","agent":"claude","model":"m",)"
             R"("token_count":1984,"context_tree":[)"
             R"({"id":"cu_1","type":"User","source":"s","weight":0.6,"embedding_id":"vec_1","summary":"one"},)"
             R"({"id":"cu_2","type":"External","source":"t","weight":0.4,"embedding_id":null,"summary":null}],)"
             R"("provenance_tree":{"root":"resp_1","edges":[{"from":"cu_2","to":"resp_1","weight":0.4},)"
             R"({"from":"cu_1","to":"resp_1","weight":0.6}]}})");
}

BOOST_AUTO_TEST_CASE(leaves_out_whole_kinds_of_members) {
  auto manifest_value = decoded();
  manifest_value.token_count.reset();
  manifest_value.context_tree.resize(1);
  manifest_value.context_tree[0].weight = 1;
  auto const text =
      json::manifest_text(manifest_value, {.summaries = 0, .has_embedding_ids = false, .has_edges = false});
  BOOST_TEST(text == R"({"response_id":"resp_1","timestamp":"2025-10-09T16:15:00Z","agent":"claude","model":"m",)"
                     R"("token_count":null,"context_tree":[{"id":"cu_1","type":"User","source":"s","weight":1}],)"
                     R"("provenance_tree":{"root":"resp_1"}})");
}

/// The good manifest with summaries and sources grown until its compact text has `bytes` bytes.
std::string manifest_of(std::size_t bytes) {
  std::string tree = "[";
  std::string edges = "[";
  for (int i = 0; i < 10; ++i) {
    std::string const id = "cu_" + std::to_string(i);
    tree.append(i == 0 ? "" : ",");
    tree.append(R"({"id":")" + id + R"(","type":"User","source":"s","weight":0.1,"summary":)");
    tree.append(quoted(i == 0 ? 0 : 390) + "}");
    edges.append(i == 0 ? "" : ",").append(R"({"from":")" + id + R"(","to":"resp_1","weight":0.1})");
  }
  auto const base = changed(changed(manifest, "/context_tree", tree + "]"), "/provenance_tree/edges", edges + "]");
  auto const size = json::manifest_text(std::get<LineageManifest>(validate(base).record), {.has_nulls = false}).size();
  return changed(base, "/context_tree/0/summary", quoted(bytes - size));
}

BOOST_AUTO_TEST_CASE(measures_an_input_manifest_as_compact_text) {
  std::string const big_attributes = R"({"a":)" + quoted(6000) + "}";
  BOOST_TEST(verdict(changed(manifest_of(5119), "/attributes", big_attributes)) == "");
  BOOST_TEST(verdict(manifest_of(5120)) == "manifest_size /context_tree");
}

std::string with_manifest(std::string const& text) {
  std::string quoted_text;
  json::append_string(quoted_text, text);
  return changed(changed(response, "/manifest_json", quoted_text), "/token_count", "1984");
}

BOOST_AUTO_TEST_CASE(takes_a_response_with_its_own_manifest) {
  BOOST_TEST(verdict(with_manifest(json::manifest_text(decoded()))) == "");
}

struct Disagreement {
  std::string name;
  std::string text;
  std::string verdict;
};
std::ostream& operator<<(std::ostream& out, Disagreement const& each) {
  return out << each.name;
}

std::string bare() {
  return json::manifest_text(decoded());
}

std::vector<Disagreement> const disagreements = {
    {"no_json", "{", "manifest_invalid /manifest_json"},
    {"no_manifest", "{}", "manifest_invalid /manifest_json"},
    {"an_array", "[]", "manifest_invalid /manifest_json"},
    {"size_5119", bare() + std::string(5119 - bare().size(), ' '), ""},
    {"size_5120", bare() + std::string(5120 - bare().size(), ' '), "manifest_size /manifest_json"},
    {"other_response",
     changed(changed(changed(changed(bare(), "/response_id", "\"resp_2\""), "/provenance_tree/root", "\"resp_2\""),
                     "/provenance_tree/edges/0/to", "\"resp_2\""),
             "/provenance_tree/edges/1/to", "\"resp_2\""),
     "manifest_mismatch /manifest_json"},
    {"other_time", changed(bare(), "/timestamp", "\"2025-10-09T16:15:01Z\""), "manifest_mismatch /manifest_json"},
    {"same_time", changed(bare(), "/timestamp", "\"2025-10-09T17:15:00+01:00\""), ""},
    {"other_agent", changed(bare(), "/agent", "\"x\""), "manifest_mismatch /manifest_json"},
    {"no_tokens", changed(bare(), "/token_count", "null"), "manifest_mismatch /manifest_json"},
    {"other_weight",
     changed(changed(bare(), "/context_tree/0/weight", "0.601"), "/provenance_tree/edges/1/weight", "0.601"),
     "manifest_mismatch /manifest_json"},
    {"broken_sum", changed(bare(), "/context_tree/0/weight", "0.1"), "manifest_invalid /manifest_json"},
    {"unknown_member", changed(bare(), "/more", "1"), "manifest_invalid /manifest_json"},
};
BOOST_DATA_TEST_CASE(compares_manifest_json_with_its_response, data::make(disagreements), each) {
  BOOST_TEST(verdict(with_manifest(each.text)) == each.verdict);
}

}  // namespace
}  // namespace whence::schema::test
