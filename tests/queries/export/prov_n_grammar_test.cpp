// The tokens of PROV-N at their bounds.
#include "queries/export/prov/grammar.hpp"

#include <string>
#include <string_view>

#include <boost/test/unit_test.hpp>

namespace whence::test {
namespace {

using exports::PercentCodes;

BOOST_AUTO_TEST_SUITE(prov_n_grammar)

BOOST_AUTO_TEST_CASE(takes_times_of_xsd_and_nothing_else) {
  for (auto const* const time : {"2020-01-01T00:00:00", "2020-12-31T23:59:59Z", "2020-01-01T00:00:00.123456+14:00",
                                 "-0044-03-15T12:00:00-13:59", "12020-01-01T00:00:00Z", "2020-01-01T24:00:00.000Z"}) {
    BOOST_TEST(exports::is_prov_n_time(time), time);
  }
  for (auto const* const text :
       {"", "2020", "2020-01-01", "2020-01-01 00:00:00", "2020-1-01T00:00:00", "02020-01-01T00:00:00",
        "2020-13-01T00:00:00", "2020-01-32T00:00:00", "2020-01-01T25:00:00", "2020-01-01T24:00:01",
        "2020-01-01T00:00:00.", "2020-01-01T00:00:00+15:00", "2020-01-01T00:00:00+14:01", "2020-01-01T00:00:00Z)",
        "2020-01-01T00:00:00z", " 2020-01-01T00:00:00Z", "yesterday"}) {
    BOOST_TEST(!exports::is_prov_n_time(text), text);
  }
}

BOOST_AUTO_TEST_CASE(takes_prefixes_and_makes_one_of_any_text) {
  for (auto const* const prefix : {"ex", "e.x", "a-b", "a_1", "\xC3\xA9", "\xE6\x97\xA5"}) {
    BOOST_TEST(exports::is_prov_n_prefix(prefix), prefix);
    BOOST_TEST(exports::prov_n_prefix(prefix) == prefix);
  }
  for (auto const* const text :
       {"", "1x", "_", "_a", "-a", ".a", "a.", "a b", "a<b", "a\nb", "\xC2\xB7x", "\xC3\x97"}) {
    BOOST_TEST(!exports::is_prov_n_prefix(text), text);
    auto const made = exports::prov_n_prefix(text);
    BOOST_TEST(exports::is_prov_n_prefix(made), made);
  }
}

BOOST_AUTO_TEST_CASE(makes_another_iri_of_each_text_that_is_none) {
  BOOST_TEST(exports::is_prov_n_iri("http://e/%20?q=(1)#\xC3\xA9"));
  for (auto const* const text : {"http://e/ ", "<", ">", "\"", "{", "}", "|", "^", "`", "\\", "\n", "\x01"}) {
    BOOST_TEST(!exports::is_prov_n_iri(text), text);
    BOOST_TEST(exports::is_prov_n_iri(exports::prov_n_iri_of(text)));
  }
  BOOST_TEST(exports::prov_n_iri_of("http://e/ ") == "urn:whence:iri:http://e/%20");
  BOOST_TEST(exports::prov_n_iri_of("http://e/ %20") == "urn:whence:iri:http://e/%20%2520");
}

BOOST_AUTO_TEST_CASE(writes_each_name_as_another_local_part) {
  struct Row {
    std::string_view local;
    std::string_view written;
  };
  for (auto const& [local, written] :
       {Row{"a1_", "a1_"}, Row{"1", "1"}, Row{"a/@~&+*?#$!", "a/@~&+*?#$!"},
        Row{"='(),:;[]", "\\=\\'\\(\\)\\,\\:\\;\\[\\]"}, Row{"a.b-c", "a.b-c"}, Row{".", "\\."}, Row{"-", "\\-"},
        Row{"a b", "a%20b"}, Row{"a%20b", "a%2520b"}, Row{"\xC2\xB7", "%C2%B7"}, Row{"a\xC2\xB7", "a\xC2\xB7"},
        Row{"\xE2\x80\x8B", "%E2%80%8B"}, Row{"\xF0\x9F\x98\x80", "\xF0\x9F\x98\x80"}, Row{"", ""}}) {
    std::string out;
    bool const is_encoded = exports::append_prov_n_local(out, local, PercentCodes::escape);
    BOOST_TEST(out == written);
    BOOST_TEST(is_encoded == (written.find('%') != std::string_view::npos));
  }
  std::string out;
  BOOST_TEST(exports::append_prov_n_local(out, "a%2Fb%", PercentCodes::keep));
  BOOST_TEST(out == "a%2Fb%25");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace whence::test
