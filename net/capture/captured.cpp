// From attributes to what they mean. Nothing here knows a name of an attribute that is not in the mapping table, but
// for the members of messages and documents.

#include "net/capture/captured.hpp"

#include "schema/base/digest.hpp"
#include "schema/base/limits.hpp"
#include "schema/json/json.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <string_view>
#include <utility>

namespace whence::net::capture {

namespace {

namespace json = boost::json;

constexpr std::size_t kept_bytes_max = 256;

std::optional<double> number_of(json::value const* held) {
  if (held == nullptr) return std::nullopt;
  double value = std::nan("");
  if (held->is_double()) value = held->get_double();
  if (held->is_int64()) value = static_cast<double>(held->get_int64());
  if (held->is_uint64()) value = static_cast<double>(held->get_uint64());
  if (auto const* const text = held->if_string()) {
    auto const end = text->data() + text->size();
    if (std::from_chars(text->data(), end, value).ptr != end) return std::nullopt;
  }
  return std::isfinite(value) ? std::optional{value} : std::nullopt;
}

std::optional<std::int64_t> count_of(json::value const* held) {
  auto const number = number_of(held);
  bool const is_count = number && *number >= 0 && *number <= 9007199254740991.0;
  return is_count ? std::optional{static_cast<std::int64_t>(*number)} : std::nullopt;
}

/// A text, or what a JSON text of one holds.
std::string plain_text_of(json::value const& value) {
  if (!value.is_string()) return text_of(value);
  auto const parsed = schema::json::parse_foreign(std::string_view{value.get_string()});
  return parsed && parsed->value.is_string() ? std::string(parsed->value.get_string()) : text_of(value);
}

/// A vector, or its JSON text; empty where it is none, or has more numbers than a vector may have.
std::vector<float> numbers_of(json::value const* held) {
  if (held == nullptr) return {};
  auto const list = structured(*held);
  if (!list.is_array() || list.get_array().size() > schema::limits::embedding_dimension_max) return {};
  std::vector<float> numbers;
  numbers.reserve(list.get_array().size());
  for (auto const& each : list.get_array()) {
    auto const number = each.is_number() ? number_of(&each) : std::nullopt;
    if (!number || std::abs(*number) > std::numeric_limits<float>::max()) return {};
    numbers.push_back(static_cast<float>(*number));
  }
  bool const has_direction = std::ranges::any_of(numbers, [](float each) { return each != 0; });
  return has_direction ? numbers : std::vector<float>{};
}

/// The members of a family, `NAME.0.REST` -> 0 -> REST, in the order of their numbers.
using Family = std::map<std::uint64_t, json::object>;

/// The attributes of one span or event by meaning. Remembers which were asked for.
class Attributes {
 public:
  explicit Attributes(AttributeMap const& all) : all_(all) {}

  [[nodiscard]] json::value const* find(std::string_view name) {
    auto const* const held = all_.if_contains(name);
    if (held != nullptr) used_.insert(std::string(name));
    return held;
  }

  /// The first value of the meaning that is not a family's, and says something.
  [[nodiscard]] json::value const* first(Meaning meaning) {
    json::value const* found = nullptr;
    for (auto const& row : mapping_rows()) {
      if (row.meaning != meaning || row.is_family) continue;
      auto const* const held = find(row.name);
      bool const says = held != nullptr && !held->is_null() && !(held->is_string() && held->get_string().empty());
      if (found == nullptr && says) found = held;
    }
    return found;
  }

  /// The name that a meaning's attribute gives, which is kept beside what is made of it. A long one is its digest.
  [[nodiscard]] std::string kept_text(Meaning meaning) const {
    for (auto const& row : mapping_rows()) {
      if (row.meaning != meaning) continue;
      auto const* const held = all_.if_contains(row.name);
      if (held == nullptr || !held->is_string() || held->get_string().empty()) continue;
      std::string const text(held->get_string());
      return text.size() <= kept_bytes_max ? text : "sha256-" + schema::to_hex(schema::sha256(text));
    }
    return {};
  }

  [[nodiscard]] std::string text(Meaning meaning) {
    auto const* const held = first(meaning);
    return held == nullptr ? std::string{} : text_of(*held);
  }

  /// The messages of the meaning, of the first row that has some.
  [[nodiscard]] std::vector<Message> messages(Meaning meaning, std::string_view role) {
    for (auto const& row : mapping_rows()) {
      if (row.meaning != meaning) continue;
      std::vector<Message> found;
      if (row.is_family) {
        for (auto const& [number, members] : family(row.name)) {
          auto const message = message_of(flat_message(members), role);
          if (!message.text.empty()) found.push_back(message);
        }
      } else if (auto const* const held = find(row.name)) {
        found = messages_of(*held, role);
      }
      if (!found.empty()) return found;
    }
    return {};
  }

