// A group as messages of a stream: what is cut comes together again, and only that.

#include "store/replicated/group_parts.hpp"

#include "store/replicated/nats_address.hpp"

#include <array>
#include <string>

#include <boost/test/unit_test.hpp>

namespace whence::test {
namespace {

using store::GroupAssembly;
using store::PartName;

std::vector<std::byte> bytes(std::string_view text) {
  auto const view = std::as_bytes(std::span{text});
  return {view.begin(), view.end()};
}

std::string joined(std::optional<std::vector<std::byte>> const& group) {
  if (!group) return "nothing";
  return {reinterpret_cast<char const*>(group->data()), group->size()};
}

BOOST_AUTO_TEST_SUITE(group_parts)

BOOST_AUTO_TEST_CASE(pieces_are_no_larger_than_asked_and_none_is_missing) {
  std::string const text = "abcdefgh";
  auto const whole = std::as_bytes(std::span{text});
  BOOST_TEST(store::cut(whole, 3).size() == 3);
  BOOST_TEST(store::cut(whole, 8).size() == 1);
  BOOST_TEST(store::cut({}, 8).size() == 1);
}

BOOST_AUTO_TEST_CASE(a_name_comes_back_and_other_texts_are_none) {
  PartName const name{"ab12", 2, 3};
  BOOST_CHECK(store::parse_part_name(store::to_text(name)) == name);
  for (auto const* const wrong : {"", "/", "a/1", "/1/1", "a/0/1", "a/2/1", "a/1/1/1", "a/x/1", "a/1/", "a/-1/1"}) {
    BOOST_TEST_CONTEXT(wrong) {
      BOOST_CHECK(!store::parse_part_name(wrong));
    }
  }
}

BOOST_AUTO_TEST_CASE(parts_that_follow_each_other_are_a_group) {
  GroupAssembly assembly;
  BOOST_TEST(joined(assembly.add({"g", 1, 3}, bytes("a"))) == "nothing");
  BOOST_TEST(joined(assembly.add({"g", 2, 3}, bytes("b"))) == "nothing");
  BOOST_TEST(joined(assembly.add({"g", 3, 3}, bytes("c"))) == "abc");
  BOOST_TEST(joined(assembly.add({"h", 1, 1}, bytes("d"))) == "d");
}

// What "expected last message id" is for: without it the second part of a group whose first was refused would stand
// behind another group's first part, and be taken for its second.
BOOST_AUTO_TEST_CASE(parts_of_a_group_that_another_interrupts_are_void) {
  GroupAssembly assembly;
  BOOST_TEST(joined(assembly.add({"g", 1, 2}, bytes("a"))) == "nothing");
  BOOST_TEST(joined(assembly.add({"other", 1, 1}, bytes("x"))) == "x");
  BOOST_TEST(joined(assembly.add({"g", 2, 2}, bytes("b"))) == "nothing");
  BOOST_TEST(joined(assembly.add({"h", 2, 2}, bytes("b"))) == "nothing");
  BOOST_TEST(joined(assembly.add({"g", 1, 2}, bytes("a"))) == "nothing");
  BOOST_TEST(joined(assembly.add({"h", 2, 2}, bytes("b"))) == "nothing");
}

BOOST_AUTO_TEST_CASE(an_address_names_servers_and_a_stream) {
  auto const address = store::parse_nats_address("nats://a:1,user:secret@b:2/graph").value();
  BOOST_CHECK((address.servers == std::vector<std::string>{"nats://a:1", "nats://user:secret@b:2"}));
  BOOST_TEST(address.stream == "graph");
  for (auto const* const wrong : {"", "a:1/graph", "http://a/graph", "nats://a:1", "nats:///graph", "nats://a:1/",
                                  "nats://a:1/a.b", "nats://,a/graph", "nats://a/gr aph"}) {
    BOOST_TEST_CONTEXT(wrong) {
      BOOST_CHECK(!store::parse_nats_address(wrong));
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace whence::test
