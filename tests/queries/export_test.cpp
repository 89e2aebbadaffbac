// Every graph format of one small graph with hostile texts: read back by Boost.Graph's own reader where it has one,
// held against exact bytes elsewhere.

#include "queries/export/export.hpp"

#include "queries/export/formats/table.hpp"
#include "queries/export/formats/xml_text.hpp"
#include "queries/export/members.hpp"
#include "queries/export/prov/qualified.hpp"
#include "schema/base/limits.hpp"
#include "schema/base/sink.hpp"
#include "tests/support/builders.hpp"
#include "tests/support/fixtures.hpp"

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/graphml.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <zstd.h>

namespace whence::test {
namespace {

/// Files in memory, by name.
struct MemoryFolder final : schema::SinkFolder {
  struct File final : schema::Sink {
    File(std::string file_name, std::string& into) : name(std::move(file_name)), text(into) {}
    void write(std::string_view bytes) override { text.append(bytes); }
    schema::FileSummary finish() override {
      return {.name = name, .bytes = text.size(), .sha256 = schema::sha256(text)};
    }
    std::string name;
    std::string& text;
  };

  std::unique_ptr<schema::Sink> open(std::string_view name) override {
    return std::make_unique<File>(std::string(name), texts[std::string(name)]);
  }

  std::map<std::string, std::string> texts;
};

/// Exports of an engine's newest state into memory.
struct ExportWorld : EngineFixture {
  exports::Source source() {
    auto const head = engine->snapshot();
    return {.view = {.snapshot = head, .records = &engine->records()},
            .read_deltas = [this, head](schema::TxId first,
                                        auto const& visit) { return engine->read_deltas(first, head, visit); },
            .epoch = engine->epoch(),
            .version = "test"};
  }

  exports::ExportReport run(exports::ExportRequest const& request) {
    files.texts.clear();
    return exports::write_export(source(), request, files, {}, schema::NoInterrupt{}).value();
  }

  std::string exported(std::string_view format, exports::FormatOptions options = {}) {
    report = run({.format = exports::find_format(format), .options = options});
    return read(report.files.back().name);
  }

  std::string read(std::string const& name) { return files.texts.at(name); }