  /// The documents that a retrieval found, as objects with plain names.
  [[nodiscard]] std::vector<json::object> documents() {
    std::vector<json::object> found;
    for (auto const& row : mapping_rows()) {
      if (row.meaning != Meaning::documents || !found.empty()) continue;
      if (row.is_family) {
        for (auto& [number, members] : family(row.name)) found.push_back(without_prefix(members, "document."));
      } else if (auto const* const held = find(row.name)) {
        auto const list = structured(*held);
        if (!list.is_array()) continue;
        for (auto const& each : list.get_array()) {
          if (each.is_object()) found.push_back(without_prefix(each.get_object(), "document."));
        }
      }
    }
    return found;
  }

  /// The texts that were made numbers, with these; without numbers where they are none.
  [[nodiscard]] std::vector<EmbeddedText> embeddings() {
    std::vector<EmbeddedText> found;
    for (auto const& row : mapping_rows()) {
      if (row.meaning != Meaning::embeddings || !found.empty()) continue;
      if (row.is_family) {
        for (auto const& [number, members] : family(row.name)) {
          auto const flat = without_prefix(members, "embedding.");
          auto const* const text = flat.if_contains("text");
          found.push_back({text == nullptr ? std::string{} : text_of(*text), numbers_of(flat.if_contains("vector"))});
        }
      } else if (auto const* const held = find(row.name); held != nullptr && held->is_array()) {
        auto const* const texts = first(Meaning::embedded);
        for (auto const& each : held->get_array()) {
          auto const* const text =
              texts != nullptr && texts->is_array() ? texts->get_array().if_contains(found.size()) : nullptr;
          found.push_back({text == nullptr ? std::string{} : plain_text_of(*text), numbers_of(&each)});
        }
      }
    }
    return found;
  }

  /// What nobody asked for.
  [[nodiscard]] AttributeMap rest() const {
    AttributeMap left;
    for (auto const& pair : all_) {
      std::string const name(pair.key());
      if (!used_.contains(name)) left.emplace(name, pair.value());
    }
    return left;
  }

 private:
  [[nodiscard]] Family family(std::string_view name) {
    Family members;
    auto const prefix = std::string(name) + ".";
    for (auto const& pair : all_) {
      std::string_view const key{pair.key().data(), pair.key().size()};
      if (!key.starts_with(prefix)) continue;
      auto const tail = key.substr(prefix.size());
      std::uint64_t number = 0;
      auto const parsed = std::from_chars(tail.data(), tail.data() + tail.size(), number);
      auto const after = static_cast<std::size_t>(parsed.ptr - tail.data());
      if (parsed.ec != std::errc{} || after >= tail.size() || tail[after] != '.') continue;
      used_.insert(std::string(key));
      members[number].insert_or_assign(tail.substr(after + 1), pair.value());
    }
    return members;
  }

  static json::object without_prefix(json::object const& from, std::string_view prefix) {
    json::object result;
    for (auto const& pair : from) {
      std::string_view name{pair.key().data(), pair.key().size()};
      if (name.starts_with(prefix)) name.remove_prefix(prefix.size());
      result.insert_or_assign(name, pair.value());
    }
    return result;
  }

  /// `message.role`, `message.content`, `message.contents.0.message_content.text`, `tool_calls.0.name` of a family's
  /// member as one message.
  static json::object flat_message(json::object const& from) {
    json::object message;
    std::map<std::string, json::value> parts;
    json::object calls;
    auto const flat = without_prefix(from, "message.");
    for (auto const& pair : flat) {
      std::string_view const name{pair.key().data(), pair.key().size()};
      if (name.starts_with("contents.") && name.ends_with(".message_content.text")) {
        parts.emplace(name, pair.value());
      } else if (name.starts_with("tool_calls.")) {
        calls.insert_or_assign(name.substr(std::string_view{"tool_calls."}.size()), pair.value());
      } else {
        message.insert_or_assign(name, pair.value());
      }
    }
    if (!parts.empty() && !message.contains("content")) {
      json::array list;
      for (auto const& [name, text] : parts) list.push_back(text);
      message["content"] = std::move(list);
    }
    if (!calls.empty()) message["tool_calls"] = std::move(calls);
    return message;
  }

