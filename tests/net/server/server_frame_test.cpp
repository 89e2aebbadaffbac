// Frames of clients: which are taken whole, where each ends, and that it does not matter how they arrive.

#include "net/stream/frame.hpp"
#include "tests/net/server/server_fixture.hpp"
#include "tests/support/seed.hpp"

#include <algorithm>
#include <optional>
#include <ostream>
#include <random>
#include <string>
#include <vector>

#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

namespace data = boost::unit_test::data;
using namespace whence;
using namespace whence::test;

BOOST_AUTO_TEST_SUITE(server_frame)

namespace {

struct FrameCase {
  char const* name;
  std::string bytes;
  std::optional<std::string> text;  ///< nothing: not taken
};
std::ostream& operator<<(std::ostream& out, FrameCase const& one) {
  return out << one.name;
}

std::string without_last(std::string bytes) {
  bytes.pop_back();
  return bytes;
}

std::vector<FrameCase> const frame_cases = {
    {"short", RawClient::frame(0x81, "{}"), "{}"},
    {"of_several_words", RawClient::frame(0x81, "0123456789abcdef012"), "0123456789abcdef012"},
    {"empty", RawClient::frame(0x81, ""), ""},
    {"longest_short_form", RawClient::frame(0x81, std::string(125, 'x')), std::string(125, 'x')},
    {"shortest_of_two_bytes", RawClient::frame(0x81, std::string(126, 'x')), std::string(126, 'x')},
    {"followed_by_more", RawClient::frame(0x81, "{}") + "\x81", "{}"},
    {"nothing", "", std::nullopt},
    {"head_cut_off", RawClient::frame(0x81, "{}").substr(0, 5), std::nullopt},
    {"length_cut_off", RawClient::frame(0x81, std::string(126, 'x')).substr(0, 3), std::nullopt},
    {"payload_cut_off", without_last(RawClient::frame(0x81, "{}")), std::nullopt},
    {"eight_bytes_of_length", RawClient::frame(0x81, std::string(65'536, 'x')), std::nullopt},
    {"not_in_its_shortest_form", std::string{"\x81\xfe\x00\x02\x01\x02\x03\x04{}", 10}, std::nullopt},
    {"unmasked", std::string{"\x81\x02{}....", 8}, std::nullopt},
    {"unmasked_with_two_bytes_of_length", "\x81\x7e" + std::string(200, '\x01'), std::nullopt},
    {"first_fragment", RawClient::frame(0x01, "{}"), std::nullopt},
    {"continuation", RawClient::frame(0x80, "{}"), std::nullopt},
    {"compressed", RawClient::frame(0xc1, "{}"), std::nullopt},
    {"binary", RawClient::frame(0x82, "{}"), std::nullopt},
    {"ping", RawClient::frame(0x89, "{}"), std::nullopt},
};

}  // namespace

BOOST_DATA_TEST_CASE(takes_whole_text_frames_only, data::make(frame_cases), one) {
  auto const frame = net::find_text_frame(one.bytes);
  BOOST_REQUIRE(frame.has_value() == one.text.has_value());
  if (!frame) return;
  std::string text = "what was here before";
  frame->unmask(text);
  BOOST_TEST(text == *one.text);
  BOOST_TEST(frame->bytes == RawClient::frame(0x81, *one.text).size());
}

// Claim: however the bytes of frames arrive, what is taken at once never passes the end of a frame, and none is lost.
// Method: random frames of all lengths of heads, given in random pieces.
BOOST_AUTO_TEST_CASE(what_is_taken_ends_with_its_frame) {
  std::mt19937_64 random{seed_from_environment()};
  auto const below = [&](std::size_t bound) { return random() % bound; };
  std::vector<std::size_t> const sizes = {0, 1, 125, 126, 127, 300, 65'535, 65'536, 70'000};
  for (int round = 0; round < 50; ++round) {
    std::string bytes;
    std::vector<std::size_t> ends;
    for (int i = 0; i < 6; ++i) {
      std::string frame = RawClient::frame(0x81, std::string(sizes[below(sizes.size())], '\x81'));
      if (below(4) == 0 && frame.size() < 132)
        frame = std::string{frame[0], static_cast<char>(frame[1] & 0x7f)} + frame.substr(6);
      bytes += frame;
      ends.push_back(bytes.size());
    }
    net::FrameBounds bounds;
    std::size_t at = 0;
    auto end = ends.begin();
    while (at < bytes.size()) {
      std::size_t const piece = std::min(bytes.size() - at, 1 + below(below(2) == 0 ? 4 : 80'000));
      std::size_t const taken = bounds.take(std::string_view{bytes}.substr(at, piece));
      at += taken;
      BOOST_REQUIRE(taken > 0);
      BOOST_REQUIRE(at <= *end);
      BOOST_REQUIRE((at == *end || taken == piece));
      BOOST_REQUIRE(bounds.is_between() == (at == *end));
      if (at == *end) ++end;
    }
    BOOST_TEST((end == ends.end()));
  }
}

// Claim: requests are answered in their order whatever carries them and however it arrives. Method: plain frames,
// fragments, pings and pongs between them, and messages longer than what is read at once, in random pieces.
BOOST_AUTO_TEST_CASE(answers_follow_their_order_however_frames_arrive) {
  ServerWorld world;
  std::mt19937_64 random{seed_from_environment()};
  for (int round = 0; round < 10; ++round) {
    RawClient client{world.port()};
    client.upgrade();
    std::string bytes;
    int requests = 0;
    int pings = 0;
    for (int i = 0; i < 300; ++i) {
      auto const kind = random() % 8;
      if (kind == 0) {
        bytes += RawClient::frame(0x89, std::to_string(pings++));
        continue;
      }
      if (kind == 1) bytes += RawClient::frame(0x8a, "unasked");
      std::string text = R"({"jsonrpc":"2.0","id":)" + std::to_string(requests++) + R"(,"method":"no.such"})";
      if (kind == 2) text += std::string(random() % 20'000, ' ');
      if (kind == 3) {
        bytes += RawClient::frame(0x01, text.substr(0, 10)) + RawClient::frame(0x89, std::to_string(pings++)) +
                 RawClient::frame(0x80, text.substr(10));
      } else {
        bytes += RawClient::frame(0x81, text);
      }
    }
    std::size_t const piece_max = round % 2 == 0 ? bytes.size() : 3'000;
    for (std::size_t at = 0; at < bytes.size();) {
      std::size_t const piece = std::min<std::size_t>(bytes.size() - at, 1 + random() % piece_max);
      client.send(std::string_view{bytes}.substr(at, piece));
      at += piece;
    }
    for (int answered = 0, pongs = 0; answered < requests || pongs < pings;) {
      Frame const frame = client.read_frame();
      BOOST_REQUIRE((frame.opcode == 1 || frame.opcode == 10));
      if (frame.opcode == 10) {
        BOOST_REQUIRE(frame.payload == std::to_string(pongs++));
      } else {
        BOOST_REQUIRE(boost::json::parse(frame.payload).at("id").to_number<int>() == answered++);
      }
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()
