// Questions: what is a word, what is refused, in which order answers come, what snippets show.
#include "graph/snapshot/records.hpp"
#include "queries/search/snippets.hpp"
#include "schema/records/record_fields.hpp"
#include "schema/search/markup_text.hpp"
#include "schema/search/texts.hpp"
#include "tests/search/searching.hpp"

#include <boost/test/unit_test.hpp>

namespace whence::test {
namespace {

using Ids = std::set<std::string>;

std::string marked(queries::Snippet const& snippet) {
  std::string text;
  for (auto const& part : snippet.parts) text += part.is_match ? "[" + part.text + "]" : part.text;
  return text;
}

struct Questions : SearchFixture {
  std::vector<queries::Snippet> snippets(std::string const& id, std::string const& text) const {
    auto const at = view();
    auto const sought = queries::sought_words(*at.texts, text);
    queries::WordMatch const match(*at.texts, sought);
    auto const vertex = at.snapshot.find(schema::RecordType::context_unit, id).value();
    std::vector<queries::Snippet> made;
    graph::read_those_there(at.snapshot, *at.records, std::vector{vertex}, [&](std::size_t, schema::Record&& record) {
      BOOST_REQUIRE(schema::put_searched_texts(record, *at.records));
      made = queries::snippets_of(match, record, id);
      return true;
    }).value();
    return made;
  }

