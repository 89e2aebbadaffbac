#include "net/rpc/answer_cache.hpp"
#include "net/rpc/page.hpp"

#include <boost/test/unit_test.hpp>

namespace whence::net {
namespace {

queries::List numbers(std::string_view name, std::size_t first, std::size_t size) {
  return {name, size, [first](schema::json::Writer& out, std::size_t begin, std::size_t end) -> Result<void> {
            for (std::size_t i = begin; i < end; ++i) out.value(std::uint64_t{first + i});
            return {};
          }};
}

// Attached items write themselves as -(place + 1).
queries::Attached attached(std::vector<std::size_t> anchors) {
  return {"edges", std::move(anchors), [](schema::json::Writer& out, std::size_t item) -> Result<void> {
            out.value(-static_cast<std::int64_t>(item) - 1);
            return {};
          }};
}

Result<void> no_check() {
  return {};
}

std::string page(PagedAnswer const& answer, ItemRange range) {
  std::string text;
  schema::json::Writer out(text);
  out.begin_object();
  auto const end = answer.write_page(
      out, range, [] { return false; }, no_check);
  BOOST_TEST(end.value() == range.end);
  out.end_object();
  return text;
}

BOOST_AUTO_TEST_CASE(pages_run_through_the_lists_as_one_sequence) {
  PagedAnswer const answer({.lists = {numbers("a", 0, 3), numbers("b", 10, 2)}}, schema::TxId{1});
  BOOST_TEST(answer.size() == 5U);
  BOOST_TEST(page(answer, {0, 2}) == R"({"a":[0,1],"b":[]})");
  BOOST_TEST(page(answer, {2, 4}) == R"({"a":[2],"b":[10]})");
  BOOST_TEST(page(answer, {4, 5}) == R"({"a":[],"b":[11]})");
}

BOOST_AUTO_TEST_CASE(attached_items_come_with_the_page_of_their_anchor_in_their_own_order) {
  PagedAnswer const answer({.lists = {numbers("a", 0, 4)}, .attached = {attached({3, 0, 1, 0, 2})}}, schema::TxId{1});
  BOOST_TEST(page(answer, {0, 2}) == R"({"a":[0,1],"edges":[-2,-3,-4]})");
  BOOST_TEST(page(answer, {2, 4}) == R"({"a":[2,3],"edges":[-1,-5]})");
  BOOST_TEST(answer.size_with_attached({0, 2}) == 5U);
}

BOOST_AUTO_TEST_CASE(a_page_stopped_in_the_middle_returns_its_end) {
  PagedAnswer const answer({.lists = {numbers("a", 0, 1000), numbers("b", 0, 5)}, .attached = {attached({999})}},
                           schema::TxId{1});
  std::string text;
  schema::json::Writer out(text);
  int asked = 0;
  out.begin_object();
  auto const end = answer.write_page(
      out, {0, 1005}, [&] { return ++asked > 2; }, no_check);
  out.end_object();
  BOOST_TEST(end.value() > 0U);
  BOOST_TEST(end.value() < 1000U);
  BOOST_TEST(text.ends_with(R"(],"b":[],"edges":[]})"));
}

// As where there is no memory for more of the text.
BOOST_AUTO_TEST_CASE(a_page_ends_where_its_check_fails) {
  PagedAnswer const answer({.lists = {numbers("a", 0, 5)}, .attached = {attached(std::vector<std::size_t>(5000, 0))}},
                           schema::TxId{1});
  for (int const last : {1, 2, 9}) {
    std::string text;
    schema::json::Writer out(text);
    int asked = 0;
    out.begin_object();
    auto const end = answer.write_page(
        out, {0, 5}, [] { return false; },
        [&]() -> Result<void> {
          if (++asked < last) return {};
          return Error{.code = Errc::busy, .message = "no room"};
        });
    BOOST_TEST((!end && end.error().code == Errc::busy));
    BOOST_TEST(asked == last);
  }
}

BOOST_AUTO_TEST_CASE(the_cache_drops_the_least_recently_used_beyond_its_bytes) {
  auto const answer =
      std::make_shared<PagedAnswer const>(queries::PageSource{.lists = {numbers("a", 0, 10)}}, schema::TxId{1});
  AnswerCache cache(2 * answer->weight() + 100);
  cache.keep("one", answer);
  cache.keep("two", answer);
  BOOST_TEST(cache.find("one") != nullptr);
  cache.keep("three", answer);
  BOOST_TEST(cache.find("one") != nullptr);
  BOOST_TEST(cache.find("two") == nullptr);
  BOOST_TEST(cache.find("three") != nullptr);
}

BOOST_AUTO_TEST_CASE(the_cache_does_not_keep_an_answer_larger_than_itself) {
  auto const answer = std::make_shared<PagedAnswer const>(queries::PageSource{}, schema::TxId{1});
  AnswerCache cache(answer->weight() - 1);
  cache.keep("one", answer);
  BOOST_TEST(cache.find("one") == nullptr);
}

}  // namespace
}  // namespace whence::net