  MemoryFolder files;
  exports::ExportReport report;
};

/// A unit whose source holds what formats stumble over, and a response on it.
struct HostileWorld : ExportWorld {
  HostileWorld() {
    auto hostile = unit("cu_a");
    hostile.source = source_text;
    BOOST_REQUIRE(write({hostile, response("resp_1", {{"cu_a", 1}})}).has_value());
  }
  std::string const source_text = "a\"b\\c\n<d>&]]>\r\t\x01\xEF\xBF\xBF,=1+1";
};

/// Nodes by ref and edges by their ends' refs, as Boost's reader understands a GraphML text.
struct ReadBack {
  std::map<std::string, std::map<std::string, std::string>> nodes;
  std::multimap<std::pair<std::string, std::string>, double> edges;
};

ReadBack read_graphml(std::string const& text) {
  struct NodeProperties {
    std::string ref;
    std::string type;
    std::string source;
  };
  struct EdgeProperties {
    double weight = -1;
  };
  boost::adjacency_list<boost::multisetS, boost::vecS, boost::directedS, NodeProperties, EdgeProperties> graph;
  boost::dynamic_properties properties(boost::ignore_other_properties);
  properties.property("ref", get(&NodeProperties::ref, graph));
  properties.property("type", get(&NodeProperties::type, graph));
  properties.property("source", get(&NodeProperties::source, graph));
  properties.property("weight", get(&EdgeProperties::weight, graph));
  std::istringstream in(text);
  boost::read_graphml(in, graph, properties);
  ReadBack read;
  for (auto const v : boost::make_iterator_range(vertices(graph))) {
    read.nodes[graph[v].ref] = {{"type", graph[v].type}, {"source", graph[v].source}};
  }
  for (auto const e : boost::make_iterator_range(edges(graph))) {
    read.edges.emplace(std::pair(graph[source(e, graph)].ref, graph[target(e, graph)].ref), graph[e].weight);
  }
  return read;
}

BOOST_FIXTURE_TEST_CASE(boost_reads_the_graphml, HostileWorld) {
  auto const read = read_graphml(exported("graphml"));
  BOOST_REQUIRE(read.nodes.size() == 2);
  auto source = read.nodes.at("ContextUnit:cu_a").at("source");
  std::erase_if(source,
                [](char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; });  // which this reader joins
  BOOST_TEST(source == "a\"b\\c<d>&]]>\uFFFD\uFFFD,=1+1");
  BOOST_REQUIRE(read.edges.size() == 1);
  BOOST_TEST((read.edges.begin()->first == std::pair<std::string, std::string>("ContextUnit:cu_a", "Response:resp_1")));
  BOOST_TEST(read.edges.begin()->second == 1.0);
  BOOST_TEST(report.manifest.find(R"("losses":[{"kind":"character_replaced","count":2}])") != std::string::npos,
             report.manifest);
}

BOOST_FIXTURE_TEST_CASE(json_forms_lose_nothing, HostileWorld) {
  auto const text = exported("node-link");
  BOOST_TEST(text.find(R"("source":"a\"b\\c\n<d>&]]>\r\t\u0001)"
                       "\xEF\xBF\xBF"
                       R"(,=1+1")") != std::string::npos,
             text);
  BOOST_TEST(report.manifest.find(R"("losses":[])") != std::string::npos);
}

BOOST_FIXTURE_TEST_CASE(fields_of_csv_are_quoted_where_they_must_be, HostileWorld) {
  exported("csv");
  auto const nodes = read("nodes.csv");
  BOOST_TEST(
      nodes.starts_with("ref,type,id,tx,status,gone,time,label,record\nContextUnit:cu_a,ContextUnit,cu_a,1,active,,"));
  BOOST_TEST(read("edges.csv") ==
             "from,to,type,tx,weight,attributes\nContextUnit:cu_a,Response:resp_1,USED_IN,1,1,\"{\"\"basis\"\":"
             "\"\"given\"\"}\"\n");
}

BOOST_FIXTURE_TEST_CASE(graphml_ids_are_numbers_and_the_refs_data, HostileWorld) {
  auto const text = exported("graphml");
  for (auto const part :
       {R"(<node id="n0"><data key="k0">ContextUnit:cu_a</data>)",
        R"(<node id="n1"><data key="k0">Response:resp_1</data>)", R"(<edge id="e0" source="n0" target="n1">)"}) {
    BOOST_TEST(text.find(part) != std::string::npos, part);
  }
  auto const head = engine->snapshot();
  exports::ExportRequest request{.format = exports::find_format("graphml")};
  request.selection.emplace(std::vector{head.find(schema::RecordType::response, "resp_1").value()},
                            head.vertex_count());
  run(request);
  BOOST_TEST(read("export.graphml").find(R"(<node id="n0"><data key="k0">Response:resp_1</data>)") !=
             std::string::npos);
}

BOOST_FIXTURE_TEST_CASE(dot_counts_what_readers_do_not_undo, ExportWorld) {
  schema::Topic topic;
  topic.id = "a\\b\\";
  topic.name = "c\\\nd\"";
  BOOST_REQUIRE(write({topic}).has_value());
  auto const text = exported("dot");
  BOOST_TEST(text.find(R"("Topic:a\\b\\" [label="c\\\nd\"", type="Topic"];)") != std::string::npos, text);
  BOOST_TEST(report.manifest.find(
                 R"("losses":[{"kind":"backslash_doubled","count":3},{"kind":"line_break_escaped","count":1}])") !=
                 std::string::npos,
             report.manifest);
}

BOOST_FIXTURE_TEST_CASE(texts_that_a_spreadsheet_would_run_are_escaped_on_request, ExportWorld) {
  std::vector<schema::Record> topics;
  int number = 0;
  for (auto const name : {"=1+1", "+1", "-1", "@x", "\tx", "\rx", "\nx", "x=1", "'=1"}) {
    schema::Topic topic;
    topic.id = "t" + std::to_string(++number);
    topic.name = name;
    topics.emplace_back(topic);
  }
  schema::Topic named;
  named.id = "=cmd";
  topics.emplace_back(named);
  bool const is_written = write(std::move(topics)).has_value();
  BOOST_REQUIRE(is_written);
  auto const escape = exports::FormatOptions{.formulas = exports::Formulas::escape};
  exported("csv", escape);
  auto const nodes = read("nodes.csv");
  for (auto const part : {",'=1+1,", ",'+1,", ",'-1,", ",'@x,", ",'\tx,", ",\"'\rx\",", ",\"'\nx\",", ",x=1,", ",'=1,",
                          "Topic:=cmd,Topic,'=cmd,1,,,,'=cmd,"}) {
    BOOST_TEST(nodes.find(part) != std::string::npos, part);
  }
  BOOST_TEST(report.manifest.find(R"("losses":[{"kind":"formula_escaped","count":9}])") != std::string::npos,
             report.manifest);
  exported("csv");
  BOOST_TEST(read("nodes.csv").find("Topic:=cmd,Topic,=cmd,1,,,,=cmd,") != std::string::npos);
}

BOOST_FIXTURE_TEST_CASE(prov_n_has_a_statement_for_each_member_and_no_word_as_a_prefix, ExportWorld) {
  schema::ProvEntity all;
  all.id = all.qname = "entity:all";
  all.attributes = schema::ProvAttributes{"{}"};
  all.prefixes = schema::PrefixMap{.entries = {{"entity", "http://e/"}}};
  all.relations = std::vector<schema::ProvRelation>{
      {.relation = "hadMember",
       .attributes = {R"({"prov:collection":"entity:all","prov:entity":["entity:a","entity:b"]})"}},
      {.relation = "hadMember", .attributes = {R"({"prov:collection":"entity:all","prov:entity":[]})"}}};
  BOOST_REQUIRE(write({all, unit("cu_a"), response("resp_1", {{"cu_a", 1}})}).has_value());
  auto const text = exported("prov-n");
  for (auto const part :
       {"prefix entity_ns <http://e/>", "prefix agent_ns <urn:whence:agent:>", "hadMember(entity_ns:all, entity_ns:a)",
        "hadMember(entity_ns:all, entity_ns:b)", "hadMember(entity_ns:all, -)", "agent(agent_ns:"}) {
    BOOST_TEST(text.find(part) != std::string::npos, part << " in " << text);
  }
  BOOST_TEST(report.manifest.find(R"({"kind":"argument_left_out","count":1})") != std::string::npos, report.manifest);
}

BOOST_FIXTURE_TEST_CASE(equal_requests_give_equal_bytes, HostileWorld) {
  for (auto const& row : exports::formats()) {
    auto const first = exported(row.name);
    BOOST_TEST(first == exported(row.name), row.name);
    BOOST_TEST(report.files.size() == row.files.size(), row.name);
  }
}

BOOST_FIXTURE_TEST_CASE(the_empty_graph_is_a_document_too, ExportWorld) {
  BOOST_TEST(exported("jsonl").empty());
  BOOST_TEST(exported("prov-json") == "{\"prefix\":{\"whence\":\"urn:whence:ns#\"}}\n");
  BOOST_TEST(exported("cytoscape") ==
             "{\"data\":[],\"directed\":true,\"multigraph\":true,\"elements\":{\"nodes\":[],\"edges\":[]}}\n");
  BOOST_TEST(read_graphml(exported("graphml")).nodes.empty());
}

BOOST_FIXTURE_TEST_CASE(a_selection_has_the_edges_among_its_nodes, HostileWorld) {
  auto const head = engine->snapshot();
  auto const resp = head.find(schema::RecordType::response, "resp_1").value();
  exports::ExportRequest request{.format = exports::find_format("csv")};
  request.selection.emplace(std::vector{resp, resp}, head.vertex_count());
  auto const made = run(request);
  BOOST_TEST(read("edges.csv") == "from,to,type,tx,weight,attributes\n");
  BOOST_TEST(made.manifest.find(R"("counts":{"nodes":{"Response":1},"edges":{}})") != std::string::npos, made.manifest);
  BOOST_TEST(made.manifest.find(R"("closed":false)") != std::string::npos);
}

BOOST_FIXTURE_TEST_CASE(compressed_files_are_one_zstd_frame, HostileWorld) {
  auto const plain = exported("jsonl");
  auto const packed = exported("jsonl", {.compression = exports::Compression::zstd});
  BOOST_REQUIRE(report.files.size() == 1);
  BOOST_TEST(report.files.front().name == "export.jsonl.zst");
  BOOST_TEST(report.files.front().bytes == packed.size());
  std::string text(plain.size() + 1, '\0');
  auto const size = ZSTD_decompress(text.data(), text.size(), packed.data(), packed.size());
  BOOST_REQUIRE(ZSTD_isError(size) == 0U);
  BOOST_TEST(text.substr(0, size) == plain);
}

/// cu_a -> cu_b, cu_d -> cu_c -> resp_1, a shortcut cu_a -> cu_c, and a rating, whose edge has no influence.
struct ShortcutWorld : ExportWorld {
  ShortcutWorld() {
    BOOST_REQUIRE(write({unit("cu_a"), derived("cu_b", {"cu_a"}), derived("cu_d", {"cu_a"}),
                         derived("cu_c", {"cu_a", "cu_b", "cu_d"}), response("resp_1", {{"cu_c", 1}}),
                         feedback("fb_1", "resp_1", 0.5)})
                      .has_value());
  }

