// Which members describe a record.

#include "tools/cli/output/record_line.hpp"

#include "schema/base/time.hpp"
#include "tools/cli/output/cell.hpp"

#include <cstdint>
#include <string_view>
#include <vector>

#include <boost/json/value.hpp>

namespace whence::tools {
namespace {

namespace json = boost::json;

/// A member as part of a line; a count is preceded by its name.
std::string labelled(json::object const& record, std::string_view member) {
  json::value const* const value = record.if_contains(member);
  bool const is_count = value != nullptr && value->is_int64();
  return is_count ? std::string{member} + " " + cell(record, member) : cell(record, member);
}

}  // namespace

std::string details(json::object const& record) {
  struct Described {
    std::string_view type;
    std::vector<std::string_view> members;
  };
  static std::vector<Described> const table = {
      {"ContextUnit", {"type", "source", "summary"}},
      {"Response", {"agent", "model"}},
      {"FeedbackRecord", {"score", "user_id", "feedback_text"}},
      {"Topic", {"name"}},
      {"Message", {"role", "text"}},
      {"XMLMessageAttachment", {"format", "messageId"}},
      {"Keyword", {"frequency"}},
      {"Subject", {"name", "messageCount", "description"}},
      {"Summary", {"increment"}},
      {"SystemPromptTemplate", {"promptText"}},
      {"Discussion", {"topic"}},
      {"SummaryEntry", {"summary"}},
      {"Document", {"title", "uri"}},
      {"RetrievedChunk", {"content"}},
      {"Query", {"question"}},
      {"EmbeddingVector", {"model_name"}},
      {"PromptContext", {"question"}},
      {"Answer", {"answer", "message"}},
      {"ProvEntity", {"qname"}},
      {"ProvActivity", {"qname"}},
      {"ProvAgent", {"qname"}},
  };
  std::string const type = cell(record, "$type$");
  std::string text;
  for (Described const& row : table) {
    if (row.type != type) continue;
    for (std::string_view member : row.members) {
      std::string const value = labelled(record, member);
      if (!value.empty()) text += (text.empty() ? "" : "  ") + value;
    }
  }
  return text;
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

}  // namespace whence::tools
