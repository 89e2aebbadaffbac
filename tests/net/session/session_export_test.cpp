// export.start, export.status, export.cancel and admin.restore, as a connection sees them.

#include "schema/base/digest.hpp"
#include "tests/net/session/session_fixture.hpp"
#include "tests/support/wait_until.hpp"

#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <vector>

#include <boost/json/serialize.hpp>

namespace whence::test {
namespace {

/// A unit, a response on it, a rating that deprecates the unit.
struct ExportFixture : SessionFixture {
  ExportFixture() {
    put({unit("cu_a"), response("resp_1", {{"cu_a", 1}})});
    put({feedback("fb_1", "resp_1", -0.8)});
  }

  std::string start(std::string const& params) { return result("export.start", params).at("job").as_string().c_str(); }

  json::value wait(std::string const& job) {
    json::value status;
    BOOST_TEST_REQUIRE(wait_until([&] {
      status = result("export.status", R"({"job":")" + job + R"("})");
      return status.at("state") != "running";
    }));
    return status;
  }

  std::string read(std::string const& job, json::value const& status, std::size_t file = 0) {
    auto const found = service->find_export(job, status.at("files").at(file).at("name").as_string().c_str());
    BOOST_REQUIRE(found.has_value());
    std::ifstream in{found->path, std::ios::binary};
    return {std::istreambuf_iterator<char>{in}, {}};
  }

  std::string exported(std::string const& params) {
    auto const job = start(params);
    return read(job, wait(job));
  }

