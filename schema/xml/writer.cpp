// Writing. The document is read back before it is returned, so that no rule is implemented twice. Only parts that would
// read back differently are checked before.
#include "schema/base/limits.hpp"
#include "schema/base/text.hpp"
#include "schema/xml/contract.hpp"
#include "schema/xml/escape.hpp"
#include "schema/xml/values.hpp"

#include <array>
#include <charconv>
#include <utility>

namespace whence::schema::xml {
namespace {

void append_attribute(std::string& out, std::string_view name, std::string_view value) {
  out.append(" ").append(name).append("=\"");
  append_escaped(out, value, TextPlace::quoted_attribute);
  out.append("\"");
}

void append_element(std::string& out, std::string_view name, std::string_view text) {
  out.append("<").append(name).append(">");
  append_escaped(out, text, TextPlace::content);
  out.append("</").append(name).append(">");
}

/// The shortest text that reads back the same, whatever the locale.
template <class Number>
std::string number(Number value) {
  std::array<char, 32> text{};
  auto const [end, error] = std::to_chars(text.data(), text.data() + text.size(), value);
  return {text.data(), end};
}

void append_list(std::string& out, std::string_view name, std::vector<std::string> const& items) {
  if (items.empty()) return;
  std::string joined;
  for (std::string const& item : items) {
    if (!joined.empty()) joined.append(", ");
    joined.append(item);
  }
  append_element(out, name, joined);
}

void append(std::string& out, QueryParts const& query) {
  out.append("<llmQuery>");
  append_element(out, "userMessage", query.user_message);
  out.append("<context");
  append_attribute(out, "topicId", query.context.topic_id);
  append_attribute(out, "messageCount", number(query.context.message_count));
  out.append(">");
  append_list(out, "activeSubjects", query.context.active_subjects);
  append_list(out, "recentKeywords", query.context.recent_keywords);
  out.append("</context></llmQuery>");
}

void append(std::string& out, SubjectPart const& subject) {
  out.append("<subject");
  append_attribute(out, "name", subject.name);
  append_attribute(out, "description", subject.description);
  append_attribute(out, "isNew", subject.is_new ? "true" : "false");
  out.append(">");
  for (KeywordPart const& keyword : subject.keywords) {
    out.append("<keyword");
    append_attribute(out, "term", keyword.term);
    append_attribute(out, "confidence", number(keyword.confidence));
    out.append("/>");
  }
  out.append("</subject>");
}

void append(std::string& out, ResponseParts const& response) {
  out.append("<llmResponse>");
  append_element(out, "response", response.response);
  out.append("<analysis>");
  for (SubjectPart const& subject : response.analysis.subjects) append(out, subject);
  append_element(out, "summaryUpdate", response.analysis.summary_update);
  out.append("</analysis></llmResponse>");
}

Error refusal(XmlError error, XmlRule rule, std::string_view path, std::string_view message,
              std::string_view seen = {}) {
  return error_from(Violation{.code = Errc::invalid_xml,
                              .rule = std::string{info(rule).name},
                              .path = std::string{path},
                              .index = {},
                              .seen = cut(seen, schema::limits::seen_bytes_max),
                              .message = std::string{message},
                              .xml = XmlPlace{.error = std::string{name_of(error)}}});
}

/// Whether an item is read back as the same single item once it is between commas.
bool is_item(std::string_view item) noexcept {
  return !item.empty() && trim(item).size() == item.size() && item.find(',') == std::string_view::npos;
}

std::optional<Error> find_bad_item(XmlParts const& parts) {
  auto const* const query = std::get_if<QueryParts>(&parts);
  if (query == nullptr) return std::nullopt;
  auto const check = [](std::vector<std::string> const& items, std::string_view path) -> std::optional<Error> {
    for (std::string const& item : items) {
      if (is_item(item)) continue;
      return refusal(XmlError::malformed_xml, XmlRule::q5, path,
                     "an item of a list is blank, begins or ends with white space, or holds a comma", item);
    }
    return std::nullopt;
  };
  if (auto error = check(query->context.active_subjects, "/llmQuery/context/activeSubjects")) return error;
  return check(query->context.recent_keywords, "/llmQuery/context/recentKeywords");
}

}  // namespace

Result<std::string> write(XmlParts const& parts) {
  if (auto error = find_bad_item(parts)) return *std::move(error);
  std::string text;
  std::visit([&text](auto const& each) { append(text, each); }, parts);
  Result<Document> const again = read(text, format_of(parts));
  if (!again) {
    Error error = again.error();
    // Lines and columns of a text that was not shown say nothing.
    for (Violation& violation : error.violations) violation.xml = XmlPlace{.error = violation.xml->error};
    return error;
  }
  if (again->parts == parts) return text;
  XmlRule const rule = format_of(parts) == XmlFormat::llm_query ? XmlRule::q1 : XmlRule::r1;
  return refusal(XmlError::malformed_xml, rule, "/", "no document says these parts");
}

}  // namespace whence::schema::xml
