#pragma once
// Random parts of XML documents for property tests.

#include "schema/base/text.hpp"
#include "schema/xml/parts.hpp"
#include "tests/support/random_records.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

namespace whence::schema::xml::test {

/// How many random documents a test makes: WHENCE_XML_DOCUMENTS, or `usual`.
inline long documents_to_make(long usual) {
  char const* const given = std::getenv("WHENCE_XML_DOCUMENTS");
  return given != nullptr ? std::strtol(given, nullptr, 10) : usual;
}

/// Makes parts that some document holds, with every boundary sometimes reached.
class RandomParts {
 public:
  explicit RandomParts(std::uint64_t seed) : random_(seed) {}

  XmlParts next() { return random_.below(2) == 0 ? XmlParts{query()} : XmlParts{response()}; }

 private:
  std::string text(std::size_t length_max, std::string_view never_alone = "x") {
    static constexpr std::array<std::string_view, 24> letters = {
        "a", "Z", "\"", "'",  "<",    ">",      "&",      "]]>",    "\r",         "\n",     "\r\n",   "\t",
        " ", "-", "0",  "\\", "\x7F", "\u0085", "\u00e9", "\u20ac", "\U0001F600", "\uFEFF", "\u2028", "&amp;"};
    std::string result;
    for (std::size_t i = random_.below(std::min<std::size_t>(length_max, 40)); i > 0; --i) {
      result.append(letters[random_.below(letters.size())]);
    }
    if (random_.below(50) == 0) {
      for (std::size_t length = code_points(result); length < length_max; ++length) result.append("\U0001F600");
    }
    while (code_points(result) > length_max) result.pop_back();
    if (!is_utf8(result)) result.clear();
    return result.find_first_not_of(" \t\r\n") == std::string::npos ? std::string{never_alone} : result;
  }

  std::string name() {
    std::string result = text(255);
    return has_control_character(result) ? "n-" + std::to_string(random_.below(1000)) : result;
  }

  std::vector<std::string> items(std::size_t max) {
    std::vector<std::string> result;
    for (std::size_t i = random_.below(max + 1); i > 0; --i) {
      std::string item = "i" + text(30) + "i";
      std::erase(item, ',');
      result.push_back(std::move(item));
    }
    return result;
  }

  double confidence() {
    constexpr std::array corners = {0.0, 1.0, 0.1, 4.9e-324, 1e-300, 0.57, 1 - 1e-16};
    return random_.below(3) == 0 ? corners[random_.below(corners.size())] : random_.unit_interval();
  }

  QueryParts query() {
    QueryParts parts;
    parts.user_message = text(10'000);
    parts.context = {.topic_id = text(1000), .active_subjects = items(20), .recent_keywords = items(50)};
    parts.context.message_count = static_cast<std::int64_t>(random_.below(std::size_t{1} << 63U));
    return parts;
  }

  ResponseParts response() {
    ResponseParts parts;
    parts.response = text(20'000);
    parts.analysis.summary_update = random_.below(3) == 0 ? "" : text(500, "");
    for (std::size_t i = random_.below(4); i > 0; --i) {
      SubjectPart& subject = parts.analysis.subjects.emplace_back();
      subject.name = name();
      subject.description = text(4000);
      subject.is_new = random_.below(2) == 0;
      for (std::size_t k = random_.below(11); k > 0; --k) subject.keywords.push_back({name(), confidence()});
    }
    return parts;
  }

  schema::test::RandomRecords random_;
};

}  // namespace whence::schema::xml::test
