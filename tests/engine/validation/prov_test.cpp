// Foreign PROV documents: their relations become edges and are found again; cycles are kept without influence; a copy
// of another graph ends as that one was.

#include "graph/walks/walk.hpp"
#include "schema/json/json.hpp"
#include "schema/prov/document.hpp"
#include "schema/wire/codec.hpp"
#include "store/verify/verify.hpp"
#include "tests/engine/answers.hpp"
#include "tests/engine/batches.hpp"
#include "tests/engine/records.hpp"

#include <boost/test/unit_test.hpp>

namespace whence::test {
namespace {

struct ProvFixture : EngineFixture {
  static engine::WriteBatch batch_of(std::string_view document) {
    auto const import = schema::json::read_prov_json(document).value();
    engine::WriteBatch result;
    for (std::string const& text : import.records) {
      auto const parsed = schema::json::parse(text).value();
      result.records.push_back(schema::json::decode_record(parsed.value, parsed.duplicates));
    }
    return result;
  }
  Result<engine::WriteAnswer> import(std::string_view document) { return engine->write(batch_of(document)); }

  /// "FROM TYPE TO", with a `*` where the edge has no influence.
  std::vector<std::string> edges() const {
    auto const now = engine->snapshot();
    auto all = edges_of(now);
    std::vector<std::string> marked;
    for (std::uint32_t i = 0; i < now.vertex_count(); ++i) {
      graph::VertexId const vertex{i};
      auto const from = now.relations_from(vertex);
      for (std::size_t k = 0; k < from.size(); ++k) {
        marked.push_back(std::string(now.id(vertex)) + ' ' + std::string(name_of(now.type(from.edges[k]))) + ' ' +
                         std::string(now.id(from.vertices[k])));
      }
    }
    for (auto const& each : marked) *std::ranges::find(all, each) += '*';
    return all;
  }
};

using Edges = std::vector<std::string>;

schema::ProvEntity entity(std::string id, std::vector<std::string> derived_from = {}) {
  schema::ProvEntity result;
  result.id = id;
  result.qname = std::move(id);
  result.attributes = schema::ProvAttributes{"{}"};
  for (auto& other : derived_from) {
    if (!result.relations) result.relations.emplace();
    result.relations->push_back(
        {.relation = "wasDerivedFrom", .other = "ProvEntity:" + std::move(other), .attributes = {"{}"}});
  }
  return result;
}

BOOST_FIXTURE_TEST_SUITE(prov, ProvFixture)

BOOST_AUTO_TEST_CASE(relations_are_edges_and_lead_influence_from_object_to_subject) {
  BOOST_TEST(outcome(import(R"({"entity":{"a":{},"b":{}},"activity":{"r":{}},
      "wasDerivedFrom":{"_:1":{"prov:generatedEntity":"b","prov:usedEntity":"a"}},
      "used":{"_:2":{"prov:activity":"r","prov:entity":"a"}},
      "wasGeneratedBy":{"_:3":{"prov:entity":"b","prov:activity":"r"}},
      "wasAssociatedWith":{"_:4":{"prov:activity":"r","prov:agent":"who"}},
      "specializationOf":{"_:5":{"prov:specificEntity":"b","prov:generalEntity":"a"}},
      "hadMember":{"_:6":{"prov:collection":"c","prov:entity":["a","b"]}}})")) == "ok 1");
  Edges const expected = {"b PROV_wasDerivedFrom a", "b PROV_wasGeneratedBy r",      "b PROV_specializationOf a*",
                          "r PROV_used a",           "r PROV_wasAssociatedWith who", "c PROV_hadMember a*",
                          "c PROV_hadMember b*"};
  BOOST_TEST(edges() == expected, boost::test_tools::per_element());
  auto const now = engine->snapshot();
  auto const a = now.find(schema::RecordType::prov_entity, "a").value();
  auto const b = now.find(schema::RecordType::prov_entity, "b").value();
  BOOST_TEST(graph::influences(now, a, b));
  BOOST_TEST(!graph::influences(now, b, a));
}

BOOST_AUTO_TEST_CASE(the_same_document_again_changes_nothing_and_another_adds_what_it_says) {
  constexpr char const* document = R"({"entity":{"a":{"v":1}},"used":{"_:1":{"prov:activity":"r","prov:entity":"a"}}})";
  import(document).value();
  BOOST_TEST(outcome(import(document)) == "unchanged 1");
  BOOST_TEST(outcome(import(R"({"entity":{"a":{"v":1.0}}})")) == "ok 2");
  BOOST_TEST(text_of(*engine, "ProvEntity:a").find("\"v\":[1.0,1]") != std::string::npos);
  BOOST_TEST(outcome(import(R"({"used":{"_:1":{"prov:activity":"r","prov:entity":"b"}}})")) == "ok 3");
  BOOST_TEST(edges() == (Edges{"r PROV_used a", "r PROV_used b"}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_mentioned_node_does_not_differ_from_a_known_one) {
  import(R"({"entity":{"a":{"v":1}}})").value();
  BOOST_TEST(outcome(import(R"({"wasDerivedFrom":{"_:1":{"prov:generatedEntity":"b","prov:usedEntity":"a"}}})")) ==
             "ok 2");
  BOOST_TEST(edges() == Edges{"b PROV_wasDerivedFrom a"}, boost::test_tools::per_element());
  BOOST_TEST(text_of(*engine, "ProvEntity:a").find("\"v\":1") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_declaration_after_a_mention_declares_it) {
  import(R"({"used":{"_:1":{"prov:activity":"r","prov:entity":"a"}}})").value();
  BOOST_TEST(outcome(import(R"({"entity":{"a":{"v":1}}})")) == "ok 2");
  auto const record = record_of<schema::ProvEntity>(*engine, "ProvEntity:a");
  BOOST_TEST(!record.is_declared.has_value());
  BOOST_TEST(record.attributes->json == R"({"v":1})");
}

BOOST_AUTO_TEST_CASE(two_times_of_one_activity_are_both_kept_with_a_warning) {
  import(R"({"activity":{"r":{"prov:startTime":"2012-01-01T00:00:00Z"}}})").value();
  auto const answer = import(R"({"activity":{"r":{"prov:startTime":"2012-01-02T00:00:00Z"}}})");
  BOOST_TEST(outcome(answer) == "ok 2");
  BOOST_TEST(warnings(answer) == "0 /attributes/prov:startTime prov_contradiction");
  auto const text = text_of(*engine, "ProvActivity:r");
  BOOST_TEST(text.find("2012-01-01") != std::string::npos);
  BOOST_TEST(text.find("2012-01-02") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_thing_described_twice_in_one_batch_says_both) {
  auto const answer = write({entity("a", {"b"}), entity("b"), entity("a", {"c"}), entity("c")});
  BOOST_TEST(outcome(answer) == "ok 1");
  BOOST_TEST(edges() == (Edges{"a PROV_wasDerivedFrom b", "a PROV_wasDerivedFrom c"}),
             boost::test_tools::per_element());
  BOOST_TEST(outcome(write({entity("b", {"x"}), entity("b", {"y"}), entity("x"), entity("y")})) == "ok 2");
  BOOST_TEST(record_of<schema::ProvEntity>(*engine, "ProvEntity:b").relations->size() == 2U);
}

BOOST_AUTO_TEST_CASE(a_derivation_has_the_activity_of_its_usage_in_either_order) {
  constexpr char const* usage = R"({"used":{"u":{"prov:activity":"r","prov:entity":"a"},
      "v":{"prov:activity":"s","prov:entity":"a"}}})";
  auto const derivation = [](std::string const& effect) {
    return R"({"wasDerivedFrom":{"_:1":{"prov:generatedEntity":")" + effect +
           R"(","prov:usedEntity":"a","prov:usage":"u"}}})";
  };
  import(derivation("before")).value();
  auto const early = engine->snapshot().tx();
  BOOST_TEST(outcome(import(usage)) == "ok 2");
  BOOST_TEST(outcome(import(derivation("after"))) == "ok 3");
  auto found = edges();
  std::ranges::sort(found);
  Edges const expected = {"after PROV_wasDerivedFrom a",
                          "after PROV_wasDerivedFrom r",
                          "before PROV_wasDerivedFrom a",
                          "before PROV_wasDerivedFrom r",
                          "r PROV_used a",
                          "s PROV_used a"};
  BOOST_TEST(found == expected, boost::test_tools::per_element());
  BOOST_TEST(record_of<schema::ProvEntity>(*engine, "ProvEntity:before").relations->size() == 1U);
  BOOST_TEST(edges_of(engine->snapshot().as_of(early)).size() == 1U);
  BOOST_TEST(outcome(import(usage)) == "unchanged 3");
  BOOST_TEST(outcome(import(derivation("before"))) == "unchanged 3");
}

