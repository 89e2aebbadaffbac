// Claim: no valid request ends the service, fails inside it, or is answered by what its description does not say: a
// number that is none, or nothing where there is always something.
//
// Method: requests are made from the service's own description, over stores that hold a record of every kind of the
// demo, what was deleted, expired and purged, a cycle of PROV that was cut, and a unit that is updated again and again
// by the response that used it (each 32nd store 1,100 times). Each answer is compared with the schema of its method.
// WHENCE_REQUESTS is how many are sent; after 20,000 a new store begins, with the seed that is printed, so that
// WHENCE_TEST_SEED repeats what failed there.

#include "net/service/service.hpp"
#include "schema/prov/document.hpp"
#include "tests/hostile/request_maker.hpp"
#include "tests/hostile/schema_check.hpp"
#include "tests/support/fixtures.hpp"
#include "tests/support/seed.hpp"
#include "tools/cli/verbs/demo_story.hpp"

#include <cctype>
#include <chrono>
#include <cstdint>
#include <iostream>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/test/unit_test.hpp>

namespace whence::test {
namespace {

namespace json = boost::json;

constexpr std::uint64_t requests_of_a_store = 20'000;
constexpr int loop_long = 1'100;  ///< of each 32nd store: its questions take a hundred times longer
constexpr int loop_short = 12;
constexpr std::int64_t begin = 1'760'950'800;  ///< 2025-10-20T09:00:00Z, after the demo's records
constexpr std::int64_t day = 86'400;
constexpr std::string_view cycle = R"({"prefix":{"ex":"http://e.org/"},"entity":{"ex:a":{},"ex:b":{},"ex:c":{}},
"wasDerivedFrom":{"_:1":{"prov:generatedEntity":"ex:a","prov:usedEntity":"ex:b"},
"_:2":{"prov:generatedEntity":"ex:b","prov:usedEntity":"ex:c"},"_:3":{"prov:generatedEntity":"ex:c","prov:usedEntity":"ex:a"}}})";

net::ServiceConfig settings() {
  queries::RetentionParser parser;
  for (auto const* const rule :
       {"Response=1d", "Message=1d", "Query=1d", "Summary=1d", "DiscussionRound=1d", "RetrievedChunk=1d"})
    BOOST_REQUIRE(parser.take(rule).has_value());
  return {.read_timeout = std::chrono::milliseconds{100}, .retention = parser.finish()};
}

/// A unit that is updated by the response which used it, `loop` times, in one batch.
std::string chain(int loop) {
  json::array records;
  std::string last;
  for (int i = 0; i <= loop; ++i) {
    auto const id = "cu_loop_" + std::to_string(i);
    json::object unit{{"$type$", "ContextUnit"}, {"id", id},      {"version", i + 1},
                      {"type", "System"},        {"source", "s"}, {"timestamp", "2025-10-19T16:15:00Z"}};
    if (i > 0) {
      auto const response = "resp_loop_" + std::to_string(i);
      records.push_back({{"$type$", "Response"},
                         {"id", response},
                         {"timestamp", "2025-10-19T16:15:00Z"},
                         {"agent", "a"},
                         {"model", "m"},
                         {"context_units", json::array{{{"context_unit_id", last}, {"weight", 1}}}}});
      unit["previous_version_id"] = last;
      unit["updated_by_response_id"] = response;
    }
    records.push_back(std::move(unit));
    last = id;
  }
  return json::serialize(json::object{{"records", std::move(records)}});
}

/// Three entities, each derived from the next.
std::string cut_cycle() {
  auto const import = schema::json::read_prov_json(cycle).value();
  std::string params;
  for (auto const& record : import.records) params.append(params.empty() ? "{\"records\":[" : ",").append(record);
  return params + "]}";
}

struct Store : EngineFixture {
  Store() {
    config.is_durable = false;  // no claim is about the disk
    config.search = engine::SearchBy::index;
    config.files = directory.path() / "files";
    reopen();
  }
};

/// One store with everything in it, and what is known of the answers to come.
struct Asked : Store {
  explicit Asked(std::uint64_t seed)
      : seed_(seed), described_(json::parse(service.openrpc()).as_object()), maker_(described_, seed) {
    for (json::value const& method : described_.at("methods").as_array()) {
      results_[std::string{method.at("name").as_string()}] = &method.at("result").at("schema");
      params_[std::string{method.at("name").as_string()}] = &method.at("params").as_array();
    }
    fill();
  }

