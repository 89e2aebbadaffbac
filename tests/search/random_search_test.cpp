// Random histories and random questions, compared with a scan that knows nothing of SQLite: it has the words as they
// were put into the texts.
#include "engine/search/text_scan.hpp"
#include "engine/values/batch.hpp"
#include "tests/engine/batches.hpp"
#include "tests/search/searching.hpp"
#include "tests/support/seed.hpp"

#include <array>
#include <atomic>
#include <map>
#include <random>
#include <thread>

#include <boost/test/unit_test.hpp>

namespace whence::test {
namespace {

/// A word as it is written in texts, and as it is compared.
struct Spelling {
  std::string_view written;
  std::string_view folded;
};

constexpr auto vocabulary = std::to_array<Spelling>({
    {"Helm", "helm"},     {"HELM", "helm"},         {"hélm", "helm"},       {"values", "values"},
    {"Value", "value"},   {"Ångström", "angstrom"}, {"NAÏVE", "naive"},     {"naive", "naive"},
    {"Привет", "привет"}, {"価格", "価格"},         {"argocd", "argocd"},   {"argo", "argo"},
    {"2025", "2025"},     {"20251011", "20251011"}, {"Cluster", "cluster"}, {"cluster-set", "cluster set"},
    {"x", "x"},           {"ÉTÉ", "ete"},           {"a_b", "a b"},         {"müßig", "mußig"},
    {"Λόγο", "λόγο"},     {"don't", "don t"},       {"café", "cafe"},       {"cafe\u0301s", "cafes"},
});

using Words = std::set<std::string>;

/// What a record says at each moment: the words, or nothing where it is not there.
struct Told {
  std::uint64_t tx;
  std::optional<Words> words;
};

class RandomSearch : public SearchFixture {
 public:
  explicit RandomSearch(std::uint64_t seed) : random_(seed) {}

  std::size_t below(std::size_t end) { return std::uniform_int_distribution<std::size_t>(0, end - 1)(random_); }

  /// A text, and its words into `words`.
  std::string text(std::size_t words_max, Words& words) {
    std::string made;
    for (auto left = below(words_max) + 1; left > 0; --left) {
      auto const& spelling = vocabulary.at(below(vocabulary.size()));
      made.append(spelling.written).append(below(4) == 0 ? ", " : below(3) == 0 ? "\n<" : " ");
      add_words(spelling.folded, words);
    }
    return made;
  }

  static void add_words(std::string_view folded, Words& words) {
    while (!folded.empty()) {
      auto const end = std::min(folded.find(' '), folded.size());
      words.emplace(folded.substr(0, end));
      folded.remove_prefix(std::min(end + 1, folded.size()));
    }
  }

  void step() {
    switch (below(10)) {
      case 0:
        return remove();
      case 1:
        return purge_one();
      case 2:
      case 3:
      case 4:
        return write_discussion();
      default:
        return write_units();
    }
  }

  void write_units() {
    std::vector<schema::Record> records;
    std::map<std::string, Words> said;
    for (auto count = below(4) + 1; count > 0; --count) {
      auto const number = std::to_string(++made_);
      auto id = "cu_n" + number;
      Words words{"cu", "n" + number, "mail"};
      auto made = unit_with(id, text(12, words));
      if (below(2) == 0) made.summary = text(3, words);
      records.emplace_back(std::move(made));
      said.emplace("ContextUnit:" + id, std::move(words));
    }
    tell(write(std::move(records)).value().tx, said);
  }

  /// A few discussions get another topic again and again: revisions.
  void write_discussion() {
    auto const number = std::to_string(below(6));
    Words words{"ann", "d" + number};
    schema::Discussion made{.user_id = "ann", .discussion_id = "d" + number, .topic = text(6, words)};
    auto const answer = write({made}).value();
    if (!answer.is_unchanged) tell(answer.tx, {{answer.refs.at(0), words}});
  }

  void remove() {
    auto const ref = any_ref();
    if (ref.empty()) return;
    auto const answer = engine->write(removing({ref}));
    if (answer) tell(answer->tx, {{ref, std::nullopt}});
  }

  void purge_one() {
    auto const ref = any_ref();
    if (ref.empty() || !purge(ref)) return;
    told_.erase(ref);  // for every moment
    purged_.insert(ref);
  }

  std::string any_ref() {
    std::vector<std::string> there;
    for (auto const& [ref, all] : told_) {
      if (all.back().words) there.push_back(ref);
    }
    return there.empty() ? "" : there[below(there.size())];
  }