  bool has_export_files() {
    return std::filesystem::exists(engine->directory() / "exports") &&
           !std::filesystem::is_empty(engine->directory() / "exports");
  }
};

BOOST_FIXTURE_TEST_CASE(an_export_lists_the_files_it_wrote, ExportFixture) {
  json::value const started = result("export.start", R"({"format":"jsonl","as_of":1})");
  BOOST_TEST(started.at("tx").as_int64() == 1);
  std::string const job = started.at("job").as_string().c_str();
  json::value const status = wait(job);
  BOOST_TEST(status.at("state") == "done");
  BOOST_TEST(status.at("done") == status.at("total"));
  json::value const& file = status.at("files").at(0);
  BOOST_TEST(file.at("url").as_string() == "/export/" + job + "/export.jsonl");
  auto const text = read(job, status);
  BOOST_TEST(file.at("bytes").as_int64() == static_cast<std::int64_t>(text.size()));
  BOOST_TEST(file.at("sha256").as_string() == schema::to_hex(schema::sha256(text)));
  json::value const& manifest = status.at("manifest");
  BOOST_TEST(manifest.at("as_of").as_int64() == 1);
  BOOST_TEST(manifest.at("select") == "whole");
  BOOST_TEST(manifest.at("counts") == json::parse(R"({"nodes":{"ContextUnit":1,"Response":1},"edges":{"USED_IN":1}})"));
  BOOST_TEST(manifest.at("closed").as_bool());
}

BOOST_FIXTURE_TEST_CASE(a_selection_is_the_nodes_of_the_answer_and_their_edges, ExportFixture) {
  auto const text = exported(
      R"({"format":"csv","select":{"method":"lineage.ancestors","params":{"ref":"Response:resp_1","limit":1}}})");
  BOOST_TEST(text.find("\nContextUnit:cu_a,") != std::string::npos);
  BOOST_TEST(text.find("\nResponse:resp_1,") != std::string::npos);
  BOOST_TEST(text.find("FeedbackRecord:") == std::string::npos);
}

struct Refused {
  std::string params;
  int code;
  std::string path;
};

std::vector<Refused> const refused = {
    {R"({})", -32602, "/format"},
    {R"({"format":"pdf"})", -32602, "/format"},
    {R"({"format":"dot","select":"half"})", -32602, "/select"},
    {R"({"format":"dot","select":{"method":"node.find"}})", -32602, "/select/method"},
    {R"({"format":"dot","select":{"method":"trace","params":[]}})", -32602, "/select/params"},
    {R"({"format":"dot","select":{"method":"lineage.graph","params":{"ref":"cu_a","as_of":1}}})", -32602,
     "/select/params/as_of"},
    {R"({"format":"dot","select":{"method":"lineage.graph","params":{"ref":"cu_none"}}})", -32020,
     "/select/params/ref"},
    {R"({"format":"dot","as_of":99})", -32602, "/as_of"},
    {R"({"format":"csv","options":{"formulas":"run"}})", -32602, "/options/formulas"},
    {R"({"format":"dot","options":{"level":9}})", -32602, "/options/level"},
    {R"({"format":"dot","reduced":1})", -32602, "/reduced"},
    {R"({"format":"jsonl","reduced":true})", -32602, "/reduced"},
    {R"({"format":"prov-json","reduced":true})", -32602, "/reduced"},
    {R"({"format":"prov-n","reduced":true})", -32602, "/reduced"},
    {R"({"format":"dot","options":{"formulas":"escape"}})", -32602, "/options/formulas"},
    {R"({"format":"jsonl","options":{"direction":"influence"}})", -32602, "/options/direction"},
};

BOOST_FIXTURE_TEST_CASE(wrong_params_of_an_export_are_reported_by_path, ExportFixture) {
  for (auto const& each : refused) {
    BOOST_TEST_CONTEXT(each.params) {
      json::value const answered = call("export.start", each.params);
      BOOST_REQUIRE(answered.as_object().contains("error"));
      BOOST_TEST(answered.at("error").at("code").as_int64() == each.code);
      BOOST_TEST(answered.at("error").at("data").at("path").as_string() == each.path);
    }
  }
}

BOOST_FIXTURE_TEST_CASE(a_reduced_export_counts_the_edges_it_leaves_out, ExportFixture) {
  put({derived("cu_b", {"cu_a"}), derived("cu_c", {"cu_a", "cu_b"})});
  json::value const whole = wait(start(R"({"format":"dot"})")).at("manifest");
  json::value const reduced = wait(start(R"({"format":"dot","reduced":true})")).at("manifest");
  BOOST_TEST(!whole.as_object().contains("reduced_edges"));
  BOOST_TEST(reduced.at("reduced_edges").as_int64() == 1);
  auto const derivations = [](json::value const& manifest) {
    return manifest.at("counts").at("edges").at("DERIVED_FROM").as_int64();
  };
  BOOST_TEST(derivations(whole) == 3);
  BOOST_TEST(derivations(reduced) == 2);
  BOOST_TEST(reduced.at("counts").at("nodes") == whole.at("counts").at("nodes"));
}

BOOST_FIXTURE_TEST_CASE(a_cancelled_export_leaves_nothing, ExportFixture) {
  auto const job = start(R"({"format":"csv"})");
  BOOST_TEST(wait(job).at("state") == "done");
  BOOST_TEST(has_export_files());
  BOOST_TEST(result("export.cancel", R"({"job":")" + job + R"("})").at("state") == "cancelled");
  BOOST_TEST(!has_export_files());
  BOOST_TEST(!service->find_export(job, "nodes.csv").has_value());
  BOOST_TEST(result("export.status", R"({"job":")" + job + R"("})").at("files").as_array().empty());
  BOOST_TEST(error_code("export.status", R"({"job":"exp_none"})") == -32020);
  BOOST_TEST(error_code("export.cancel", R"({"job":"../exp"})") == -32020);
}

BOOST_AUTO_TEST_CASE(files_go_with_the_service) {
  ServiceWorld world;
  world.put({unit("cu_a")});
  auto const folder = world.engine->directory() / "exports";
  std::string const start = R"({"jsonrpc":"2.0","id":1,"method":"export.start","params":{"format":"csv"}})";
  BOOST_TEST(json::parse(world.service->call(start, net::Role::read)).as_object().contains("result"));
  BOOST_TEST(wait_until([&] { return std::filesystem::exists(folder); }));
  world.service.reset();
  BOOST_TEST(!std::filesystem::exists(folder));
}

/// The lines of the fixture's history as the params of a restore.
struct RestoreFixture : ExportFixture {
  RestoreFixture() {
    std::string const text = exported(R"({"format":"jsonl"})");
    for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1) {
      lines.push_back(json::parse(text.substr(at, text.find('\n', at) - at)).as_object());
    }
    original = text;
  }

  /// Answers of a restore into an empty store.
  json::value restore(json::array const& events, bool is_dry_run = false) {
    ServiceWorld empty;
    Connection connection{empty, {.grant = {.role = net::Role::admin}}};
    auto const params = json::serialize(json::object{{"events", events}, {"dry_run", is_dry_run}});
    json::value answered = connection.answer(connection.ask("admin.restore", params));
    head = schema::number(empty.engine->snapshot().tx());
    return answered;
  }

