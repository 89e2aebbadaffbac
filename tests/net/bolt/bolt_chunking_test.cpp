// Chunks and the handshake, byte by byte.

#include "net/bolt/chunking.hpp"
#include "net/bolt/handshake.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

namespace bolt = whence::net::bolt;

BOOST_AUTO_TEST_SUITE(bolt_chunking)

namespace {

constexpr std::size_t chunked_bytes_max = 200'000;

/// The messages in `bytes`, given in parts of `step` bytes.
std::vector<std::string> joined_messages(std::string_view bytes, std::size_t step) {
  bolt::Dechunker dechunker;
  std::vector<std::string> messages;
  for (std::size_t at = 0; at < bytes.size(); at += step) {
    auto rest = bytes.substr(at, step);
    while (!rest.empty()) {
      auto const taken = dechunker.take(rest, chunked_bytes_max);
      BOOST_REQUIRE(taken != bolt::Dechunker::Step::too_large);
      if (taken == bolt::Dechunker::Step::message) messages.emplace_back(dechunker.message());
    }
  }
  return messages;
}

std::string chunked_message(std::string_view body) {
  std::string out;
  auto const begin = bolt::begin_message(out);
  out.append(body);
  bolt::end_message(out, begin);
  return out;
}

std::string proposals_of(std::string_view four) {
  return std::string{bolt::magic}.append(four);
}

/// Four proposals of four bytes each, from `major`, `minor` and how many lower minors.
std::string one_proposal(unsigned char major, unsigned char minor, unsigned char lower = 0) {
  std::string bytes{'\0', static_cast<char>(lower), static_cast<char>(minor), static_cast<char>(major)};
  return proposals_of(bytes.append(12, '\0'));
}

}  // namespace

BOOST_AUTO_TEST_CASE(messages_of_any_size_come_back_in_any_parts) {
  std::vector<std::string> const bodies = {"a", std::string(65'535, 'b'), std::string(65'536, 'c'),
                                           std::string(150'000, 'd')};
  std::string bytes;
  for (auto const& body : bodies) bytes += std::string{bolt::noop} + chunked_message(body);
  for (std::size_t const step : {std::size_t{1}, std::size_t{7}, std::size_t{65'536}, bytes.size()}) {
    BOOST_TEST(joined_messages(bytes, step) == bodies, boost::test_tools::per_element());
  }
}

BOOST_AUTO_TEST_CASE(an_empty_chunk_within_no_message_says_nothing) {
  BOOST_TEST(joined_messages(std::string(1'000, '\0'), 3).empty());
}

BOOST_AUTO_TEST_CASE(a_message_beyond_the_bound_is_refused_before_it_has_come) {
  bolt::Dechunker dechunker;
  std::string_view rest{"\x00\x05hello\x00\x06", 9};
  BOOST_TEST((dechunker.take(rest, 10) == bolt::Dechunker::Step::too_large));
  BOOST_TEST(rest.empty());
}

BOOST_AUTO_TEST_CASE(a_claimed_size_takes_no_memory) {
  bolt::Dechunker dechunker;
  std::string_view rest{
      "\xFF\xFF"
      "a",
      3};
  BOOST_TEST((dechunker.take(rest, chunked_bytes_max) == bolt::Dechunker::Step::needs_more));
  BOOST_TEST(dechunker.is_within());
  BOOST_TEST(dechunker.capacity() < 100U);
}

BOOST_AUTO_TEST_CASE(the_highest_version_of_the_first_fitting_proposal_is_taken) {
  // 9.9; 5.8 down to 5.0; 4.4 down to 4.2; 3.0
  auto const answer = bolt::answer_handshake(
      proposals_of(std::string_view{"\x00\x00\x09\x09\x00\x08\x08\x05\x00\x02\x04\x04\x00\x00\x00\x03", 16}));
  BOOST_TEST((answer.step == bolt::Handshake::Step::agreed));
  BOOST_TEST((answer.version == bolt::version_5_4));
  BOOST_TEST(answer.answer == std::string_view("\x00\x00\x04\x05", 4));
  BOOST_TEST((bolt::answer_handshake(one_proposal(5, 2, 1)).version == bolt::Version{5, 2}));
  BOOST_TEST((bolt::answer_handshake(one_proposal(4, 4, 2)).version == bolt::version_4_4));
}

BOOST_AUTO_TEST_CASE(versions_that_are_not_spoken_are_answered_with_zeros) {
  for (auto const& bytes : {one_proposal(5, 5), one_proposal(5, 8, 3), one_proposal(4, 3, 3), one_proposal(3, 0),
                            one_proposal(6, 0, 255), one_proposal(0, 0)}) {
    auto const answer = bolt::answer_handshake(bytes);
    BOOST_TEST((answer.step == bolt::Handshake::Step::refused));
    BOOST_TEST(answer.answer == std::string(4, '\0'));
  }
  auto const foreign = bolt::answer_handshake("GET / HTTP/1.1\r\nHost");
  BOOST_TEST((foreign.step == bolt::Handshake::Step::refused));
  BOOST_TEST(foreign.answer.empty());
}

BOOST_AUTO_TEST_CASE(a_manifest_lists_the_versions_and_the_client_chooses) {
  auto const listed = bolt::answer_handshake(one_proposal(0xFF, 1));
  BOOST_TEST((listed.step == bolt::Handshake::Step::manifest));
  BOOST_TEST(listed.answer == std::string_view("\x00\x00\x01\xFF\x02\x00\x04\x04\x05\x00\x00\x04\x04\x00", 14));
  std::string_view part{"\x00\x00\x03", 3};
  BOOST_TEST(!bolt::take_choice(part).has_value());
  std::string_view choice{"\x00\x00\x03\x05\x00rest", 9};
  auto const chosen = bolt::take_choice(choice);
  BOOST_REQUIRE(chosen.has_value());
  BOOST_TEST((chosen->version == bolt::Version{5, 3}));
  BOOST_TEST(choice == "rest");
  for (std::string_view wrong :
       {std::string_view{"\x00\x00\x09\x05\x00", 5}, std::string_view{"\x00\x01\x03\x05\x00", 5},
        std::string_view{"\x00\x00\x03\x05\x01", 5}}) {
    BOOST_TEST((bolt::take_choice(wrong)->step == bolt::Handshake::Step::refused));
  }
}

BOOST_AUTO_TEST_SUITE_END()
