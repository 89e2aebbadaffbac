#pragma once
// The contents of the two XML documents as plain values: the answer of `xml.validate` and the params of `xml.build`.
// Reading and writing of the documents is in contract.hpp, the contract in README.md.

#include "schema/base/fields.hpp"
#include "schema/types/named_enum.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace whence::schema {

/// The two kinds of document (`format` of an attachment). Numbers are stored.
enum class XmlFormat : std::uint8_t { llm_query = 0, llm_response = 1 };
constexpr std::array<std::string_view, 2> enum_names(XmlFormat) noexcept {
  return {"llm-query", "llm-response"};
}

/// `<context>` of a query. List items are trimmed and not empty.
struct QueryContext {
  std::string topic_id = {};
  std::int64_t message_count = 0;
  std::vector<std::string> active_subjects = {};
  std::vector<std::string> recent_keywords = {};

  friend bool operator==(QueryContext const&, QueryContext const&) = default;
};

/// `<llmQuery>`. Texts are untrimmed.
struct QueryParts {
  std::string user_message = {};
  QueryContext context = {};

  static constexpr XmlFormat format = XmlFormat::llm_query;
  friend bool operator==(QueryParts const&, QueryParts const&) = default;
};

struct KeywordPart {
  std::string term = {};
  double confidence = 0;

  friend bool operator==(KeywordPart const&, KeywordPart const&) = default;
};

struct SubjectPart {
  std::string name = {};
  std::string description = {};
  bool is_new = false;
  std::vector<KeywordPart> keywords = {};

  friend bool operator==(SubjectPart const&, SubjectPart const&) = default;
};

struct AnalysisPart {
  std::vector<SubjectPart> subjects = {};
  std::string summary_update = {};

  friend bool operator==(AnalysisPart const&, AnalysisPart const&) = default;
};

/// `<llmResponse>`. Texts and attribute values are untrimmed.
struct ResponseParts {
  std::string response = {};
  AnalysisPart analysis = {};

  static constexpr XmlFormat format = XmlFormat::llm_response;
  friend bool operator==(ResponseParts const&, ResponseParts const&) = default;
};

using XmlParts = std::variant<QueryParts, ResponseParts>;

[[nodiscard]] XmlFormat format_of(XmlParts const& parts) noexcept;

template <>
struct Describe<QueryContext> {
  using T = QueryContext;
  static constexpr auto fields = std::tuple{
      field("topicId", &T::topic_id, Presence::required, rules::any(), "The conversation; not blank."),
      field("messageCount", &T::message_count, Presence::required, rules::any(), "Messages in it so far, from 0."),
      field("activeSubjects", &T::active_subjects, Presence::optional, rules::any(), "Names of its current subjects."),
      field("recentKeywords", &T::recent_keywords, Presence::optional, rules::any(), "Terms of its recent keywords."),
  };
};

template <>
struct Describe<QueryParts> {
  using T = QueryParts;
  static constexpr auto fields = std::tuple{
      field("userMessage", &T::user_message, Presence::required, rules::any(), "What the user said; not blank."),
      field("context", &T::context, Presence::required, rules::any(), "The state of the conversation."),
  };
};

template <>
struct Describe<KeywordPart> {
  using T = KeywordPart;
  static constexpr auto fields = std::tuple{
      field("term", &T::term, Presence::required, rules::any(), "The keyword; not blank."),
      field("confidence", &T::confidence, Presence::required, rules::any(), "Certainty of its extraction, 0 to 1."),
  };
};

template <>
struct Describe<SubjectPart> {
  using T = SubjectPart;
  static constexpr auto fields = std::tuple{
      field("name", &T::name, Presence::required, rules::any(), "The subject; not blank."),
      field("description", &T::description, Presence::required, rules::any(), "What it is about; not blank."),
      field("isNew", &T::is_new, Presence::required, rules::any(), "Whether the model takes it for a new one."),
      field("keywords", &T::keywords, Presence::optional, rules::any(), "Its keywords, at most 10."),
  };
};

template <>
struct Describe<AnalysisPart> {
  using T = AnalysisPart;
  static constexpr auto fields = std::tuple{
      field("subjects", &T::subjects, Presence::optional, rules::any(), "What the exchange is about, at most 3."),
      field("summaryUpdate", &T::summary_update, Presence::required, rules::any(), "What it adds; may be empty."),
  };
};

template <>
struct Describe<ResponseParts> {
  using T = ResponseParts;
  static constexpr auto fields = std::tuple{
      field("response", &T::response, Presence::required, rules::any(), "What is said to the user; not blank."),
      field("analysis", &T::analysis, Presence::required, rules::any(), "What the exchange is about."),
  };
};

}  // namespace whence::schema