  json::array events() const { return json::array(lines.begin(), lines.end()); }

  std::vector<json::object> lines;
  std::string original;
  std::uint64_t head = 0;
};

BOOST_FIXTURE_TEST_CASE(a_history_comes_back, RestoreFixture) {
  BOOST_REQUIRE(lines.size() == 4);  // unit, response, rating, and what it did to the unit
  BOOST_TEST(restore(events()).at("result").at("tx").as_int64() == 2);
  BOOST_TEST(head == 2);
  BOOST_TEST(restore(events(), true).at("result").at("tx").as_int64() == 2);
  BOOST_TEST(head == 0);
}

/// One way to damage a history, and the line that the error names.
struct Damage {
  std::string name;
  std::function<void(json::array&)> harm;
  std::string path;
};

std::vector<Damage> const damages = {
    {"no object", [](json::array& events) { events[1] = 7; }, "/line/2"},
    {"unknown op", [](json::array& events) { events[1].at("op") = "merge"; }, "/line/2"},
    {"no ref", [](json::array& events) { events[0].as_object().erase("ref"); }, "/line/1"},
    {"ref of another", [](json::array& events) { events[0].at("ref") = "ContextUnit:cu_b"; }, "/line/1"},
    {"record of another type", [](json::array& events) { events[0].at("ref") = "Topic:cu_a"; }, "/line/1"},
    {"weight on the edge", [](json::array& events) { events[1].at("edges").at(0).at("weight") = 0.5; }, "/line/2"},
    {"an edge too few", [](json::array& events) { events[1].at("edges").as_array().clear(); }, "/line/2"},
    {"an edge to nowhere", [](json::array& events) { events[1].at("edges").at(0).at("from") = "ContextUnit:cu_x"; },
     "/line/2"},
    {"an edge that may not be", [](json::array& events) { events[1].at("edges").at(0).at("type") = "CITES"; },
     "/line/2"},
    {"status", [](json::array& events) { events[3].at("status") = "updated"; }, "/line/4"},
    {"score", [](json::array& events) { events[3].at("score") = -0.7; }, "/line/4"},
    {"a line too few", [](json::array& events) { events.erase(events.begin() + 3); }, "/line/3"},
    {"a line twice", [](json::array& events) { events.push_back(events[3]); }, "/line/5"},
    {"a put twice",
     [](json::array& events) {
       json::value const again = events[0];
       events.insert(events.begin() + 1, again);
     },
     "/line/2"},
    {"time going back",
     [](json::array& events) {
       for (std::size_t i : {2U, 3U}) events[i].at("at") = "2001-01-01T00:00:00Z";
     },
     "/line/3"},
    {"two times of one transaction", [](json::array& events) { events[3].at("at") = "2099-01-01T00:00:00Z"; },
     "/line/4"},
    {"a transaction left out", [](json::array& events) { events[2].at("tx") = 3; }, "/line/3"},
    {"a bad record", [](json::array& events) { events[0].at("record").at("version") = 0; }, "/line/1"},
    {"an unknown member", [](json::array& events) { events[0].as_object()["more"] = 1; }, "/line/1"},
};

BOOST_FIXTURE_TEST_CASE(a_damaged_history_is_refused_with_its_line_and_nothing_is_kept, RestoreFixture) {
  for (auto const& damage : damages) {
    BOOST_TEST_CONTEXT(damage.name) {
      auto broken = events();
      damage.harm(broken);
      json::value const answered = restore(broken);
      BOOST_REQUIRE(answered.as_object().contains("error"));
      BOOST_TEST(answered.at("error").at("code").as_int64() == -32030, answered);
      BOOST_TEST(answered.at("error").at("data").at("path").as_string() == damage.path, answered);
      BOOST_TEST(head == 0);
    }
  }
}

BOOST_FIXTURE_TEST_CASE(a_history_goes_on_where_the_store_is, RestoreFixture) {
  auto const params = json::serialize(json::object{{"events", events()}});
  BOOST_TEST(error_code("admin.restore", params) == -32042);  // this store has these transactions
  Connection reader{*this, {.grant = {.role = net::Role::write}}};
  BOOST_TEST(reader.answer(reader.ask("admin.restore", params)).at("error").at("code").as_int64() == -32011);
}

}  // namespace
}  // namespace whence::test
