// Refs: what names a node, and what does not.
#include "schema/types/ref.hpp"

#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

namespace whence::schema {
namespace {

namespace data = boost::unit_test::data;

struct Form {
  std::string given;
  std::string whole;  ///< empty: refused
};
std::ostream& operator<<(std::ostream& out, Form const& each) {
  return out << each.given;
}

std::vector<Form> const ref_forms = {
    {"cu_1", "ContextUnit:cu_1"},
    {"resp_1", "Response:resp_1"},
    {"fb_1", "FeedbackRecord:fb_1"},
    {"ContextUnit:cu_1", "ContextUnit:cu_1"},
    {"FeedbackRecord:mine", "FeedbackRecord:mine"},
    {"Topic:a:b", "Topic:a:b"},
    {"cu_a:b", "ContextUnit:cu_a:b"},
    {"Subject:t/a%2Fb", "Subject:t/a%2Fb"},
    {"Document:cu_1", "Document:cu_1"},
    {"Response:cu_1", "Response:cu_1"},
    {"topic_1", ""},
    {"Topic", ""},
    {"Topic:", ""},
    {"topic:a", ""},
    {":cu_1", ""},
    {"", ""},
    {"LineageManifest:resp_1", ""},
    {"Citation:x", ""},
};
BOOST_DATA_TEST_CASE(splits_refs_at_the_first_colon, data::make(ref_forms), each) {
  auto const ref = parse_ref(each.given);
  BOOST_TEST((ref ? format_ref(*ref) : "") == each.whole);
  if (!ref) {
    BOOST_TEST(ref.error().code == Errc::invalid_params);
    BOOST_TEST_REQUIRE(ref.error().violations.size() == 1U);
    BOOST_TEST(ref.error().violations.front().rule == "ref");
    BOOST_TEST(ref.error().violations.front().seen == "\"" + each.given + "\"");
  }
}

}  // namespace
}  // namespace whence::schema