BOOST_AUTO_TEST_CASE(a_later_document_that_closes_a_cycle_is_kept_without_influence) {
  import(R"({"wasDerivedFrom":{"_:1":{"prov:generatedEntity":"a","prov:usedEntity":"b"},
      "_:2":{"prov:generatedEntity":"b","prov:usedEntity":"c"}}})")
      .value();
  auto const answer = import(R"({"wasDerivedFrom":{"_:1":{"prov:generatedEntity":"c","prov:usedEntity":"new"},
      "_:2":{"prov:generatedEntity":"new","prov:usedEntity":"a"},
      "_:3":{"prov:generatedEntity":"c","prov:usedEntity":"x"},"_:4":{"prov:generatedEntity":"c","prov:usedEntity":"c"}}})");
  BOOST_TEST(outcome(answer) == "ok 2");
  BOOST_TEST(warnings(answer) == "0 /relations/2/other prov_cycle\n0 /relations/0/other prov_cycle");
  Edges const expected = {"a PROV_wasDerivedFrom b", "b PROV_wasDerivedFrom c", "c PROV_wasDerivedFrom new*",
                          "c PROV_wasDerivedFrom x", "new PROV_wasDerivedFrom a"};
  auto found = edges();
  std::ranges::sort(found);
  BOOST_TEST(found == expected, boost::test_tools::per_element());
  auto const now = engine->snapshot();
  auto const c = now.find(schema::RecordType::prov_entity, "c").value();
  auto const fresh = now.find(schema::RecordType::prov_entity, "new").value();
  BOOST_TEST(graph::influences(now, c, fresh));
  BOOST_TEST(!graph::influences(now, fresh, c));
}

