// Which known name an unknown one was probably meant to be.
#include "schema/base/suggest.hpp"

#include "tests/support/seed.hpp"

#include <algorithm>
#include <array>
#include <random>
#include <string>
#include <vector>

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

namespace whence::test {
namespace {

constexpr std::array<std::string_view, 7> known = {"agent", "model",       "context_units", "ContextUnit",
                                                   "id",    "token_count", "timestamp"};

struct Unknown {
  std::string_view unknown;
  std::string_view meant;
  friend std::ostream& operator<<(std::ostream& out, Unknown const& each) { return out << each.unknown; }
};
Unknown const cases[] = {{"agnet", "agent"},
                         {"Agent", "agent"},
                         {"agents", "agent"},
                         {"modle", "model"},
                         {"contextUnits", "context_units"},
                         {"context-unit", "ContextUnit"},
                         {"contxt_unts", "context_units"},
                         {"tokencount", "token_count"},
                         {"ID", "id"},
                         {"time", "timestamp"},
                         {"tim", ""},
                         {"modl", "model"},
                         {"ix", ""},
                         {"", ""},
                         {"___", ""},
                         {"frob", ""},
                         {"entirely_else", ""}};

/// By the table of all prefixes; nothing is bounded.
std::size_t naive_edits(std::string const& a, std::string const& b) {
  std::vector<std::vector<std::size_t>> cells(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        cells[i][j] = i + j;
        continue;
      }
      std::size_t const replaced = cells[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      cells[i][j] = std::min({cells[i - 1][j] + 1, cells[i][j - 1] + 1, replaced});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        cells[i][j] = std::min(cells[i][j], cells[i - 2][j - 2] + 1);
      }
    }
  }
  return cells[a.size()][b.size()];
}

}  // namespace

BOOST_AUTO_TEST_SUITE(suggest)

BOOST_DATA_TEST_CASE(finds_the_name_that_was_meant, cases, each) {
  BOOST_TEST(schema::most_similar(each.unknown, known) == each.meant);
}

BOOST_AUTO_TEST_CASE(makes_the_end_of_a_message) {
  BOOST_TEST(schema::did_you_mean("agnet", known) == "; did you mean `agent`?");
  BOOST_TEST(schema::did_you_mean("frob", known) == "");
  constexpr std::array<std::string_view, 2> two = {"red", "green"};
  BOOST_TEST(schema::alternatives("gren", two) == "; did you mean `green`? There are red, green");
  BOOST_TEST(schema::alternatives("blue", two) == "; there are red, green");
}

BOOST_AUTO_TEST_CASE(finds_nothing_for_a_name_that_is_too_long) {
  std::string const long_name(100'000, 'a');
  std::array<std::string_view, 1> const itself = {long_name};
  BOOST_TEST(schema::most_similar(long_name, itself) == "");
  std::string const longest(64, 'a');
  std::array<std::string_view, 1> const known_long = {longest};
  BOOST_TEST(schema::most_similar(std::string(61, 'a'), known_long) == longest);
  BOOST_TEST(schema::most_similar(std::string(60, 'b'), known_long) == "");
}

// Claim: a name is suggested exactly where the naive number of edits is within the bound of the name's length.
// Method: random names over three letters, all lengths up to 14.
BOOST_AUTO_TEST_CASE(agrees_with_the_whole_table) {
  auto const seed = seed_from_environment();
  BOOST_TEST_CONTEXT("WHENCE_TEST_SEED=" << seed) {
    std::mt19937_64 random{seed};
    auto const name = [&] {
      std::string made(1 + random() % 14, 'a');
      for (char& c : made) c = static_cast<char>('a' + random() % 3);
      return made;
    };
    for (int i = 0; i < 20'000; ++i) {
      auto const asked = name();
      auto const other = name();
      std::size_t const allowed = asked.size() <= 2 ? 0 : asked.size() <= 5 ? 1 : asked.size() <= 9 ? 2 : 3;
      std::array<std::string_view, 1> const candidates = {other};
      bool const is_found = !schema::most_similar(asked, candidates).empty();
      bool const begins = asked.size() >= 4 && other.starts_with(asked);
      BOOST_TEST(is_found == (begins || naive_edits(asked, other) <= allowed), asked << " " << other);
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace whence::test
