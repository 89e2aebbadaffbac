// The table, and one walk over the field tables of records that stops at the members it names.
#include "schema/search/texts.hpp"

#include "schema/base/digest.hpp"
#include "schema/records/long_texts.hpp"
#include "schema/records/record_fields.hpp"
#include "schema/search/markup_text.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace whence::schema {
namespace {

/// Rows of one type stand together.
constexpr auto searched_members = [] {
  using enum RecordType;
  constexpr double title = 3;  // what names a record
  constexpr double short_text = 2;
  constexpr double body = 1;
  constexpr double maker = 0.5;  // who or what made it: many records have the same
  return std::to_array<TextMember>({
      {context_unit, "summary", short_text},
      {context_unit, "source", short_text},
      {context_unit, "content", body},
      {response, "question", short_text},
      {response, "content", body},
      {response, "prompt", body},
      {response, "agent", maker},
      {response, "model", maker},
      {feedback_record, "feedback_text", body},
      {feedback_record, "user_id", maker},
      {topic, "name", title},
      {person, "name", title},
      {session, "name", title},
      {message, "text", body},
      {message, "role", maker},
      {xml_message_attachment, "xml", body},
      {keyword, "term", title},
      {subject, "name", title},
      {subject, "description", short_text},
      {summary, "content", body},
      {summary, "increment", body},
      {summary, "changeReason", body},
      {system_prompt_template, "modelId", short_text},
      {system_prompt_template, "promptText", body},
      {discussion, "topic", title},
      {discussion_round, "analyzerResponse/content", body},
      {discussion_round, "solverResponse/content", body},
      {discussion_round, "moderatorResponse/content", body},
      {discussion_round, "questions", body},
      {discussion_round, "userAnswers", body},
      {summary_entry, "summary", body},
      {document, "title", title},
      {document, "document_name", title},
      {document, "uri", short_text},
      {retrieved_chunk, "content", body},
      {retrieved_chunk, "metadata/section", short_text},
      {retrieved_chunk, "metadata/document_name", maker},
      {query, "question", short_text},
      {prompt_context, "question", short_text},
      {prompt_context, "system_prompt", body},
      {prompt_context, "formatted_context", body},
      {answer, "answer", body},
      {answer, "message", body},
      {answer, "citations/excerpt", body},
      {answer, "citations/document_name", maker},
      {answer, "citations/section", maker},
      {prov_entity, "qname", title},
      {prov_activity, "qname", title},
      {prov_agent, "qname", title},
  });
}();
constexpr double document_weight = 1;  // of an XML text
constexpr double id_weight = 3;

constexpr std::string_view blob_scheme = "sha256://";

using VisitText = std::function<void(RecordText const&)>;

std::span<TextMember const> rows_of(RecordType type) {
  auto const first = std::ranges::find(searched_members, type, &TextMember::type);
  auto const last =
      std::find_if(first, searched_members.end(), [&](TextMember const& row) { return row.type != type; });
  return {first, last};
}

/// Whether `path` is `parent`, "/" and `name`; `rest` says what may follow.
bool is_below(std::string_view path, std::string_view parent, std::string_view name, std::string_view rest) {
  if (!parent.empty()) {
    if (!path.starts_with(parent) || path.substr(parent.size(), 1) != "/") return false;
    path.remove_prefix(parent.size() + 1);
  }
  if (!path.starts_with(name)) return false;
  path.remove_prefix(name.size());
  return rest.empty() ? path.empty() : path.starts_with(rest);
}

/// Goes through one record.
class TextWalk {
 public:
  TextWalk(RecordType type, VisitText const& visit) : rows_(rows_of(type)), visit_(visit) {}

  template <Described T>
  void members(T const& record, std::string_view parent) {
    for_each_field<T>([&](auto const& field) {
      for (TextMember const& row : rows_) {
        bool const is_text = is_below(row.path, parent, field.name, "");
        if (!is_text && !is_below(row.path, parent, field.name, "/")) continue;
        auto const length = pointer_.size();
        pointer_.append("/").append(field.name);
        weight_ = row.weight;
        auto const below = row.path.substr(0, parent.size() + (parent.empty() ? 0 : 1) + field.name.size());
        value(record.*(field.member), below);
        pointer_.resize(length);
        if (!is_text) break;  // the walk of the inner members has looked at all rows
      }
    });
  }

 private:
  void value(std::string const& text, std::string_view /*path*/) {
    if (!text.empty()) visit_({pointer_, text, weight_});
  }
  void value(QuestionSet const& set, std::string_view path) { value(set.json, path); }
  template <class T>
  void value(std::optional<T> const& held, std::string_view path) {
    if (held) value(*held, path);
  }
  template <class T>
  void value(std::vector<T> const& items, std::string_view path) {
    auto const length = pointer_.size();
    for (std::size_t i = 0; i < items.size(); ++i) {
      pointer_.append("/").append(std::to_string(i));
      value(items[i], path);
      pointer_.resize(length);
    }
  }
  template <class T>
  void value(T const& other, std::string_view path) {
    if constexpr (Described<T>) members(other, path);
  }

  std::span<TextMember const> rows_;
  VisitText const& visit_;
  std::string pointer_ = {};
  double weight_ = 0;
};

Result<void> put_document(XmlMessageAttachment& attachment, RecordReader const& reader) {
  if (attachment.xml_content || !attachment.xml_blob) return {};
  std::string_view const name = *attachment.xml_blob;
  if (!name.starts_with(blob_scheme)) return {};
  auto const digest = digest_from_hex(name.substr(blob_scheme.size()));
  if (!digest) return {};
  auto text = reader.read_blob(*digest);
  if (!text) return text.error();
  attachment.xml_content = *std::move(text);
  return {};
}

/// A text that is gone is none.
Result<void> without_gone(Result<void> put) {
  if (!put && put.error().code == Errc::purged) return {};
  return put;
}

}  // namespace

std::span<TextMember const> text_members() noexcept {
  return searched_members;
}

void for_each_text(Record const& record, std::string_view id, VisitText const& visit) {
  bool has_id = false;
  VisitText const seen = [&](RecordText const& text) {
    has_id = has_id || text.text == id;
    visit(text);
  };
  std::visit(
      [&]<class T>(T const& each) {
        if constexpr (std::is_same_v<T, XmlMessageAttachment>) {
          if (!each.xml_content) return;
          auto const text = text_of_markup(*each.xml_content);
          seen({"/xml", text, document_weight});
        } else if constexpr (Described<T>) {
          TextWalk(T::record_type, seen).members(each, {});
        }
      },
      record);
  if (!has_id) visit({"/id", id, id_weight});
}

Result<void> put_searched_texts(Record& record, RecordReader const& reader) {
  auto put = without_gone(put_long_texts(record, reader));
  auto* const attachment = std::get_if<XmlMessageAttachment>(&record);
  if (!put || attachment == nullptr) return put;
  return without_gone(put_document(*attachment, reader));
}

}  // namespace whence::schema