BOOST_AUTO_TEST_CASE(things_of_others_may_be_derived_from_ours) {
  write({unit("cu_a")}).value();
  constexpr char const* document = R"({"wasDerivedFrom":{
      "_:1":{"prov:generatedEntity":"x","prov:usedEntity":"urn:whence:ContextUnit:cu_a"},
      "_:2":{"prov:generatedEntity":"x","prov:usedEntity":"urn:whence:ContextUnit:cu_none"}}})";
  BOOST_TEST(outcome(import(document)) == "ok 2");
  BOOST_TEST(edges() == Edges{"x PROV_wasDerivedFrom cu_a"}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(relations_of_records_must_lead_to_known_nodes) {
  BOOST_TEST(outcome(write({entity("a", {"none"})})) == "0 /relations/0/other invalid_record unknown_reference");
  BOOST_TEST(outcome(write({entity("a", {"b"}), entity("b")})) == "ok 1");
}

BOOST_AUTO_TEST_CASE(relations_of_known_records_must_lead_to_known_nodes_too) {
  write({entity("a"), entity("b")}).value();
  BOOST_TEST(outcome(write({entity("a", {"b", "b", "none"})})) ==
             "0 /relations/2/other invalid_record unknown_reference");
  BOOST_TEST(outcome(write({entity("a", {"b", "b"})})) == "ok 2");
}

BOOST_AUTO_TEST_CASE(a_relation_that_closes_a_cycle_is_kept_without_influence) {
  auto const answer = write({entity("a", {"b"}), entity("b", {"c"}), entity("c", {"x", "a"}), entity("x")});
  BOOST_TEST(outcome(answer) == "ok 1");
  BOOST_TEST(warnings(answer) == "2 /relations/1/other prov_cycle");
  Edges const expected = {"a PROV_wasDerivedFrom b", "b PROV_wasDerivedFrom c", "c PROV_wasDerivedFrom x",
                          "c PROV_wasDerivedFrom a*"};
  BOOST_TEST(edges() == expected, boost::test_tools::per_element());
  BOOST_TEST(engine->snapshot().edge_count(schema::EdgeType::prov_was_derived_from) == 4U);
}

// The order of the records does not decide whether there is a cycle.
BOOST_AUTO_TEST_CASE(relations_to_later_records_alone_are_no_cycle) {
  auto const answer = write({entity("a", {"b", "c"}), entity("b", {"c"}), entity("c")});
  BOOST_TEST(outcome(answer) == "ok 1");
  BOOST_TEST(warnings(answer) == "");
}

BOOST_AUTO_TEST_CASE(each_of_several_cycles_loses_one_relation) {
  auto const answer = write({entity("a", {"b", "b"}), entity("b", {"a", "c"}), entity("c", {"b", "a"})});
  BOOST_TEST(warnings(answer) ==
             "1 /relations/0/other prov_cycle\n2 /relations/0/other prov_cycle\n"
             "2 /relations/1/other prov_cycle");
}

BOOST_AUTO_TEST_CASE(a_relation_of_a_node_to_itself_is_in_its_record_only) {
  auto const answer = write({entity("a", {"a", "b"}), entity("b")});
  BOOST_TEST(outcome(answer) == "ok 1");
  BOOST_TEST(warnings(answer) == "0 /relations/0/other prov_cycle");
  BOOST_TEST(edges() == Edges{"a PROV_wasDerivedFrom b"}, boost::test_tools::per_element());
  BOOST_TEST(record_of<schema::ProvEntity>(*engine, "ProvEntity:a").relations->size() == 2U);
}

BOOST_AUTO_TEST_CASE(relations_without_influence_may_go_round) {
  auto const answer = import(R"({"alternateOf":{"_:1":{"prov:alternate1":"a","prov:alternate2":"b"},
      "_:2":{"prov:alternate1":"b","prov:alternate2":"a"}}})");
  BOOST_TEST(warnings(answer) == "");
}