  std::string rule_of(queries::SearchParams const& params) const {
    auto const answer = ask(view(), params);
    return answer || answer.error().violations.empty() ? "" : answer.error().violations.front().rule;
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(questions, Questions)

BOOST_AUTO_TEST_CASE(all_words_must_be_in_the_record_not_in_one_text) {
  auto both = unit_with("cu_both", "a heron");
  both.summary = "of birds";
  write({both, unit_with("cu_one", "a heron")}).value();
  BOOST_TEST((found("heron birds ") == Ids{"cu_both"}));
  BOOST_TEST((found("heron ") == Ids{"cu_both", "cu_one"}));
}

BOOST_AUTO_TEST_CASE(the_last_word_may_go_on_from_three_characters) {
  write({unit_with("cu_a", "configuration"), unit_with("cu_b", "con")}).value();
  BOOST_TEST((found("con") == Ids{"cu_a", "cu_b"}));
  BOOST_TEST((found("con ") == Ids{"cu_b"}));
  BOOST_TEST(found("co").empty());
  BOOST_TEST((found("CONF") == Ids{"cu_a"}));
}

/// By the index and by a scan.
BOOST_AUTO_TEST_CASE(english_forms_of_a_word_are_found_unless_asked_for_exactly) {
  write({unit_with("cu_bill", "the bill of June"), unit_with("cu_bills", "all Bills are due"),
         unit_with("cu_billing", "billing is monthly"), unit_with("cu_billow", "a billow of smoke"),
         unit_with("cu_happy", "happy"), unit_with("cu_happiness", "happiness"), unit_with("cu_haus", "Häuser"),
         unit_with("cu_mark", "\uE040bill here")})
      .value();
  wait_for_index();
  for (auto const by : {engine::SearchBy::index, engine::SearchBy::scan}) {
    engine.reset();
    config.search = by;
    open();
    BOOST_TEST((found("bills ") == Ids{"cu_bill", "cu_billing", "cu_bills"}));
    BOOST_TEST((found("BILLED ") == Ids{"cu_bill", "cu_billing", "cu_bills"}));
    BOOST_TEST((found("bills") == Ids{"cu_bill", "cu_billing", "cu_bills"}));
    BOOST_TEST((found("bill") == Ids{"cu_bill", "cu_billing", "cu_billow", "cu_bills"}));
    BOOST_TEST((found("billed june ") == Ids{"cu_bill"}));
    BOOST_TEST((found("happiness ") == Ids{"cu_happiness", "cu_happy"}));
    BOOST_TEST((found("häuser ") == Ids{"cu_haus"}));
    auto const exactly = [&](std::string const& text) {
      std::set<std::string> found_ids;
      auto const at = view();
      for (auto const& match : ask(at, {.text = text, .exact = true}).value().nodes)
        found_ids.emplace(at.snapshot.id(match.vertex));
      return found_ids;
    };
    BOOST_TEST((exactly("bills ") == Ids{"cu_bills"}));
    BOOST_TEST((exactly("bill ") == Ids{"cu_bill"}));
    BOOST_TEST((exactly("billed ") == Ids{}));
  }
}

BOOST_AUTO_TEST_CASE(a_word_as_it_was_asked_for_comes_before_its_other_forms) {
  write({unit_with("cu_asked", "it was billed to us"), unit_with("cu_form", "it was a bill to us")}).value();
  auto const at = view();
  auto const matches = ask(at, {.text = "billed "}).value();
  BOOST_REQUIRE(matches.nodes.size() == 2U);
  BOOST_TEST(at.snapshot.id(matches.nodes.front().vertex) == "cu_asked");
  BOOST_TEST(marked(snippets("cu_form", "billed ").front()) == "it was a [bill] to us");
}

BOOST_AUTO_TEST_CASE(where_nothing_is_found_it_says_what_would_be) {
  write({unit_with("cu_a", "the heron of the northern lake"), unit_with("cu_b", "a zebra in the desert")}).value();
  wait_for_index();
  using Texts = std::vector<std::string>;
  for (auto const by : {engine::SearchBy::index, engine::SearchBy::scan}) {
    engine.reset();
    config.search = by;
    open();
    auto const offered = [&](std::string text) { return ask(view(), {.text = std::move(text)}).value().suggestions; };
    BOOST_TEST((offered("heorn lake") == Texts{"heron lake"}));
    BOOST_TEST((offered("northern hreon") == Texts{"northern heron"}));
    BOOST_TEST((offered("northe ") == Texts{"northern"}));
    BOOST_TEST((offered("heron zebra") == Texts{"heron", "zebra"}));
    BOOST_TEST((offered("heron qqqqqq") == Texts{"heron"}));
    BOOST_TEST(offered("qqqqqq").empty());
    BOOST_TEST(offered("heron").empty());  // that is found
    // Only what is there at the moment that is asked of.
    auto const before = ask(view(engine->snapshot().as_of(schema::TxId{0})), {.text = "heorn"}).value();
    BOOST_TEST(before.suggestions.empty());
  }
}

BOOST_AUTO_TEST_CASE(operators_of_the_index_are_words) {
  write({unit_with("cu_a", "this and that or not near"), unit_with("cu_b", "that")}).value();
  BOOST_TEST((found("this OR that ") == Ids{"cu_a"}));
  BOOST_TEST((found("this NOT near ") == Ids{"cu_a"}));
  BOOST_TEST((found("\"that\" * ) -- '; DROP TABLE place") == Ids{}));
  BOOST_TEST((found("text:that ").empty()));
  BOOST_TEST((found("^that*") == Ids{"cu_a", "cu_b"}));
}

BOOST_AUTO_TEST_CASE(a_question_without_words_or_with_too_many_is_refused) {
  BOOST_TEST(rule_of({.text = "--- !"}) == "words");
  BOOST_TEST(rule_of({.text = "\uE001 \uE002"}) == "words");  // marks of the index
  std::string many;
  for (int i = 0; i < 17; ++i) many += "w" + std::to_string(i) + " ";
  BOOST_TEST(rule_of({.text = many}) == "words");
  BOOST_TEST(rule_of({.text = std::string(100, 'x') + " x x x x"}) == "");
}

BOOST_AUTO_TEST_CASE(conditions_need_one_type) {
  queries::Condition const condition{.field = "source", .op = queries::Condition::Op::eq, .operands = {"\"mail\""}};
  BOOST_TEST(rule_of({.text = "heron", .where = {condition}}) == "types");
  schema::RecordTypeSet units;
  units.insert(schema::RecordType::context_unit);
  write({unit_with("cu_a", "a heron"), unit("cu_heron", "elsewhere")}).value();
  auto const matches = ask(view(), {.text = "heron", .types = units, .where = {condition}}).value();
  BOOST_TEST(matches.nodes.size() == 1U);
  schema::RecordTypeSet topics;
  topics.insert(schema::RecordType::topic);
  wait_for_index();
  BOOST_TEST(ask(view(), {.text = "heron", .types = topics}).value().nodes.empty());
  BOOST_TEST(ask(view(), {.text = "heron", .types = units}).value().nodes.size() == 2U);
}

BOOST_AUTO_TEST_CASE(a_store_that_is_not_searched_says_so) {
  engine.reset();
  config.search = engine::SearchBy::nothing;
  open();
  BOOST_TEST(rule_of({.text = "heron"}) == "search_off");
}

BOOST_AUTO_TEST_CASE(a_scan_finds_the_same) {
  write({unit_with("cu_a", "a heron"), unit_with("cu_b", "two herons")}).value();
  engine.reset();
  config.search = engine::SearchBy::scan;
  open();
  BOOST_TEST((found("heron") == Ids{"cu_a", "cu_b"}));
}

BOOST_AUTO_TEST_CASE(what_fits_best_comes_first) {
  auto titled = unit_with("cu_title", "nothing of it");
  titled.summary = "heron";
  std::string long_text = "a heron ";
  for (int i = 0; i < 300; ++i) long_text += "and so on ";
  write({titled, unit_with("cu_long", long_text), unit_with("cu_part", "herons")}).value();
  auto const at = view();
  auto const matches = ask(at, {.text = "heron"}).value();
  std::vector<std::string> found_ids;
  for (auto const& each : matches.nodes) found_ids.emplace_back(at.snapshot.id(each.vertex));
  BOOST_TEST((found_ids == std::vector<std::string>{"cu_title", "cu_part", "cu_long"}));
}

BOOST_AUTO_TEST_CASE(long_texts_are_searched) {
  std::string long_text;
  for (int i = 0; i < 20'000; ++i) long_text += "and so on ";
  write({unit_with("cu_long", long_text + "heron")}).value();
  BOOST_TEST((found("heron") == Ids{"cu_long"}));
  wait_for_index();
  BOOST_TEST((found("heron") == Ids{"cu_long"}));
  BOOST_TEST(snippets("cu_long", "heron").size() == 1U);
}

BOOST_AUTO_TEST_CASE(hostile_texts_are_texts) {
  std::string const noise =
      std::string("\xED\x9F\xBF\xEF\xBF\xBD \xF0\x9F\x90\xA6 ") + std::string(3, '\x01') + " \u202e heron";
  write({unit_with("cu_a", noise), unit_with("cu_b", std::string(200'000, 'y') + " heron"),
         unit_with("cu_c", "\uE001\uE002 heron")})
      .value();
  wait_for_index();
  BOOST_TEST((found("heron") == Ids{"cu_a", "cu_b", "cu_c"}));
  BOOST_TEST((found(std::string(200, 'y')) == Ids{"cu_b"}));  // both are cut
  for (auto const* const id : {"cu_a", "cu_b", "cu_c"}) {
    auto const made = snippets(id, "heron");
    BOOST_REQUIRE(made.size() == 1U);
    std::size_t bytes = 0;
    for (auto const& part : made.front().parts) bytes += part.text.size();
    BOOST_TEST(bytes < 2 * queries::snippet_bytes_max + 20);
  }
}

BOOST_AUTO_TEST_CASE(snippets_mark_words_of_the_best_stretch) {
  std::string text = "heron ";
  for (int i = 0; i < 100; ++i) text += "filler ";
  text += "a grey HÉRON and a zebra stand here ";
  for (int i = 0; i < 100; ++i) text += "filler ";
  write({unit_with("cu_a", text)}).value();
  auto const made = snippets("cu_a", "heron zeb");
  BOOST_REQUIRE(made.size() == 1U);
  BOOST_TEST(made.front().path == "/content");
  auto const shown = marked(made.front());
  BOOST_TEST(shown.find("a grey [HÉRON] and a [zebra] stand here") != std::string::npos);
  BOOST_TEST(shown.starts_with("…"));
  BOOST_TEST(shown.ends_with("…"));
  BOOST_TEST(shown.size() < 300U);
}

BOOST_AUTO_TEST_CASE(markup_is_no_text) {
  using schema::text_of_markup;
  BOOST_TEST(text_of_markup("<a b=\"c\">one<d/>two &amp; three</a>") == "one\ntwo & three\n");
  BOOST_TEST(text_of_markup("<![CDATA[<x>]]><!-- hidden > --> y") == "<x>\n y");
  for (auto const* const broken : {"<", "<![CDATA[", "<!--", "&", "&am", "a<b", "<![CDATA[x]]", "<!-->"})
    BOOST_TEST(text_of_markup(broken).size() <= std::string_view(broken).size() + 1);
}

/// A member that is renamed is no longer found under its old name.
BOOST_AUTO_TEST_CASE(every_row_of_the_table_names_a_member) {
  for (auto const& row : schema::text_members()) {
    auto const name = row.path.substr(0, row.path.find('/'));
    bool is_there = name == "xml";
    auto const look = [&]<class T>(std::type_identity<T>) {
      if (T::record_type != row.type) return;
      schema::for_each_field<T>([&](auto const& field) { is_there = is_there || field.name == name; });
    };
    auto const look_at = [&]<std::size_t... i>(std::index_sequence<i...>) {
      (look(std::type_identity<std::variant_alternative_t<i, schema::Record>>{}), ...);
    };
    look_at(std::make_index_sequence<std::variant_size_v<schema::Record>>{});
    BOOST_TEST(is_there, std::string(schema::name_of(row.type)) + " has no " + std::string(row.path));
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace whence::test
