// Describing records. The members that describe a type are in the catalogue of record types.

#include "net/plain_text/record_line.hpp"

#include "net/plain_text/cell.hpp"
#include "schema/base/text.hpp"
#include "schema/base/time.hpp"
#include "schema/types/record_type.hpp"

#include <cstdint>
#include <optional>
#include <string_view>

#include <boost/json/value.hpp>

namespace whence::net::plain_text {
namespace {

namespace json = boost::json;

/// A member as part of a line; a count is preceded by its name.
std::string labelled(json::object const& record, std::string_view member) {
  json::value const* const value = record.if_contains(member);
  bool const is_count = value != nullptr && value->is_int64();
  return is_count ? std::string{member} + " " + cell(record, member) : cell(record, member);
}

/// Where a chunk is: "manual.pdf, page 5, Handling".
std::string place_of(json::object const& metadata) {
  std::string place = cell(metadata, "document_name");
  std::string const page = cell(metadata, "page_number");
  std::string const section = cell(metadata, "section");
  if (!page.empty()) place += ", page " + page;
  return section.empty() ? place : place + ", " + section;
}

constexpr std::size_t label_bytes_max = 160;

/// The first words of a text, without line breaks. Only as much is read as a label has.
std::string first_words(std::string_view text) {
  std::string words;
  for (char const c : text.substr(0, 2 * label_bytes_max)) {
    bool const is_space = c == ' ' || c == '\n' || c == '\r' || c == '\t';
    if (!is_space) {
      words += c;
    } else if (!words.empty() && words.back() != ' ') {
      words += ' ';
    }
  }
  if (text.size() > 2 * label_bytes_max && words.size() <= label_bytes_max) words += "...";
  while (!words.empty() && words.back() == ' ') words.pop_back();
  return schema::cut(words, label_bytes_max);
}

}  // namespace

std::string label(json::object const& record) {
  std::optional<schema::RecordType> const type = schema::find_record_type(cell(record, "$type$"));
  if (!type) return {};
  if (*type == schema::RecordType::response) {
    for (std::string_view member : {"question", "content"}) {
      if (std::string said = first_words(cell(record, member)); !said.empty()) return said;
    }
  }
  for (std::string_view member : schema::info(*type).label_members) {
    if (std::string words = first_words(cell(record, member)); !words.empty()) return words;
  }
  return {};
}

std::string details(json::object const& record) {
  std::optional<schema::RecordType> const type = schema::find_record_type(cell(record, "$type$"));
  if (!type) return {};
  schema::RecordTypeInfo const& info = schema::info(*type);
  std::string text;
  if (json::value const* const metadata = record.if_contains("metadata"); metadata && metadata->is_object()) {
    text = place_of(metadata->get_object());
  }
  if (*type == schema::RecordType::response) text = first_words(cell(record, "question"));
  for (std::string_view member : info.detail_members.empty() ? info.label_members : info.detail_members) {
    std::string const value = labelled(record, member);
    if (!value.empty()) text += (text.empty() ? "" : "  ") + value;
  }
  return text;
}

std::string mark_of_gone(json::object const& part) {
  for (std::string_view const why : {"purged", "expired"}) {
    json::value const* const mark = part.if_contains(why);
    if (mark != nullptr && mark->is_bool()) return "[" + std::string(why) + "]";
  }
  return {};
}

std::string note_of(json::object const& node) {
  json::value const* const record = node.if_contains("record");
  std::string const note = record != nullptr && record->is_object() ? details(record->get_object()) : std::string{};
  std::string const status = cell(node, "status");
  return status.empty() || status == "active" ? note : note + "  [" + status + "]";
}

std::string time_of(json::object const& record) {
  for (std::string_view name : {"timestamp", "lastSeen", "lastSeenAt", "createdAt"}) {
    json::value const* const value = record.if_contains(name);
    if (value == nullptr) continue;
    if (value->is_int64()) return schema::format_rfc3339(schema::time_of(schema::EpochMs{value->get_int64()}));
    return cell(record, name);
  }
  return {};
}

}  // namespace whence::net::plain_text