  template <class Said>
  void tell(schema::TxId tx, Said const& said) {
    for (auto const& [ref, words] : said) {
      if (purged_.contains(ref)) continue;
      told_[ref].push_back({schema::number(tx), words});
    }
  }
  void tell(schema::TxId tx, std::initializer_list<std::pair<std::string, std::optional<Words>>> said) {
    for (auto const& [ref, words] : said) told_[ref].push_back({schema::number(tx), words});
  }

  /// What a scan finds.
  std::set<std::string> scanned(std::uint64_t tx, std::vector<std::string> const& words, bool last_is_prefix) const {
    std::set<std::string> refs;
    for (auto const& [ref, all] : told_) {
      Told const* now = nullptr;
      for (auto const& each : all) {
        if (each.tx <= tx) now = &each;
      }
      if (now == nullptr || !now->words) continue;
      bool has_all = true;
      for (std::size_t i = 0; i < words.size(); ++i) {
        auto const at = now->words->lower_bound(words[i]);
        bool const is_prefix = last_is_prefix && i + 1 == words.size();
        has_all = has_all && at != now->words->end() && (is_prefix ? at->starts_with(words[i]) : *at == words[i]);
      }
      if (has_all) refs.insert(ref);
    }
    return refs;
  }

  std::set<std::string> asked(queries::View const& at, std::string const& text, bool is_exact = true) const {
    auto const matches = ask(at, {.text = text, .exact = is_exact});
    std::set<std::string> refs;
    for (auto const& match : matches.value().nodes)
      refs.insert(schema::format_ref(at.snapshot.type(match.vertex), at.snapshot.id(match.vertex)));
    return refs;
  }

  void compare_one() {
    auto const head = engine->snapshot();
    auto const tx = below(3) == 0 ? below(schema::number(head.tx()) + 1) : schema::number(head.tx());
    std::string question;
    std::vector<std::string> words;
    for (auto left = below(3) + 1; left > 0; --left) {
      auto const& spelling = vocabulary.at(below(vocabulary.size()));
      question.append(spelling.written).append(" ");
      Words some;
      add_words(spelling.folded, some);
      // In the order of the text: the last one is special.
      std::string_view rest = spelling.folded;
      while (!rest.empty()) {
        auto const end = std::min(rest.find(' '), rest.size());
        words.emplace_back(rest.substr(0, end));
        rest.remove_prefix(std::min(end + 1, rest.size()));
      }
    }
    bool is_prefix = below(2) == 0;
    if (is_prefix) question.pop_back();
    is_prefix = is_prefix && characters(words.back()) >= queries::prefix_characters_min;
    auto const expected = scanned(tx, words, is_prefix);
    BOOST_TEST_CONTEXT("text [" << question << "] as of " << tx) {
      auto const at = view(head.as_of(schema::TxId{tx}));
      auto const got = asked(at, question);
      BOOST_REQUIRE_EQUAL_COLLECTIONS(got.begin(), got.end(), expected.begin(), expected.end());
      // Other forms, as a scan by the same rules has them.
      auto scan = at;
      scan.texts = &scan_;
      auto const forms = asked(at, question, false);
      auto const scanned_forms = asked(scan, question, false);
      BOOST_REQUIRE_EQUAL_COLLECTIONS(forms.begin(), forms.end(), scanned_forms.begin(), scanned_forms.end());
      BOOST_REQUIRE(std::ranges::includes(forms, got));
    }
  }

  static std::size_t characters(std::string_view text) {
    return static_cast<std::size_t>(std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; }));
  }

 private:
  engine::TextScan scan_;
  std::mt19937_64 random_;
  std::uint64_t made_ = 0;
  std::map<std::string, std::vector<Told>> told_;
  std::set<std::string> purged_;
};

}  // namespace

BOOST_AUTO_TEST_SUITE(random_search)

/// Between writes, so that some of it is in the index and some is not yet.
BOOST_AUTO_TEST_CASE(finds_what_a_scan_finds_while_records_are_written) {
  auto const seed = seed_from_environment();
  BOOST_TEST_MESSAGE("seed " << seed);
  auto const count = count_from_environment("WHENCE_SEARCHES", 1'000);
  BOOST_TEST_CONTEXT("WHENCE_TEST_SEED=" << seed) {
    RandomSearch search(seed);
    for (std::uint64_t i = 0; i < count; ++i) {
      if (search.below(3) == 0) search.step();
      if (search.below(100) == 0) search.reopen();
      if (search.below(50) == 0) search.wait_for_index();
      search.compare_one();
    }
    search.wait_for_index();
    for (std::uint64_t i = 0; i < count / 4; ++i) search.compare_one();
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace whence::test
