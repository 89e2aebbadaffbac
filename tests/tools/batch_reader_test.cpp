// Which lines go into which transaction.

#include "tools/cli/verbs/batch_reader.hpp"

#include <sstream>

#include <boost/test/unit_test.hpp>

using namespace whence;
using tools::Batch;
using tools::BatchReader;

namespace {

/// All batches of `text`, and the message of the error that ended them.
struct Read {
  std::vector<Batch> batches;
  std::string error;
};

Read read(std::string const& text, tools::BatchBounds bounds = {}, bool ensure = false) {
  std::istringstream in{text};
  BatchReader reader{in, ensure, bounds};
  Read all;
  for (;;) {
    Result<std::optional<Batch>> batch = reader.next();
    if (!batch) {
      all.error = batch.error().message;
      return all;
    }
    if (!*batch) return all;
    all.batches.push_back(std::move(**batch));
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(batch_reader)

BOOST_AUTO_TEST_CASE(gathers_bare_records) {
  Read const all = read("{\"a\":1}\n\n  \r\n{\"a\":2}\r\n{\"a\":3}");
  BOOST_REQUIRE(all.batches.size() == 1U);
  BOOST_TEST(all.batches[0].params == "{\"records\":[{\"a\":1},{\"a\":2}\r,{\"a\":3}]}");
  BOOST_TEST(all.batches[0].records == 3U);
  BOOST_TEST(all.batches[0].line_of(1) == 4U);
  BOOST_TEST(all.batches[0].line_of(2) == 5U);
}

BOOST_AUTO_TEST_CASE(keeps_a_batch_line_as_it_is) {
  Read const all = read("{\"records\":[{\"a\":1},{\"a\":1}],\"ensure\":true}\n");
  BOOST_REQUIRE(all.batches.size() == 1U);
  BOOST_TEST(all.batches[0].params == "{\"records\":[{\"a\":1},{\"a\":1}],\"ensure\":true}");
  BOOST_TEST(all.batches[0].records == 2U);
  BOOST_TEST(all.batches[0].line_of(1) == 1U);
}

BOOST_AUTO_TEST_CASE(keeps_the_order_of_records_and_batches) {
  Read const all = read("{\"a\":1}\n{\"records\":[{\"a\":2}]}\n{\"a\":3}\n");
  BOOST_REQUIRE(all.batches.size() == 3U);
  BOOST_TEST(all.batches[1].params == "{\"records\":[{\"a\":2}]}");
  BOOST_TEST(all.batches[2].line_of(0) == 3U);
}

BOOST_AUTO_TEST_CASE(bounds_batches_by_records_and_bytes) {
  BOOST_TEST(read("{\"a\":1}\n{\"a\":2}\n{\"a\":3}\n", {.records_max = 2}).batches.size() == 2U);
  BOOST_TEST(read("{\"a\":1}\n{\"a\":2}\n{\"a\":3}\n", {.bytes_max = 1}).batches.size() == 3U);
}

BOOST_AUTO_TEST_CASE(hands_out_what_stands_before_a_broken_line) {
  Read const all = read("{\"a\":1}\n{\"a\":\n{\"a\":3}\n");
  BOOST_TEST(all.batches.size() == 1U);
  BOOST_TEST(all.error.starts_with("line 2: "));
}

BOOST_AUTO_TEST_CASE(refuses_lines_that_are_no_objects) {
  BOOST_TEST(read("[1]\n").error.starts_with("line 1: "));
}

BOOST_AUTO_TEST_CASE(passes_ensure_on_with_gathered_records) {
  BOOST_TEST(read("{\"a\":1}\n", {}, true).batches.at(0).params == "{\"ensure\":true,\"records\":[{\"a\":1}]}");
}

BOOST_AUTO_TEST_CASE(says_which_batches_need_a_key) {
  BOOST_TEST(!read("{\"id\":\"a\"}\n{\"id\":\"b\"}\n").batches.at(0).needs_key);
  BOOST_TEST(read("{\"id\":\"a\"}\n{\"b\":1}\n").batches.at(0).needs_key);
  BOOST_TEST(!read("{\"records\":[{\"id\":\"a\"}]}\n").batches.at(0).needs_key);
  BOOST_TEST(read("{\"records\":[{\"id\":\"a\"},{\"b\":1}]}\n").batches.at(0).needs_key);
  BOOST_TEST(!read("{\"records\":[{\"b\":1}],\"idempotency_key\":\"k\"}\n").batches.at(0).needs_key);
}

BOOST_AUTO_TEST_CASE(says_which_batches_are_checked_only) {
  BOOST_TEST(read("{\"records\":[],\"dry_run\":true}\n").batches.at(0).is_dry_run);
  BOOST_TEST(!read("{\"records\":[],\"dry_run\":false}\n").batches.at(0).is_dry_run);
}

BOOST_AUTO_TEST_SUITE_END()
