#include "net/rpc/cursor.hpp"
#include "schema/encoding/base64.hpp"

#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

namespace whence::net {
namespace {

Cursor const sample{
    .epoch = "e", .tx = schema::TxId{7}, .offset = 20, .method = "node.find", .params = R"({"type":"Topic"})"};

BOOST_AUTO_TEST_CASE(base64url_returns_bytes_of_every_length) {
  std::string bytes;
  for (int i = 0; i < 300; ++i) {
    BOOST_TEST(schema::decode_base64url(schema::encode_base64url(bytes)).value() == bytes);
    bytes.push_back(static_cast<char>(i * 37));
  }
}

BOOST_AUTO_TEST_CASE(base64url_agrees_with_the_examples_of_its_standard) {
  BOOST_TEST(schema::encode_base64url("foob") == "Zm9vYg");
  BOOST_TEST(schema::encode_base64url("\xfb\xff") == "-_8");
}

BOOST_DATA_TEST_CASE(base64url_refuses_text_it_does_not_write,
                     boost::unit_test::data::make({"Zg==", "Z", "Zh", "Z g", "Zm9v+A", "Zm9vYg\n"}), text) {
  BOOST_TEST(!schema::decode_base64url(text).has_value());
}

BOOST_AUTO_TEST_CASE(a_cursor_comes_back_as_it_was) {
  BOOST_TEST((decode_cursor(encode_cursor(sample)).value() == sample));
}

BOOST_AUTO_TEST_CASE(a_cursor_is_refused_after_any_single_character_changed) {
  std::string const text = encode_cursor(sample);
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string damaged = text;
    damaged[i] = damaged[i] == 'A' ? 'B' : 'A';
    auto const decoded = decode_cursor(damaged);
    BOOST_TEST(!decoded.has_value());
    if (!decoded) BOOST_TEST(decoded.error().code == Errc::cursor_invalid);
  }
}

BOOST_AUTO_TEST_CASE(a_cursor_is_refused_when_cut_or_lengthened) {
  std::string const text = encode_cursor(sample);
  for (std::size_t length = 0; length < text.size(); ++length) BOOST_TEST(!decode_cursor(text.substr(0, length)));
  BOOST_TEST(!decode_cursor(text + "A"));
}

}  // namespace
}  // namespace whence::net
