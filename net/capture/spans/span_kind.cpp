// The first row of the table that fits decides. A row that only says that a model is named fits where the span also
// says that the model was asked: requests that count tokens name one, too. Without a row the events decide.

#include "net/capture/spans/span_kind.hpp"

#include "net/capture/messages/json_text.hpp"
#include "net/capture/spans/events.hpp"
#include "schema/base/text.hpp"

#include <algorithm>
#include <string_view>

namespace whence::net::capture {

namespace {

/// Whether an object is a document as LangChain has it.
bool is_document(boost::json::value const& value) {
  auto const* const object = value.if_object();
  return object != nullptr && object_at(*object, "metadata") != nullptr &&
         !string_at(*object, {"pageContent", "page_content"}).empty();
}

/// Whether an object is a node as LlamaIndex has one that it found.
bool is_scored_node(boost::json::value const& value) {
  auto const* const object = value.if_object();
  auto const* const node = object == nullptr || !object->contains("score") ? nullptr : object_at(*object, "node");
  return node != nullptr && !string_at(*node, {"text"}).empty();
}

/// Whether a task of OpenLLMetry's is a retriever by what it gave: its client for LlamaIndex names none.
bool gave_nodes(KindRow const& row, Attributes const& attributes) {
  if (row.name != "traceloop.span.kind" || row.kind != Kind::chain || row.is_agent) return false;
  auto const* const gave = attributes.peek_first(Meaning::tool_result);
  auto const* const text = gave == nullptr ? nullptr : gave->if_string();
  bool const may_be_nodes =
      text != nullptr && text->starts_with('[') && std::string_view(*text).find(R"("node")") != std::string_view::npos;
  if (!may_be_nodes) return false;
  auto const held = structured(*gave);
  auto const* const list = held.if_array();
  return list != nullptr && std::ranges::all_of(*list, is_scored_node);
}

/// Whether a step is a retriever by what it says: it was asked a text, and gave documents. Langfuse's client for
/// LangChain.js names retrievers as any other step.
bool gave_documents(KindRow const& row, Attributes const& attributes) {
  if (row.name != "langfuse.observation.type" || row.kind != Kind::chain) return false;
  auto const* const asked = attributes.peek_first(Meaning::question);
  auto const* const gave = attributes.peek_first(Meaning::answer);
  auto const* const text = gave == nullptr ? nullptr : gave->if_string();
  bool const may_be_documents = text != nullptr && text->starts_with('[') &&
                                (std::string_view(*text).find(R"("pageContent")") != std::string_view::npos ||
                                 std::string_view(*text).find(R"("page_content")") != std::string_view::npos);
  if (!may_be_documents || asked == nullptr || !structured(*asked).is_string()) return false;
  auto const held = structured(*gave);
  auto const* const list = held.if_array();
  return list != nullptr && std::ranges::all_of(*list, is_document);
}

/// Whether an attribute is of what a model was given or gave.
bool is_told_of_call(std::string_view name) {
  return std::ranges::any_of(mapping_rows(), [&](MappingRow const& row) {
    switch (row.meaning) {
      case Meaning::instructions:
      case Meaning::input_messages:
      case Meaning::prompt:
      case Meaning::output_messages:
      case Meaning::answer:
      case Meaning::answer_calls:
      case Meaning::reasoning:
      case Meaning::input_tokens:
      case Meaning::output_tokens:
      case Meaning::usage_details:
      case Meaning::response_id:
        return row.is_family ? name.starts_with(row.name) : name == row.name;
      default:
        return false;
    }
  });
}

/// The same, or of why it gave nothing: one that names the model alone may be of a request that asks none, such as to
/// count tokens.
bool is_of_call(std::string_view name) {
  return is_one_of(name, {"gen_ai.response.model", "gen_ai.response.finish_reasons", "llm.response.model", "error.type",
                          "otel.status_code"}) ||
         is_told_of_call(name);
}

/// Whether a span that names a model and no operation says that the model was asked. Of one that answered more has to
/// be said than that.
bool says_call(KindRow const& row, Span const& span, Attributes const& attributes) {
  auto const is_of_message = [](SpanEvent const& event) {
    return is_message_event(event.name) || is_details_event(event.name) || event.name == exception_event;
  };
  auto const is_telling = row.name == "gen_ai.response.model" ? is_told_of_call : is_of_call;
  return !attributes.first_name(is_telling).empty() || std::ranges::any_of(span.events, is_of_message);
}

/// What the value of an attribute says that a span is: a text, or the JSON of one, or the `type` of an object.
std::string said_kind(boost::json::value const& held) {
  constexpr std::size_t json_max = 4096;
  if (!held.is_string()) return {};
  std::string_view const text(held.get_string());
  if (text.size() > json_max) return {};
  if (text.size() > 1 && text.front() == '"' && text.back() == '"') return std::string(text.substr(1, text.size() - 2));
  if (!text.starts_with('{')) return std::string(text);
  auto const value = structured(held);
  auto const* const object = value.if_object();
  return object == nullptr ? std::string{} : std::string(string_at(*object, {"type"}));
}

}  // namespace

std::optional<KindRow> kind_of(Span const& span, Attributes& attributes) {
  bool const has_passages =
      std::ranges::any_of(span.events, [](SpanEvent const& event) { return is_passage_event(event.name); });
  bool is_unasked = false;
  boost::json::value const* asked = nullptr;  // of rows with one name one after the other
  std::string said;
  for (auto const& row : kind_rows()) {
    auto const* const held = attributes.peek(row.name);
    if (held == nullptr) continue;
    if (asked != held) said = said_kind(*held);
    asked = held;
    if (!row.value.empty() && !is_same_but_case(said, row.value)) continue;
    bool const names_model = row.value.empty() && row.kind == Kind::call;
    if (names_model && !says_call(row, span, attributes)) {
      is_unasked = is_unasked || row.name != "gen_ai.response.model";
      continue;
    }
    bool const is_all = held->is_string() && said.size() + 2 >= held->get_string().size();  // JSON says more
    if (!row.value.empty() && is_all) (void)attributes.find(row.name);
    bool const is_run = row.is_agent && !row.value.empty();  // others only name the agent that they are within
    bool const is_search = has_passages && row.kind == Kind::chain && !is_run;  // a step that says what it found
    bool const has_found = !is_run && (gave_documents(row, attributes) || gave_nodes(row, attributes));
    return is_search || has_found ? KindRow{.kind = Kind::retrieval} : row;
  }
  if (has_passages) return KindRow{.kind = Kind::retrieval};
  bool const has_messages =
      std::ranges::any_of(span.events, [](SpanEvent const& event) { return is_message_event(event.name); });
  if (has_messages) return KindRow{.kind = Kind::call};
  bool const is_rated =
      std::ranges::any_of(span.events, [](SpanEvent const& event) { return event.name == evaluation_event; });
  return is_rated || is_unasked ? std::optional{KindRow{.kind = Kind::chain}} : std::nullopt;
}

std::string unknown_kind(std::optional<KindRow> const& row, Attributes const& attributes) {
  constexpr std::size_t value_max = 60;
  auto const names_kinds = [&](KindRow const& each) { return each.name == row->name && !each.value.empty(); };
  bool const is_any = row && !row->name.empty() && row->value.empty() && row->kind == Kind::chain && !row->is_agent;
  if (is_any && std::ranges::any_of(kind_rows(), names_kinds)) {  // else the name alone says what it is
    auto const* const held = attributes.peek(row->name);
    return std::string(row->name) + " " + schema::cut(held == nullptr ? std::string{} : text_of(*held), value_max);
  }
  if (row) return {};
  auto const name = attributes.first_name(is_of_conventions);
  return name.empty() ? std::string{} : schema::cut("with " + name, value_max);
}

}  // namespace whence::net::capture
