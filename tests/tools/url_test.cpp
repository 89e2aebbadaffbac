// Addresses on the command line.

#include "tools/cli/transport/url.hpp"

#include <ostream>

#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

using namespace whence;

namespace {

struct UrlCase {
  std::string_view text;
  bool is_valid;
  bool is_tls = false;
  std::string_view authority = {};
  std::string_view path = {};
};
std::ostream& operator<<(std::ostream& out, UrlCase const& each) {
  return out << each.text;
}

constexpr UrlCase url_cases[] = {
    {"http://127.0.0.1:7411", true, false, "127.0.0.1:7411"},
    {"ws://localhost:7411/ws", true, false, "localhost:7411"},
    {"https://example.org", true, true, "example.org:443"},
    {"wss://example.org/", true, true, "example.org:443"},
    {"http://[::1]:80", true, false, "[::1]:80"},
    {"http://127.0.0.1:7411/ns/a", true, false, "127.0.0.1:7411", "/ns/a"},
    {"http://127.0.0.1:7411/ns/a/", true, false, "127.0.0.1:7411", "/ns/a"},
    {"wss://example.org/ns/a/ws", true, true, "example.org:443", "/ns/a"},
    {"http://example.org/ns/a/rpc/?x=/y#z", true, false, "example.org:80", "/ns/a"},
    {"http://example.org?x", true, false, "example.org:80"},
    {"127.0.0.1:7411", false},
    {"ftp://127.0.0.1", false},
    {"http://", false},
    {"http://:7411", false},
    {"http://host:", false},
    {"http://host:65536", false},
    {"http://::1:80", false},
    {"http://me:secret@host", false},
};

constexpr UrlCase listen_cases[] = {
    {"127.0.0.1:0", true, false, "127.0.0.1:0"},
    {"[::]:7411", true, false, "[::]:7411"},
    {"localhost:65535", true, false, "localhost:65535"},
    {"localhost", false},
    {":7411", false},
    {"a:b", false},
    {"", false},
};

constexpr UrlCase origin_cases[] = {
    {"http://localhost:3000", true},
    {"https://example.org", true},
    {"https://[::1]:8443", true},
    {"foo", false},
    {"*", false},
    {"null", false},
    {"ws://example.org", false},
    {"http://", false},
    {"http://*", false},
    {"http://example.org/", false},
    {"http://me@example.org", false},
};

}  // namespace

BOOST_AUTO_TEST_SUITE(url)

BOOST_DATA_TEST_CASE(reads_a_url, boost::unit_test::data::make(url_cases), sample) {
  Result<tools::Url> const url = tools::parse_url(sample.text);
  BOOST_REQUIRE(url.has_value() == sample.is_valid);
  if (!url) return;
  BOOST_TEST(url->is_tls == sample.is_tls);
  BOOST_TEST(tools::authority_of(*url) == sample.authority);
  BOOST_TEST(url->path == sample.path);
}

BOOST_DATA_TEST_CASE(knows_an_origin, boost::unit_test::data::make(origin_cases), sample) {
  BOOST_TEST(tools::is_origin(sample.text) == sample.is_valid);
}

BOOST_AUTO_TEST_CASE(reads_several_urls_each_once) {
  auto const urls = tools::parse_urls("http://a:1, ws://b:2/ws,,http://a:1/,");
  BOOST_REQUIRE(urls.has_value());
  BOOST_REQUIRE(urls->size() == 2U);
  BOOST_TEST(tools::authority_of(urls->front()) == "a:1");
  BOOST_TEST(tools::authority_of(urls->back()) == "b:2");
  BOOST_TEST(!tools::parse_urls("http://a:1,b:2").has_value());
  BOOST_TEST(!tools::parse_urls(" , ").has_value());
}

BOOST_AUTO_TEST_CASE(does_not_repeat_a_secret_in_the_error) {
  BOOST_TEST(tools::parse_url("http://me:secret@host").error().message.find("secret") == std::string::npos);
}

BOOST_DATA_TEST_CASE(reads_host_and_port, boost::unit_test::data::make(listen_cases), sample) {
  Result<tools::HostPort> const read = tools::parse_host_port(sample.text);
  BOOST_REQUIRE(read.has_value() == sample.is_valid);
  if (!read) return;
  tools::Url const url{.host = read->host, .port = std::to_string(read->port)};
  BOOST_TEST(tools::authority_of(url) == sample.authority);
}

BOOST_AUTO_TEST_SUITE_END()
