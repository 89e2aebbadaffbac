// Params as flags: the command line follows the tables of the methods.

#include "tools/cli/options/param_flags.hpp"

#include "schema/base/time.hpp"
#include "schema/json/json.hpp"
#include "tools/cli/process/exit_code.hpp"
#include "tools/cli/verbs/read_verbs.hpp"

#include <algorithm>
#include <ostream>

#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

using namespace whence;
using tools::FlagKind;

namespace {

struct FlagCase {
  std::string_view name;
  FlagKind kind;
  std::vector<std::string> values;
  std::string expected;  ///< of member `p`; empty: refused
};
std::ostream& operator<<(std::ostream& out, FlagCase const& each) {
  return out << each.name;
}

std::vector<FlagCase> const flag_cases = {
    {"text", FlagKind::text, {"a,b"}, R"("a,b")"},
    {"number", FlagKind::number, {"-0.5"}, "-0.5"},
    {"no_number", FlagKind::number, {"x"}, ""},
    {"yes", FlagKind::boolean, {"true"}, "true"},
    {"no", FlagKind::boolean, {"false"}, "false"},
    {"names", FlagKind::names, {"A,B"}, R"(["A","B"])"},
    {"texts", FlagKind::texts, {"a,b", "c"}, R"(["a,b","c"])"},
    {"transaction", FlagKind::moment, {"17"}, "17"},
    {"time", FlagKind::moment, {"2025-10-09T16:15:00Z"}, R"("2025-10-09T16:15:00Z")"},
    {"range", FlagKind::range, {"2025-10-09T16:15:00Z,"}, R"(["2025-10-09T16:15:00Z",null])"},
    {"days",
     FlagKind::range,
     {"2025-10-09,2025-10-10"},
     R"(["2025-10-09T00:00:00Z","2025-10-10T23:59:59.999999999Z"])"},
    {"half_a_range", FlagKind::range, {"2025-10-09T16:15:00Z"}, ""},
};

}  // namespace

BOOST_AUTO_TEST_SUITE(param_flags)

BOOST_DATA_TEST_CASE(turns_text_into_json, boost::unit_test::data::make(flag_cases), sample) {
  boost::json::object params;
  tools::BoundFlag const bound{.flag = {"p", sample.kind, false, ""}, .values = sample.values};
  Result<void> const put = tools::put_param(params, bound);
  BOOST_REQUIRE(put.has_value() == !sample.expected.empty());
  if (put) BOOST_TEST(schema::json::to_text(params.at("p")) == sample.expected);
}

BOOST_AUTO_TEST_CASE(a_moment_may_be_written_as_people_do) {
  auto const now = *schema::parse_rfc3339("2026-03-01T12:30:00.5Z");
  BOOST_TEST(tools::moment_of("now", now) == "2026-03-01T12:30:00.5Z");
  BOOST_TEST(tools::moment_of("today", now) == "2026-03-01T23:59:59.999999999Z");
  BOOST_TEST(tools::moment_of("yesterday", now) == "2026-02-28T23:59:59.999999999Z");
  BOOST_TEST(tools::moment_of("2025-10-11", now) == "2025-10-11T23:59:59.999999999Z");
  BOOST_TEST(tools::moment_of("-2h", now) == "2026-03-01T10:30:00.5Z");
  BOOST_TEST(tools::moment_of("-90m", now) == "2026-03-01T11:00:00.5Z");
  BOOST_TEST(tools::moment_of("-1d", now) == "2026-02-28T12:30:00.5Z");
  for (auto const* const other :
       {"2025-10-09T16:15:00Z", "2025-02-30", "-h", "-2x", "2h", "", "tomorrow", "-1234567890s", "-999999999d"}) {
    BOOST_TEST(tools::moment_of(other, now) == other);
  }
}

BOOST_AUTO_TEST_CASE(a_day_since_which_something_is_asked_is_within) {
  boost::json::object params;
  BOOST_REQUIRE(tools::put_param(params, {.flag = {"since", FlagKind::moment, false, ""}, .values = {"2025-10-11"}}));
  BOOST_TEST(schema::json::to_text(params.at("since")) == R"("2025-10-11T00:00:00Z")");
}

BOOST_AUTO_TEST_CASE(leaves_out_what_was_not_given) {
  boost::json::object params;
  BOOST_REQUIRE(tools::put_param(params, {.flag = {"p", FlagKind::text, false, ""}}));
  BOOST_TEST(params.empty());
}

BOOST_AUTO_TEST_CASE(names_flags_with_dashes) {
  BOOST_TEST(tools::flag_name("edge_types") == "--edge-types");
  BOOST_TEST(tools::flag_name("discussionId") == "--discussion-id");
}

BOOST_AUTO_TEST_CASE(takes_the_flags_of_a_verb_from_its_method) {
  auto const flags = tools::flags_of<queries::LineageParams>();
  BOOST_REQUIRE(!flags.empty());
  BOOST_TEST(flags.front().name == "ref");
  BOOST_TEST(flags.front().is_required);
}

BOOST_AUTO_TEST_CASE(every_positional_is_a_param_of_its_verb) {
  for (tools::ReadVerb const& verb : tools::read_verbs()) {
    BOOST_TEST_CONTEXT(verb.name) {
      for (std::string_view positional : verb.positionals) {
        auto const flags = verb.flags();
        BOOST_TEST(std::any_of(flags.begin(), flags.end(), [&](auto const& flag) { return flag.name == positional; }));
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(errors_without_a_row_are_failures) {
  BOOST_TEST((tools::exit_code_of(-32020) == tools::ExitCode::not_found));
  BOOST_TEST((tools::exit_code_of(-32603) == tools::ExitCode::failure));
}

BOOST_AUTO_TEST_SUITE_END()
