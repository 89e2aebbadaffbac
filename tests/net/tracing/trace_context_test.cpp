// The header `traceparent`, and the address of a collector: what is taken and what is none.

#include "net/tracing/trace_context.hpp"

#include "net/tracing/tracer.hpp"

#include <ostream>
#include <string>
#include <vector>

#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

namespace data = boost::unit_test::data;
using namespace whence;

BOOST_AUTO_TEST_SUITE(tracing)

namespace {

struct HeaderCase {
  char const* name;
  std::string header;
  bool is_taken;
  bool is_sampled = false;

  friend std::ostream& operator<<(std::ostream& out, HeaderCase const& each) { return out << each.name; }
};

constexpr char const* trace_id = "4bf92f3577b34da6a3ce929d0e0e4736";
constexpr char const* span_id = "00f067aa0ba902b7";

std::string header_of(std::string const& version, std::string const& flags) {
  return version + "-" + trace_id + "-" + span_id + "-" + flags;
}

std::vector<HeaderCase> const header_cases = {
    {"sampled", header_of("00", "01"), true, true},
    {"not_sampled", header_of("00", "00"), true, false},
    {"unknown_flags", header_of("00", "ff"), true, true},
    {"even_flags", header_of("00", "fe"), true, false},
    {"later_version", header_of("01", "01"), true, true},
    {"later_version_with_more", header_of("01", "01") + "-more", true, true},
    {"later_version_glued", header_of("01", "01") + "more", false},
    {"first_version_with_more", header_of("00", "01") + "-more", false},
    {"version_ff", header_of("ff", "01"), false},
    {"upper_case", "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01", false},
    {"no_trace", "00-00000000000000000000000000000000-00f067aa0ba902b7-01", false},
    {"no_span", "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01", false},
    {"no_hex", "00-4bf92f3577b34da6a3ce929d0e0e473g-00f067aa0ba902b7-01", false},
    {"no_dashes", "00_4bf92f3577b34da6a3ce929d0e0e4736_00f067aa0ba902b7_01", false},
    {"short", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0", false},
    {"empty", "", false},
};

struct TargetCase {
  char const* url;
  char const* host;
  std::uint16_t port;
  char const* path;

  friend std::ostream& operator<<(std::ostream& out, TargetCase const& each) { return out << each.url; }
};

std::vector<TargetCase> const target_cases = {
    {"http://localhost:4318/v1/traces", "localhost", 4318, "/v1/traces"},
    {"http://collector", "collector", 4318, "/v1/traces"},
    {"http://collector/", "collector", 4318, "/v1/traces"},
    {"http://127.0.0.1:80/api/otlp", "127.0.0.1", 80, "/api/otlp"},
    {"http://[::1]:9/x", "::1", 9, "/x"},
    {"http://[::1]", "::1", 4318, "/v1/traces"},
};

}  // namespace

BOOST_DATA_TEST_CASE(a_header_is_taken_or_none, data::make(header_cases), each) {
  auto const context = net::parse_traceparent(each.header);
  BOOST_REQUIRE_EQUAL(context.has_value(), each.is_taken);
  if (!context) return;
  BOOST_TEST(context->trace == trace_id);
  BOOST_TEST(context->parent == span_id);
  BOOST_TEST(context->is_sampled == each.is_sampled);
}

BOOST_DATA_TEST_CASE(an_address_of_a_collector, data::make(target_cases), each) {
  auto const target = net::parse_trace_target(each.url);
  BOOST_REQUIRE(target);
  BOOST_TEST(target->host == each.host);
  BOOST_TEST(target->port == each.port);
  BOOST_TEST(target->path == each.path);
}

BOOST_AUTO_TEST_CASE(addresses_that_are_none) {
  for (auto const* const url : {"", "collector:4318", "https://collector/v1/traces", "http://", "http://:4318/",
                                "http://h:/", "http://h:0/", "http://h:65536/", "http://h:1x/", "http://[::1",
                                "http://[::1]x", "http://h/a b", "http://u@h/", "http://h/?q", "http://h\r\nX: y/"}) {
    BOOST_TEST_CONTEXT(url) {
      BOOST_TEST(!net::parse_trace_target(url));
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()
