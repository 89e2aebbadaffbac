#pragma once
// Documents for tests of the XML contract, in the shortest form that holds every rule, and what a refusal says in one
// line.

#include "schema/xml/contract.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace whence::schema::xml::test {

/// A query around the inside of its root, or of its context.
inline std::string query(std::string const& inside) {
  return "<llmQuery>" + inside + "</llmQuery>";
}
inline std::string const context = "<context topicId=\"t\" messageCount=\"1\"/>";
inline std::string query_of(std::string const& in_context) {
  return query("<userMessage>u</userMessage><context topicId=\"t\" messageCount=\"1\">" + in_context + "</context>");
}

/// A response around the inside of its root, or of its analysis.
inline std::string response(std::string const& inside) {
  return "<llmResponse>" + inside + "</llmResponse>";
}
inline std::string response_of(std::string const& in_analysis) {
  return response("<response>r</response><analysis>" + in_analysis + "<summaryUpdate/></analysis>");
}
inline std::string subject(std::string const& inside = {}, std::string const& name = "a") {
  return "<subject name=\"" + name + "\" description=\"d\" isNew=\"true\">" + inside + "</subject>";
}
inline std::string keyword(std::string const& confidence = "0.9", std::string const& term = "k") {
  return "<keyword term=\"" + term + "\" confidence=\"" + confidence + "\"/>";
}
inline std::string repeat(std::string const& text, std::size_t count) {
  std::string result;
  for (std::size_t i = 0; i < count; ++i) result += text;
  return result;
}

/// "missing_element R3 1:14 /llmResponse/response", or "valid".
inline std::string verdict(Result<Document> const& result) {
  if (result) return "valid";
  Violation const violation = result.error().violations.at(0);  // error() is a copy
  return violation.xml->error + " " + violation.rule + " " + std::to_string(violation.xml->line) + ":" +
         std::to_string(violation.xml->column) + " " + violation.path;
}
inline std::string verdict(std::string_view bytes, std::optional<XmlFormat> format = {}, Limits const& limits = {}) {
  return verdict(read(bytes, format, limits));
}

/// "name_form 1:40 /llmResponse/analysis/subject[1]/@name" for each warning, joined by ", ".
inline std::string warnings(std::string_view bytes) {
  auto const document = read(bytes);
  if (!document) return verdict(document);
  std::string result;
  for (Violation const& warning : document->warnings) {
    if (!result.empty()) result += ", ";
    result += warning.rule + " " + std::to_string(warning.xml->line) + ":" + std::to_string(warning.xml->column) + " " +
              warning.path;
  }
  return result;
}

}  // namespace whence::schema::xml::test