BOOST_AUTO_TEST_CASE(a_long_ring_is_cut_once) {
  constexpr int length = 20'000;
  std::vector<schema::Record> ring;
  for (int i = 0; i < length; ++i) ring.push_back(entity(std::to_string(i), {std::to_string((i + 1) % length)}));
  auto const answer = write(std::move(ring));
  BOOST_TEST(outcome(answer) == "ok 1");
  BOOST_TEST(warnings(answer) == std::to_string(length - 1) + " /relations/0/other prov_cycle");
  auto const now = engine->snapshot();
  BOOST_TEST(graph::influences(now, graph::VertexId{length - 1}, graph::VertexId{0}));
}

BOOST_AUTO_TEST_CASE(a_store_with_things_of_others_opens_as_it_was) {
  write({unit("cu_a"), entity("a", {"b"}), entity("b", {"a"})}).value();
  import(R"({"prefix":{"ex":"http://e/"},"bundle":{"ex:b":{"entity":{"ex:a":[{"v":1.0},{}]},
      "used":{"ex:u":[{"prov:activity":"ex:r","prov:entity":"urn:whence:ContextUnit:cu_a"}]}}}})")
      .value();
  auto const before = edges();
  auto const text = text_of(*engine, "ProvActivity:http://e/r#bundle=http://e/b");
  BOOST_TEST(before.size() == 3U);
  engine.reset();
  BOOST_TEST(store::verify(config.directory).value().is_ok);
  open();
  BOOST_TEST(edges() == before, boost::test_tools::per_element());
  BOOST_TEST(text_of(*engine, "ProvActivity:http://e/r#bundle=http://e/b") == text);
  BOOST_TEST(outcome(write({entity("b", {"a"})})) == "unchanged 2");
}