  exports::Selection selection(std::initializer_list<std::string_view> units) {
    auto const head = engine->snapshot();
    std::vector<schema::VertexId> vertices;
    for (auto const id : units) vertices.push_back(head.find(schema::RecordType::context_unit, id).value());
    return {std::move(vertices), head.vertex_count()};
  }

  bool has_shortcut() { return read("edges.csv").find("ContextUnit:cu_c,ContextUnit:cu_a,") != std::string::npos; }
};

BOOST_FIXTURE_TEST_CASE(a_reduced_export_leaves_out_edges_that_longer_paths_imply, ShortcutWorld) {
  exports::ExportRequest request{.format = exports::find_format("csv")};
  auto const whole = run(request);
  BOOST_TEST(has_shortcut());
  BOOST_TEST(whole.manifest.find("reduced_edges") == std::string::npos, whole.manifest);
  auto const lines = std::ranges::count(read("edges.csv"), '\n');
  request.is_reduced = true;
  auto const reduced = run(request);
  BOOST_TEST(!has_shortcut());
  BOOST_TEST(std::ranges::count(read("edges.csv"), '\n') == lines - 1);
  BOOST_TEST(reduced.manifest.find(R"("edges":{"DERIVED_FROM":4,"EVALUATES":1,"USED_IN":1}},"reduced_edges":1,)") !=
                 std::string::npos,
             reduced.manifest);
  BOOST_TEST(reduced.manifest.find(R"("closed":true)") != std::string::npos, reduced.manifest);
}

BOOST_FIXTURE_TEST_CASE(only_paths_among_the_exported_nodes_imply_an_edge, ShortcutWorld) {
  exports::ExportRequest request{.format = exports::find_format("csv"), .is_reduced = true};
  request.selection.emplace(selection({"cu_a", "cu_b", "cu_c"}));
  auto const with_path = run(request);
  BOOST_TEST(!has_shortcut());
  BOOST_TEST(with_path.manifest.find(R"("edges":{"DERIVED_FROM":2}},"reduced_edges":1,)") != std::string::npos,
             with_path.manifest);
  request.selection.emplace(selection({"cu_a", "cu_c"}));
  auto const without = run(request);
  BOOST_TEST(has_shortcut());
  BOOST_TEST(without.manifest.find(R"("edges":{"DERIVED_FROM":1}},"reduced_edges":0,)") != std::string::npos,
             without.manifest);
}

BOOST_FIXTURE_TEST_CASE(formats_without_edges_of_their_own_refuse_to_be_reduced, ShortcutWorld) {
  std::string refused;
  for (auto const& row : exports::formats()) {
    auto const made =
        exports::write_export(source(), {.format = &row, .is_reduced = true}, files, {}, schema::NoInterrupt{});
    BOOST_TEST(made.has_value() == row.has_edges, row.name);
    if (made) continue;
    refused.append(row.name).append(" ");
    BOOST_TEST(made.error().code == Errc::invalid_params);
    BOOST_TEST(made.error().violations.at(0).rule == "reduced");
    for (auto const name : row.files) BOOST_TEST(!files.texts.contains(std::string(name)), row.name);
  }
  BOOST_TEST(refused == "jsonl prov-json prov-n ");
}

BOOST_FIXTURE_TEST_CASE(options_that_a_format_has_no_place_for_are_refused, ShortcutWorld) {
  using exports::FormatOptions;
  std::string escaped;
  std::string turned;
  auto const is_taken = [&](exports::Format const& row, FormatOptions const& options, char const* rule) {
    auto const made =
        exports::write_export(source(), {.format = &row, .options = options}, files, {}, schema::NoInterrupt{});
    if (!made) BOOST_TEST(made.error().violations.at(0).rule == rule);
    return made.has_value();
  };
  for (auto const& row : exports::formats()) {
    if (is_taken(row, FormatOptions{.formulas = exports::Formulas::escape}, "formulas"))
      escaped.append(row.name).append(" ");
    if (is_taken(row, FormatOptions{.direction = exports::EdgeDirection::influence}, "direction"))
      turned.append(row.name).append(" ");
  }
  BOOST_TEST(escaped == "csv ");
  BOOST_TEST(turned == "graphml dot node-link cytoscape csv ");
}

BOOST_FIXTURE_TEST_CASE(too_many_nodes_are_not_reduced, ShortcutWorld) {
  std::vector<schema::VertexId> vertices;  // that need not exist, because the request is refused by their number
  for (std::uint32_t i = 0; i <= schema::limits::reduction_vertices_max; ++i) vertices.push_back(schema::VertexId{i});
  auto const count = static_cast<std::uint32_t>(vertices.size());
  exports::ExportRequest request{.format = exports::find_format("csv"), .is_reduced = true};
  request.selection.emplace(std::move(vertices), count);
  auto const refused = exports::write_export(source(), request, files, {}, schema::NoInterrupt{});
  BOOST_REQUIRE(!refused.has_value());
  BOOST_TEST(refused.error().code == Errc::limit_exceeded);
  BOOST_TEST(refused.error().message.find("10000") != std::string::npos, refused.error().message);
  BOOST_TEST(files.texts.empty());
}

struct Local {
  std::string id;
  std::string name;
};

std::vector<Local> const local_parts = {
    {"t/a+b", "Subject:t/a%2Bb"}, {"a=b'c:d.", "Subject:a%3Db%27c%3Ad%2E"},
    {"-a-", "Subject:%2Da%2D"},   {"\xC3\xA4", "Subject:%C3%A4"},
    {"_x9", "Subject:_x9"},       {".", "Subject:%2E"},
};

BOOST_AUTO_TEST_CASE(qualified_names_escape_forbidden_characters_of_a_local_part) {
  for (auto const& each : local_parts) BOOST_TEST(exports::qualified_name("Subject", each.id) == each.name);
}

BOOST_AUTO_TEST_CASE(members_of_compact_json_are_found_without_parsing) {
  std::vector<std::pair<std::string, std::string>> members;
  exports::for_each_member(R"({"a":"x\"},{","b":{"c":[1,"]"]},"d":-1e3,"e":""})",
                           [&](std::string_view name, std::string_view json) { members.emplace_back(name, json); });
  std::vector<std::pair<std::string, std::string>> const wanted = {
      {"a", R"("x\"},{")"}, {"b", R"({"c":[1,"]"]})"}, {"d", "-1e3"}, {"e", R"("")"}};
  BOOST_TEST((members == wanted));
  std::string buffer;
  BOOST_TEST(exports::plain_text(R"("a\u0001\n\\\"")", buffer) == "a\x01\n\\\"");
  BOOST_TEST(exports::plain_text("[1]", buffer) == "[1]");
}

}  // namespace
}  // namespace whence::test