  AttributeMap const& all_;
  std::set<std::string> used_;
};

std::optional<Kind> kind_of(Span const& span, Attributes& attributes) {
  for (auto const& row : kind_rows()) {
    auto const* const held = attributes.find(row.name);
    if (held == nullptr) continue;
    bool const fits = row.value.empty() || (held->is_string() && held->get_string() == row.value);
    if (fits) return row.kind;
  }
  return std::ranges::any_of(span.events, [](SpanEvent const& event) { return event.name.starts_with("gen_ai."); })
             ? std::optional{Kind::call}
             : std::nullopt;
}

/// The text of the first of the members that says something.
std::string first_text(json::object const& from, std::initializer_list<std::string_view> names) {
  for (auto const name : names) {
    auto const* const held = from.if_contains(name);
    if (held == nullptr || held->is_null()) continue;
    auto text = text_of(*held);
    if (!text.empty()) return text;
  }
  return {};
}

Passage passage_of(json::object const& document) {
  json::object metadata;
  if (auto const* const held = document.if_contains("metadata")) {
    auto const value = structured(*held);
    if (value.is_object()) metadata = value.get_object();
  }
  for (auto const& pair : document) {  // metadata.source of instrumentations that flatten it
    std::string_view const name{pair.key().data(), pair.key().size()};
    if (name.starts_with("metadata.")) metadata.insert_or_assign(name.substr(9), pair.value());
  }
  Passage passage{.id = first_text(document, {"id"}),
                  .document = first_text(metadata, {"source", "document_name", "file_name", "title"}),
                  .content = first_text(document, {"content", "text", "page_content"}),
                  .score = number_of(document.if_contains("score"))};
  if (!passage.score) passage.score = number_of(metadata.if_contains("score"));
  auto const page = count_of(metadata.if_contains("page"));
  passage.page = page ? page : count_of(metadata.if_contains("page_number"));
  if (passage.document.empty()) passage.document = passage.id;
  return passage;
}

Evaluation evaluation_of(SpanName const& of, Nanos time, AttributeMap const& all) {
  Attributes attributes(all);
  Evaluation result{.of = of, .response_id = attributes.kept_text(Meaning::response_id), .time = time};
  result.name = attributes.text(Meaning::evaluation_name);
  result.score = number_of(attributes.first(Meaning::evaluation_score));
  result.label = attributes.text(Meaning::evaluation_label);
  result.text = attributes.text(Meaning::evaluation_text);
  return result;
}

EventRow const* find_event(std::string_view name) {
  auto const rows = event_rows();
  auto const found = std::ranges::find(rows, name, &EventRow::name);
  return found == rows.end() ? nullptr : &*found;
}

/// What an event says, in its body where it is a log record, else in its attributes. Older events have the message in
/// `gen_ai.prompt` and `gen_ai.completion`.
std::vector<Message> said_by(EventRow const& row, json::value const& body, AttributeMap const& all) {
  std::vector<Message> found;
  if (!body.is_null()) found = messages_of(body, row.role);
  if (!found.empty()) return found;
  Attributes attributes(all);
  found = attributes.messages(row.is_output ? Meaning::output_messages : Meaning::input_messages, row.role);
  if (!found.empty()) return found;
  if (auto const* const held = attributes.first(row.is_output ? Meaning::answer : Meaning::prompt)) {
    found = messages_of(*held, row.role);
  }
  if (found.empty()) {
    auto message = message_of(json::value(all), row.role);
    if (!message.text.empty()) found.push_back(std::move(message));
  }
  return found;
}

/// The messages of a span or log record with all of them in its attributes.
void read_details(AttributeMap const& all, std::vector<Message>& input, std::vector<Message>& output) {
  Attributes attributes(all);
  auto said = attributes.messages(Meaning::instructions, "system");
  for (auto& each : attributes.messages(Meaning::input_messages, "user")) said.push_back(std::move(each));
  if (input.empty()) input = std::move(said);
  if (output.empty()) output = attributes.messages(Meaning::output_messages, "assistant");
}

void read_call(Span const& span, Attributes& attributes, CapturedSpan& out) {
  out.input = attributes.messages(Meaning::instructions, "system");
  for (auto& each : attributes.messages(Meaning::input_messages, "user")) out.input.push_back(std::move(each));
  auto output = attributes.messages(Meaning::output_messages, "assistant");
  std::vector<Message> said;
  for (auto const& event : span.events) {
    if (event.name == details_event) read_details(event.attributes, out.input, output);
    auto const* const row = find_event(event.name);
    if (row == nullptr) continue;
    for (auto& each : said_by(*row, {}, event.attributes)) (row->is_output ? output : said).push_back(std::move(each));
  }
  if (out.input.empty()) out.input = std::move(said);
  auto const* const prompt = attributes.first(Meaning::prompt);
  if (out.input.empty() && prompt != nullptr) out.input = messages_of(*prompt, "user");
  out.prompt = joined(out.input);
  out.answer = joined(output);
  auto const answer = attributes.text(Meaning::answer);
  if (out.answer.empty()) out.answer = answer;
}

void read_evaluations(Span const& span, CapturedSpan& out) {
  for (auto const& event : span.events) {
    if (event.name == evaluation_event) {
      out.evaluations.push_back(evaluation_of(span.name, event.time, event.attributes));
    }
  }
}

void read_embeddings(Attributes& attributes, CapturedSpan& out) {
  for (auto& each : attributes.embeddings()) {
    if (each.numbers.empty() || out.embeddings.size() == embeddings_max) {
      ++out.embeddings_left_out;
    } else {
      out.embeddings.push_back(std::move(each));
    }
  }
}

CapturedSpan captured(Span span, Kind kind, Attributes& attributes) {
  CapturedSpan out{.name = span.name,
                   .parent = span.parent,
                   .title = span.title,
                   .kind = kind,
                   .start = span.start,
                   .end = std::max(span.start, span.end)};
  for (auto& link : span.links) {
    if (out.links.size() == links_max) break;
    if (!link.trace.empty() && !link.span.empty() && link != span.name) out.links.push_back(std::move(link));
  }
  out.agent = attributes.text(Meaning::agent);
  if (out.agent.empty()) out.agent = span.service;
  out.model = attributes.text(Meaning::model);
  out.input_tokens = count_of(attributes.first(Meaning::input_tokens));
  out.output_tokens = count_of(attributes.first(Meaning::output_tokens));
  out.cost = number_of(attributes.first(Meaning::cost));
  if (kind == Kind::call) {
    out.response_id = attributes.kept_text(Meaning::response_id);
    read_call(span, attributes, out);
  }
  if (kind == Kind::retrieval) {
    out.question = attributes.text(Meaning::question);
    for (auto const& document : attributes.documents()) out.passages.push_back(passage_of(document));
  }
  if (kind == Kind::embedding) read_embeddings(attributes, out);
  if (kind == Kind::tool) {
    out.tool = attributes.text(Meaning::tool_name);
    if (out.tool.empty()) out.tool = span.title;
    out.arguments = attributes.text(Meaning::tool_arguments);
    out.answer = attributes.text(Meaning::tool_result);
  }
  read_evaluations(span, out);
  out.rest = attributes.rest();
  return out;
}

/// The name of a log record's event: its own, or an attribute of older instrumentations.
std::string event_name(LogRecord const& log) {
  if (!log.event.empty()) return log.event;
  auto const* const held = log.attributes.if_contains("event.name");
  return held != nullptr && held->is_string() ? std::string(held->get_string()) : std::string{};
}

void read_log(LogRecord const& log, Captured& out) {
  auto const name = event_name(log);
  bool const has_span = !log.name.trace.empty() && !log.name.span.empty();
  auto const* const row = find_event(name);
  auto const before = out.messages.size() + out.evaluations.size();
  auto const say = [&](std::vector<Message> messages, bool is_output) {
    std::uint32_t place = 0;
    for (auto& each : messages) out.messages.push_back({log.name, log.time, std::move(each), is_output, place++});
  };
  if (name == evaluation_event) {
    auto evaluation = evaluation_of(has_span ? log.name : SpanName{}, log.time, log.attributes);
    bool const says_what = has_span || !evaluation.response_id.empty();
    if (says_what && evaluation.score) out.evaluations.push_back(std::move(evaluation));
  } else if (has_span && name == details_event) {
    std::vector<Message> input;
    std::vector<Message> output;
    read_details(log.attributes, input, output);
    if (input.empty() && output.empty() && log.body.is_object()) read_details(log.body.get_object(), input, output);
    say(std::move(input), false);
    say(std::move(output), true);
  } else if (has_span && row != nullptr) {
    say(said_by(*row, log.body, log.attributes), row->is_output);
  }
  if (before == out.messages.size() + out.evaluations.size()) ++out.dropped_logs;
}

}  // namespace

Captured read_telemetry(Telemetry telemetry) {
  Captured out;
  for (auto& span : telemetry.spans) {
    auto const all = std::move(span.attributes);
    Attributes attributes(all);
    auto const kind = kind_of(span, attributes);
    if (!kind) {
      ++out.dropped_spans;
      if (out.dropped_example.empty()) out.dropped_example = span.title;
      continue;
    }
    out.spans.push_back(captured(std::move(span), *kind, attributes));
    out.unknown_attributes += out.spans.back().rest.size();
  }
  for (auto const& log : telemetry.logs) read_log(log, out);
  return out;
}

}  // namespace whence::net::capture