BOOST_AUTO_TEST_SUITE_END()

// --- copies ---

/// All records and edges of a graph, sorted.
std::vector<std::string> lines_of(engine::Engine const& engine) {
  std::vector<std::string> lines;
  auto const now = engine.snapshot();
  for (std::uint32_t i = 0; i < now.vertex_count(); ++i) {
    graph::VertexId const vertex{i};
    auto const ref = schema::format_ref(now.type(vertex), now.id(vertex));
    lines.push_back(ref + " " + schema::json::to_text(record_at(engine, now, ref)));
    auto const causes = now.causes(vertex);
    for (std::size_t k = 0; k < causes.size(); ++k) {
      auto const value = now.value(causes.edges[k]);
      lines.push_back(ref + " " + std::string(name_of(now.type(causes.edges[k]))) + " " +
                      std::string(now.id(causes.vertices[k])) + " " + (value ? std::to_string(*value) : "-"));
    }
  }
  std::ranges::sort(lines);
  return lines;
}

/// All records as an export shows them: a summary with its whole text.
std::vector<schema::Record> exported(engine::Engine const& engine) {
  std::vector<schema::Record> records;
  auto const now = engine.snapshot();
  for (std::uint32_t i = 0; i < now.vertex_count(); ++i) {
    graph::VertexId const vertex{i};
    records.push_back(record_at(engine, now, schema::format_ref(now.type(vertex), now.id(vertex))));
    if (auto* attachment = std::get_if<schema::XmlMessageAttachment>(&records.back())) attachment->hash.clear();
    auto* summary = std::get_if<schema::Summary>(&records.back());
    if (summary == nullptr || !summary->increment) continue;
    summary->content = "all of it";
    summary->increment.reset();
  }
  return records;
}

BOOST_AUTO_TEST_CASE(a_copy_ends_as_the_graph_it_was_made_of) {
  EngineFixture original;
  auto const say = [&](std::string const& id, schema::ResponseParts const& parts, std::int64_t minute) {
    original.write_batch(ensured({attachment("t", id, parts, minute)})).value();
  };
  say("m1", said({about("one", true, {{"k", 0.5}, {"l", 0.25}})}, "First."), 0);
  say("m2", said({about("one", false, {{"k", 0.75}}), about("two", true, {{"n", 1}})}, "Second."), 1);
  EngineFixture copy;
  auto given = batch(exported(*original.engine));
  given.keeps_derived = true;
  auto const answer = copy.write_batch(std::move(given));
  BOOST_TEST_REQUIRE(outcome(answer) == "ok 1");
  BOOST_TEST(warnings(answer).find("is_new") == std::string::npos);
  BOOST_TEST(lines_of(*copy.engine) == lines_of(*original.engine), boost::test_tools::per_element());
  copy.reopen();
  BOOST_TEST(lines_of(*copy.engine) == lines_of(*original.engine), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_copy_makes_nothing_that_it_is_not_given) {
  EngineFixture copy;
  auto given = batch(
      {topic("t"), message("m", "t"), attachment("t", "m", said({about("one", true, {{"k", 0.5}})}, "First."), 0)});
  given.keeps_derived = true;
  BOOST_TEST(outcome(copy.write_batch(std::move(given))) == "ok 1");
  BOOST_TEST(copy.engine->snapshot().vertex_count() == 3U);
}

}  // namespace
}  // namespace whence::test