  /// Sends a request and looks at its answer.
  void ask(json::object const& request) {
    auto const text = json::serialize(request);
    std::string_view const method = request.at("method").as_string();
    BOOST_TEST_CONTEXT("seed " << seed_ << ": " << text) {
      auto const& params = request.at("params").as_object();
      if (!params.contains("cursor")) look_at_request(method, params);
      auto const begun = std::chrono::steady_clock::now();
      auto const answered = service.call(text, net::Role::admin);
      auto const took = std::chrono::steady_clock::now() - begun;
      if (took > slowest_took) {
        slowest_took = took;
        slowest = text.substr(0, 500);
      }
      boost::system::error_code failed;
      auto const answer = json::parse(answered, failed, {}, {.max_depth = 256});
      BOOST_REQUIRE_MESSAGE(!failed, "no JSON: " << answered.substr(0, 2'000));
      BOOST_TEST_REQUIRE(answer.at("id") == request.at("id"));
      auto const* const result = answer.as_object().if_contains("result");
      ++(result == nullptr ? refusals : results);
      if (result == nullptr) {
        auto const code = answer.at("error").at("code").as_int64();
        BOOST_TEST_REQUIRE(code != internal_error, answered.substr(0, 2'000));
        return;
      }
      methods_answered.emplace(method);
      BOOST_TEST(is_finite(*result), answered.substr(0, 2'000));
      if (auto const fault = check_.fault(*result, *results_.at(std::string{method})))
        tell(std::string{method} + *fault, answered);
      maker_.learn(method, params, *result);
    }
  }

  void ask_any() {
    if (++asked_ % 100 == 0) clock.set({begin + 3 * day + static_cast<std::int64_t>(asked_), 1});
    ask(maker_.make());
  }

  std::uint64_t results = 0;
  std::uint64_t refusals = 0;
  std::set<std::string, std::less<>> methods_answered;
  std::chrono::steady_clock::duration slowest_took{};
  std::string slowest;  ///< the beginning of the request

 private:
  static constexpr std::int64_t internal_error = -32603;

  /// Each fault once, wherever in a list it is.
  void tell(std::string fault, std::string_view answered) {
    std::erase_if(fault, [](unsigned char c) { return std::isdigit(c) != 0; });
    if (!told_.insert(fault).second) return;
    BOOST_ERROR(fault << ": " << answered.substr(0, 2'000));
  }

  json::value result(std::string_view method, std::string_view params) {
    std::string const text =
        R"({"jsonrpc":"2.0","id":1,"method":")" + std::string{method} + R"(","params":)" + std::string{params} + "}";
    auto const answer = json::parse(service.call(text, net::Role::admin), {}, {.max_depth = 256});
    BOOST_REQUIRE_MESSAGE(answer.as_object().contains("result"), method << ": " << answer);
    return answer.at("result");
  }

  void fill() {
    clock.set({begin, 0});
    for (auto const& batch : tools::story_batches()) result("records.write", batch);
    result("rag.answer", tools::story_answer());
    for (std::string_view const type : types()) learn_refs(type);  // the old ones, some of which will be gone
    result("records.delete", R"({"refs":["Keyword:529-plan"],"force":true})");
    clock.set({begin + 3 * day, 0});
    result("admin.retention", "{}");
    result("records.write", cut_cycle());
    int const loop = seed_ % 32 == 0 ? loop_long : loop_short;
    result("records.write", chain(loop));
    result("records.purge", R"({"refs":["Response:resp_loop_7"]})");
    result("records.delete", R"({"refs":["ProvEntity:http://e.org/b"],"force":true})");
    for (std::string_view const type : types()) learn_refs(type);
    for (auto const* const ref :
         {"ContextUnit:cu_loop_0", "ProvEntity:http://e.org/b", "Response:resp_loop_7", "Response:no_such"})
      maker_.know(ref);
    maker_.know("Response:resp_loop_" + std::to_string(loop));
    maker_.know("cu_loop_" + std::to_string(loop));
    maker_.learn("", {}, result("server.info", "{}"));
  }

  std::vector<std::string> types() {
    std::vector<std::string> names;
    for (json::value const& each : described_.at("components").at("schemas").at("RecordType").at("enum").as_array())
      names.emplace_back(each.as_string());
    return names;
  }

  void learn_refs(std::string_view type) {
    auto const params = R"({"limit":40,"include":["record"],"type":")" + std::string{type} + R"("})";
    auto const found = result("node.find", params);
    for (json::value const& node : found.at("nodes").as_array()) maker_.know(std::string{node.at("ref").as_string()});
    for (int i = 0; i < 8; ++i) maker_.learn("", {}, found);
  }

  /// The maker makes what the description allows.
  void look_at_request(std::string_view method, json::object const& params) const {
    for (json::value const& each : *params_.at(std::string{method})) {
      auto const* const given = params.if_contains(each.at("name").as_string());
      // Records that were read have members that only the server sets; the service looks at each.
      if (given == nullptr || each.at("name").as_string() == "records") continue;
      auto const fault = check_.fault(*given, each.at("schema"), std::string{each.at("name").as_string()});
      BOOST_TEST_REQUIRE(!fault.has_value(), "the request: " << fault.value_or(""));
    }
  }

  net::Service service{*engine, settings(), clock};
  std::uint64_t seed_;
  std::uint64_t asked_ = 0;
  json::object described_;
  SchemaCheck check_{described_.at("components").at("schemas").as_object()};
  std::map<std::string, json::value const*> results_;
  std::map<std::string, json::array const*> params_;
  RequestMaker maker_;
  std::set<std::string> told_;
};

BOOST_AUTO_TEST_CASE(no_valid_request_fails_inside_or_is_answered_by_what_is_not_described) {
  auto const count = count_from_environment("WHENCE_REQUESTS", 1'000);
  auto seed = seed_from_environment();
  for (std::uint64_t sent = 0; sent < count; ++seed) {
    std::cerr << "seed " << seed << std::endl;  // also where the process ends  NOLINT(performance-avoid-endl)
    Asked asked{seed};
    for (std::uint64_t of_this = 0; of_this < requests_of_a_store && sent < count; ++of_this, ++sent) asked.ask_any();
    std::cerr << asked.results << " results of " << asked.methods_answered.size() << " methods, " << asked.refusals
              << " refusals, the slowest in "
              << std::chrono::duration_cast<std::chrono::milliseconds>(asked.slowest_took).count()
              << " ms: " << asked.slowest << '\n';
    BOOST_TEST(asked.results > asked.refusals / 3, "most requests are refused");
  }
}

}  // namespace
}  // namespace whence::test
