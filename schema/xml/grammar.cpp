// The tables, and the check of each value.
#include "schema/xml/grammar.hpp"

#include "schema/base/text.hpp"
#include "schema/xml/usual.hpp"
#include "schema/xml/utf16.hpp"
#include "schema/xml/values.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace whence::schema::xml {
namespace {

constexpr std::size_t unbounded = std::numeric_limits<std::size_t>::max();
Verdict wrong(XmlError error, XmlRule rule, std::string_view message) {
  return {.kind = Verdict::Kind::error, .error = error, .rule = rule, .message = message};
}

Verdict invalid(XmlRule rule, std::string_view message) {
  return wrong(XmlError::invalid_attribute, rule, message);
}

/// Good, unless it is unusual.
Verdict warn_if(bool is_unusual, XmlRule rule, std::string_view message) {
  return is_unusual ? Verdict{.kind = Verdict::Kind::warning, .rule = rule, .message = message} : Verdict{};
}

QueryParts& query(XmlParts& parts) {
  return std::get<QueryParts>(parts);
}
AnalysisPart& analysis(XmlParts& parts) {
  return std::get<ResponseParts>(parts).analysis;
}
SubjectPart& subject(XmlParts& parts) {
  return analysis(parts).subjects.back();
}
KeywordPart& keyword(XmlParts& parts) {
  return subject(parts).keywords.back();
}

Verdict take_user_message(std::string_view value, XmlParts& parts) {
  if (is_blank(value)) return wrong(XmlError::empty_content, XmlRule::q3, "is blank");
  query(parts).user_message = value;
  return {};
}

Verdict take_topic_id(std::string_view value, XmlParts& parts) {
  if (is_blank(value)) return invalid(XmlRule::q4, "is blank");
  query(parts).context.topic_id = value;
  return {};
}

Verdict take_message_count(std::string_view value, XmlParts& parts) {
  auto const count = parse_message_count(value);
  if (!count) return invalid(XmlRule::q4, "is not a whole number from 0 to 9223372036854775807");
  query(parts).context.message_count = *count;
  return {};
}

Verdict take_list(std::string_view value, std::size_t items_max, std::vector<std::string>& list,
                  std::string_view message) {
  list = split_list(value);
  return list.size() <= items_max ? Verdict{} : wrong(XmlError::limit_exceeded, XmlRule::q5, message);
}

Verdict take_active_subjects(std::string_view value, XmlParts& parts) {
  return take_list(value, active_subjects_max, query(parts).context.active_subjects, "has more than 20 items");
}

Verdict take_recent_keywords(std::string_view value, XmlParts& parts) {
  return take_list(value, recent_keywords_max, query(parts).context.recent_keywords, "has more than 50 items");
}

Verdict take_response(std::string_view value, XmlParts& parts) {
  if (is_blank(value)) return wrong(XmlError::empty_content, XmlRule::r3, "is blank");
  std::get<ResponseParts>(parts).response = value;
  std::size_t const length = code_points(value);
  return warn_if(length < response_usual_min || length > response_usual_max, XmlRule::response_length,
                 "should have 100 to 2000 characters");
}

Verdict take_summary_update(std::string_view value, XmlParts& parts) {
  analysis(parts).summary_update = value;
  std::size_t const length = code_points(value);
  bool const is_usual = is_blank(value) || (length >= summary_usual_min && length <= summary_usual_max);
  return warn_if(!is_usual, XmlRule::summary_length, "should have 50 to 300 characters");
}

Verdict end_analysis(std::string_view /*text*/, XmlParts& parts) {
  return warn_if(analysis(parts).subjects.size() < subjects_usual_min, XmlRule::subject_count,
                 "should have 1 to 3 subjects");
}

/// A subject's name or a keyword's term.
Verdict check_name(std::string_view value, XmlRule rule) {
  if (is_blank(value)) return invalid(rule, "is blank");
  if (has_control_character(value)) return invalid(rule, "holds a control character");
  // Characters are bytes at least, so most names need no counting.
  if (value.size() > name_max && code_points(value) > name_max)
    return wrong(XmlError::limit_exceeded, rule, "is longer than 255 characters");
  return {};
}

Verdict take_name(std::string_view value, XmlParts& parts) {
  if (auto const verdict = check_name(value, XmlRule::r6); verdict.kind == Verdict::Kind::error) return verdict;
  subject(parts).name = value;
  return warn_if(!is_lowercase_hyphen(value), XmlRule::name_form, "is not lowercase words joined by hyphens");
}

Verdict take_description(std::string_view value, XmlParts& parts) {
  if (is_blank(value)) return invalid(XmlRule::r6, "is blank");
  subject(parts).description = value;
  std::size_t const length = code_points(value);
  return warn_if(length < description_usual_min || length > description_usual_max, XmlRule::description_length,
                 "should have 50 to 200 characters");
}

Verdict take_is_new(std::string_view value, XmlParts& parts) {
  auto const is_new = parse_is_new(value);
  if (!is_new) return invalid(XmlRule::r6, "is neither true nor false");
  subject(parts).is_new = *is_new;
  return {};
}

Verdict end_subject(std::string_view /*text*/, XmlParts& parts) {
  std::size_t const count = subject(parts).keywords.size();
  return warn_if(count < keywords_usual_min || count > keywords_usual_max, XmlRule::keyword_count,
                 "should have 3 to 7 keywords");
}

Verdict take_term(std::string_view value, XmlParts& parts) {
  if (auto const verdict = check_name(value, XmlRule::r8); verdict.kind == Verdict::Kind::error) return verdict;
  keyword(parts).term = value;
  return warn_if(!is_lowercase_hyphen(value), XmlRule::term_form, "is not lowercase words joined by hyphens");
}

Verdict take_confidence(std::string_view value, XmlParts& parts) {
  auto const confidence = parse_confidence(value);
  if (!confidence) return invalid(XmlRule::r9, "is not a number from 0.0 to 1.0");
  keyword(parts).confidence = *confidence;
  return warn_if(*confidence < confidence_usual_min, XmlRule::confidence, "is under 0.6");
}

void begin_query(XmlParts& parts) {
  parts = QueryParts{};
}
void begin_response(XmlParts& parts) {
  parts = ResponseParts{};
}
void begin_subject(XmlParts& parts) {
  auto& subjects = analysis(parts).subjects;
  subjects.reserve(row_of(Element::subject).count_max);
  subjects.emplace_back();
}
void begin_keyword(XmlParts& parts) {
  auto& keywords = subject(parts).keywords;
  keywords.reserve(row_of(Element::keyword).count_max);
  keywords.emplace_back();
}

constexpr AttributeRow context_attributes[] = {{"topicId", u"topicId", take_topic_id},
                                               {"messageCount", u"messageCount", take_message_count}};
constexpr AttributeRow subject_attributes[] = {
    {"name", u"name", take_name}, {"description", u"description", take_description}, {"isNew", u"isNew", take_is_new}};
constexpr AttributeRow keyword_attributes[] = {{"term", u"term", take_term},
                                               {"confidence", u"confidence", take_confidence}};

constexpr auto llm_query = XmlFormat::llm_query;
constexpr auto llm_response = XmlFormat::llm_response;

// clang-format off
// element, format, name, wide name, parent, rule, its attributes' rule, count min and max, text, text max, attributes, begin, end
constexpr std::array<ElementRow, element_count> table = {{
    {Element::llm_query, llm_query, "llmQuery", u"llmQuery", Element::llm_query, XmlRule::q2, XmlRule::q2, 1, 1, false, unbounded, {}, begin_query, nullptr},
    {Element::user_message, llm_query, "userMessage", u"userMessage", Element::llm_query, XmlRule::q3, XmlRule::q3, 1, 1, true, user_message_max, {}, nullptr, take_user_message},
    {Element::context, llm_query, "context", u"context", Element::llm_query, XmlRule::q4, XmlRule::q4, 1, 1, false, unbounded, context_attributes, nullptr, nullptr},
    {Element::active_subjects, llm_query, "activeSubjects", u"activeSubjects", Element::context, XmlRule::q5, XmlRule::q5, 0, 1, true, unbounded, {}, nullptr, take_active_subjects},
    {Element::recent_keywords, llm_query, "recentKeywords", u"recentKeywords", Element::context, XmlRule::q5, XmlRule::q5, 0, 1, true, unbounded, {}, nullptr, take_recent_keywords},
    {Element::llm_response, llm_response, "llmResponse", u"llmResponse", Element::llm_response, XmlRule::r2, XmlRule::r2, 1, 1, false, unbounded, {}, begin_response, nullptr},
    {Element::response, llm_response, "response", u"response", Element::llm_response, XmlRule::r3, XmlRule::r3, 1, 1, true, unbounded, {}, nullptr, take_response},
    {Element::analysis, llm_response, "analysis", u"analysis", Element::llm_response, XmlRule::r4, XmlRule::r4, 1, 1, false, unbounded, {}, nullptr, end_analysis},
    {Element::subject, llm_response, "subject", u"subject", Element::analysis, XmlRule::r5, XmlRule::r6, 0, subjects_max, false, unbounded, subject_attributes, begin_subject, end_subject},
    {Element::keyword, llm_response, "keyword", u"keyword", Element::subject, XmlRule::r7, XmlRule::r8, 0, keywords_max, false, unbounded, keyword_attributes, begin_keyword, nullptr},
    {Element::summary_update, llm_response, "summaryUpdate", u"summaryUpdate", Element::analysis, XmlRule::r10, XmlRule::r10, 1, 1, true, unbounded, {}, nullptr, take_summary_update},
}};
// clang-format on

consteval bool is_in_order() {
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (static_cast<std::size_t>(table[i].element) != i) return false;
  }
  return true;
}
static_assert(is_in_order(), "the rows are not those of `Element`, in its order");

consteval bool are_wide_names_equal() {
  return std::ranges::all_of(table, [](ElementRow const& row) {
    return std::ranges::equal(row.name, row.wide_name, {}, [](char c) { return static_cast<char16_t>(c); });
  });
}
static_assert(are_wide_names_equal(), "a row has two different names");

}  // namespace

void append_step(std::string& path, ElementRow const& row, std::uint32_t number) {
  path.append("/").append(row.name);
  if (row.count_max > 1 || number > 1) path.append("[").append(std::to_string(number)).append("]");
}

std::span<ElementRow const, element_count> elements() noexcept {
  return table;
}

ElementRow const& row_of(Element element) noexcept {
  return table[static_cast<std::size_t>(element)];
}

ElementRow const* find_element(XmlFormat format, std::u16string_view name) noexcept {
  for (ElementRow const& row : table) {
    if (row.format == format && is_equal(row.wide_name, name)) return &row;
  }
  return nullptr;
}

}  // namespace whence::schema::xml
