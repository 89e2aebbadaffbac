// Which of several offers of permessage-deflate is taken.
#include "net/stream/deflate.hpp"

#include <ostream>
#include <string_view>

#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

namespace whence::net {
namespace {

struct OfferCase {
  char const* name;
  std::string_view offers;
  std::string_view taken;
};
std::ostream& operator<<(std::ostream& out, OfferCase const& one) {
  return out << one.name;
}

OfferCase const offer_cases[] = {
    {"one", "permessage-deflate", "permessage-deflate"},
    {"with_parameters", "permessage-deflate; client_max_window_bits; server_max_window_bits=10",
     "permessage-deflate; client_max_window_bits; server_max_window_bits=10"},
    {"quoted", "permessage-deflate; server_max_window_bits=\"10\"",
     "permessage-deflate; server_max_window_bits=\"10\""},
    {"second_after_a_wrong_window", "permessage-deflate; server_max_window_bits=99, permessage-deflate",
     "permessage-deflate"},
    {"second_after_an_unknown_parameter", "permessage-deflate; x=1, permessage-deflate; client_max_window_bits=9",
     "permessage-deflate; client_max_window_bits=9"},
    {"behind_another_extension", "x-webkit-deflate-frame, permessage-deflate", "permessage-deflate"},
    {"twice_the_same", "permessage-deflate; client_no_context_takeover; client_no_context_takeover", ""},
    {"value_where_none_is", "permessage-deflate; server_no_context_takeover=1", ""},
    {"server_window_without_bits", "permessage-deflate; server_max_window_bits", ""},
    {"none", "", ""},
};

}  // namespace

BOOST_DATA_TEST_CASE(takes_the_first_valid_offer, boost::unit_test::data::make(offer_cases), one) {
  BOOST_TEST(find_valid_offer(one.offers) == one.taken);
}

}  // namespace whence::net
