// From attributes to what they mean. Nothing here knows a name of an attribute that is not in the mapping table, but
// for the members of messages and documents.

#include "net/capture/captured.hpp"

#include "schema/base/text.hpp"

#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace whence::net::capture {

namespace {

namespace json = boost::json;

constexpr std::size_t plain_title_max = 200;

bool is_message_event(std::string_view name);

/// The row that says what a span is; one without a name where its events do.
std::optional<KindRow> kind_of(Span const& span, Attributes& attributes) {
  for (auto const& row : kind_rows()) {
    auto const* const held = attributes.peek(row.name);
    if (held == nullptr) continue;
    bool const fits = row.value.empty() || (held->is_string() && held->get_string() == row.value);
    if (!fits) continue;
    if (!row.value.empty()) (void)attributes.find(row.name);
    return row;
  }
  bool const has_passages =
      std::ranges::any_of(span.events, [](SpanEvent const& event) { return is_passage_event(event.name); });
  if (has_passages) return KindRow{.kind = Kind::retrieval};
  bool const has_messages =
      std::ranges::any_of(span.events, [](SpanEvent const& event) { return is_message_event(event.name); });
  if (has_messages) return KindRow{.kind = Kind::call};
  bool const is_rated =
      std::ranges::any_of(span.events, [](SpanEvent const& event) { return event.name == evaluation_event; });
  return is_rated ? std::optional{KindRow{.kind = Kind::chain}} : std::nullopt;
}

/// What a span says that it is where the table has no row for that: it is only a link in the chain of parents. Empty
/// where it is understood, or says nothing of the kind.
std::string unknown_kind(std::optional<KindRow> const& row, Attributes const& attributes) {
  constexpr std::size_t value_max = 60;
  if (row && !row->name.empty() && row->value.empty() && row->kind == Kind::chain && !row->is_agent) {
    auto const* const held = attributes.peek(row->name);
    return std::string(row->name) + " " + schema::cut(held == nullptr ? std::string{} : text_of(*held), value_max);
  }
  if (row) return {};
  auto const name = attributes.first_name(is_of_conventions);
  return name.empty() ? std::string{} : schema::cut("with " + name, value_max);
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

/// The text of a passage: as it is, or of the parts that it is.
std::string content_in(json::object const& from) {
  for (auto const* const name :
       {"content", "text", "page_content", "pageContent", "document", "snippet", "memory", "chunk"}) {
    auto const* const held = from.if_contains(name);
    if (held == nullptr || held->is_null()) continue;
    auto text = held->is_string() ? text_of(*held) : message_of(json::value(json::object{{"content", *held}}), {}).text;
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
  for (auto const* const name : {"entity", "payload"}) {  // of vector stores: their own columns
    auto const* const held = document.if_contains(name);
    auto const value = held == nullptr ? json::value{} : structured(*held);
    if (!value.is_object()) continue;
    for (auto const& pair : value.get_object()) metadata.emplace(pair.key(), pair.value());
  }
  Passage passage{.id = first_text(document, {"id"}),
                  .document = first_text(document, {"source", "url", "uri", "link", "file_path", "filePath"}),
                  .content = content_in(document),
                  .score = number_of(document.if_contains("score"))};
  if (passage.content.empty()) passage.content = content_in(metadata);
  if (!passage.score) passage.score = number_of(metadata.if_contains("score"));
  auto const page = counted(metadata.if_contains("page"));
  passage.page = page ? page : counted(metadata.if_contains("page_number"));
  // Titles and file names are names of many: an address, a path or an id is one document's alone.
  if (passage.document.empty()) {
    passage.document = first_text(
        metadata, {"source", "url", "uri", "link", "file_path", "filePath", "path", "document_name", "document_id"});
  }
  if (passage.document.empty()) passage.document = passage.id;
  if (passage.document.empty()) passage.document = first_text(metadata, {"file_name", "title"});
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

bool is_message_event(std::string_view name) {
  return name == details_event || find_event(name) != nullptr;
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

/// The number of a choice, in a log record's body or an event's attributes.
std::optional<std::uint32_t> index_in(json::value const& body, AttributeMap const& all) {
  auto const* const object = body.if_object();
  auto const* held = object == nullptr ? nullptr : object->if_contains("index");
  if (held == nullptr) held = all.if_contains("index");
  auto const number = counted(held);
  constexpr std::int64_t index_max = 1'000'000;
  bool const is_index = number && *number <= index_max;
  return is_index ? std::optional{static_cast<std::uint32_t>(*number)} : std::nullopt;
}

/// Adds messages that a list has not: what two places say of one call is joined. O(1) each. Nobody else adds to the
/// list meanwhile.
class Joining {
 public:
  explicit Joining(std::vector<Message>& to) : to_(to) {
    for (std::size_t i = 0; i < to.size(); ++i) places_.emplace(hash_of(to[i]), i);
  }

  void add(std::vector<Message> more) {
    for (auto& each : more) {
      auto const hash = hash_of(each);
      auto const [begin, end] = places_.equal_range(hash);
      if (std::any_of(begin, end, [&](auto const& known) { return to_[known.second] == each; })) continue;
      places_.emplace(hash, to_.size());
      to_.push_back(std::move(each));
    }
  }

 private:
  static std::size_t hash_of(Message const& message) {
    std::hash<std::string_view> const hash;
    return hash(message.text) ^ (hash(message.role) * 31) ^ (hash(message.reasoning) * 17) ^
           (message.results.empty() ? 0 : hash(message.results.front().id) * 13);
  }

  std::vector<Message>& to_;
  std::unordered_multimap<std::size_t, std::size_t> places_;
};

/// The messages of a span or log record with all of them in its attributes.
void read_details(AttributeMap const& all, Joining& input, Joining& output) {
  Attributes attributes(all);
  input.add(attributes.messages(Meaning::instructions, "system"));
  input.add(attributes.messages(Meaning::input_messages, "user"));
  output.add(attributes.messages(Meaning::output_messages, "assistant"));
}

void read_call(Span const& span, Attributes& attributes, CapturedSpan& out) {
  out.input = attributes.messages(Meaning::instructions, "system");
  out.instructions = out.input.size();
  std::unordered_set<std::string_view> instructed;  // by text, which is compared with all the rest
  std::vector<Message> const instructions(out.input);
  for (auto const& each : instructions) instructed.insert(each.text);
  for (auto& each : attributes.messages(Meaning::input_messages, "user")) {
    bool const is_known = instructed.contains(each.text) && std::ranges::find(instructions, each) != instructions.end();
    if (!is_known) out.input.push_back(std::move(each));
  }
  auto output = attributes.messages(Meaning::output_messages, "assistant");
  std::vector<Message> said;
  std::vector<std::pair<std::uint32_t, Message>> choices;  // by their numbers
  Joining joined_input(out.input);
  Joining joined_output(output);
  for (auto const& event : span.events) {
    if (event.name == details_event) read_details(event.attributes, joined_input, joined_output);
    auto const* const row = find_event(event.name);
    if (row == nullptr) continue;
    for (auto& each : said_by(*row, {}, event.attributes)) {
      if (row->is_output) {
        choices.emplace_back(index_in({}, event.attributes).value_or(0), std::move(each));
      } else {
        said.push_back(std::move(each));
      }
    }
  }
  std::ranges::stable_sort(choices, {}, [](auto const& each) { return each.first; });
  std::vector<Message> answered;
  answered.reserve(choices.size());
  for (auto& [index, each] : choices) answered.push_back(std::move(each));
  if (out.input.size() == out.instructions) {
    for (auto& each : said) out.input.push_back(std::move(each));
  }
  if (output.empty()) output = std::move(answered);
  if (out.input.size() == out.instructions) {
    Joining(out.input).add(attributes.messages_of_first(Meaning::prompt, "user"));
  }
  out.prompt = joined(out.input);
  if (output.empty()) output = attributes.messages_of_first(Meaning::answer, "assistant");
  if (auto const* const calls = attributes.first(Meaning::answer_calls)) {
    output.push_back({.role = "assistant", .text = text_of(*calls)});
  }
  out.reasoning = joined_reasoning(output);
  if (auto const* const reasoning = attributes.first(Meaning::reasoning)) {
    if (out.reasoning.empty()) out.reasoning = text_of(*reasoning);
  }
  for (auto const& each : output) {
    if (each.text.empty()) continue;
    if (!out.answer.empty()) out.answer += "\n\n";
    out.answer += output.size() > 1 && each.role != "assistant" && each.role != "model" ? each.role + ": " + each.text
                                                                                        : each.text;
  }
}

/// Counts of tokens and the cost that are members of JSON objects, where no attribute is one of them.
void read_details(Attributes const& attributes, CapturedSpan& out) {
  auto const first_in = [](json::object const& from, std::initializer_list<std::string_view> names) {
    for (auto const name : names) {
      if (auto const* const held = from.if_contains(name)) return held;
    }
    return static_cast<json::value const*>(nullptr);
  };
  auto const usage = attributes.held(Meaning::usage_details);
  if (!out.input_tokens)
    out.input_tokens =
        counted(first_in(usage, {"input", "input_tokens", "prompt_tokens", "inputTokens", "promptTokens"}));
  if (!out.output_tokens)
    out.output_tokens =
        counted(first_in(usage, {"output", "output_tokens", "completion_tokens", "outputTokens", "completionTokens"}));
  auto const costs = attributes.held(Meaning::cost_details);
  if (!out.cost) out.cost = number_of(first_in(costs, {"total"}));
}

void read_evaluations(Span const& span, Attributes& attributes, CapturedSpan& out) {
  for (auto const& event : span.events) {
    if (event.name == evaluation_event) {
      out.evaluations.push_back(evaluation_of(span.name, event.time, event.attributes));
    }
  }
  for (auto& each : attributes.ratings(span.name, span.end)) out.evaluations.push_back(std::move(each));
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

/// The passages that a vector store's span has in its events.
void read_passage_events(Span const& span, CapturedSpan& out) {
  for (auto const& event : span.events) {
    if (!is_passage_event(event.name)) continue;
    json::object members;
    auto const prefix = event.name + ".";
    for (auto const& pair : event.attributes) {
      std::string_view name{pair.key().data(), pair.key().size()};
      if (name.starts_with(prefix)) name.remove_prefix(prefix.size());
      members.insert_or_assign(name, pair.value());
    }
    out.passages.push_back(passage_of(members));
  }
}

/// Whether an object of a tool's result is a passage: a text, and where it is from.
bool is_passage(json::object const& object) {
  auto const has = [&](std::initializer_list<std::string_view> names) {
    return std::ranges::any_of(names, [&](std::string_view name) {
      auto const* const held = object.if_contains(name);
      return held != nullptr && ((held->is_string() && !held->get_string().empty()) || held->is_number());
    });
  };
  if (!has({"content", "text", "page_content", "pageContent", "snippet"})) return false;
  if (has({"source", "url", "link", "file_path", "id", "title"})) return true;
  auto const* const metadata = object.if_contains("metadata");
  auto const* const held = metadata == nullptr ? nullptr : metadata->if_object();
  return held != nullptr && std::ranges::any_of(*held, [](auto const& member) {
           return is_among(member.key(), {"source", "url", "link", "file_path", "filePath", "id", "title"});
         });
}

/// The passages in the JSON of a tool's result: the result itself, or members of its lists.
void read_passages(json::value const& value, CapturedSpan& out, int depth = 0) {
  constexpr int levels_max = 3;
  if (out.passages.size() == passages_max) return;
  if (auto const* const object = value.if_object()) {
    if (is_passage(*object)) {
      auto passage = passage_of(*object);
      if (passage.document.empty()) passage.document = first_text(*object, {"title"});
      out.passages.push_back(std::move(passage));
      return;
    }
    if (depth == levels_max) return;
    for (auto const& member : *object) read_passages(member.value(), out, depth + 1);
    return;
  }
  auto const* const list = value.if_array();
  if (list == nullptr || depth == levels_max) return;
  for (auto const& each : *list) read_passages(each, out, depth + 1);
}

/// The messages of a meaning, of which nothing is used.
std::vector<Message> messages_in(AttributeMap const& all, Meaning meaning) {
  return Attributes(all).messages(meaning, "assistant");
}

Belonging belonging_of(Attributes const& attributes) {
  return {.conversation = attributes.kept_text(Meaning::conversation), .person = attributes.kept_text(Meaning::person)};
}

/// Whether a span says itself what was answered, in its attributes or its events.
bool has_answer(Span const& span, Attributes const& attributes) {
  if (attributes.has_messages(Meaning::output_messages)) return true;
  return std::ranges::any_of(span.events, [&](SpanEvent const& event) {
    auto const* const row = find_event(event.name);
    if (row != nullptr && row->is_output) return true;
    return event.name == details_event && !messages_in(event.attributes, Meaning::output_messages).empty();
  });
}

/// What a tool's span has in its events (Strands): what it was given, and what it gave.
void read_tool_events(Span const& span, CapturedSpan& out) {
  auto const add = [](std::string& to, std::vector<Message> const& messages) {
    for (auto const& each : messages) to += (to.empty() ? "" : "\n\n") + each.text;
  };
  std::string given;
  std::string gave;
  for (auto const& event : span.events) {
    if (event.name == details_event) add(gave, messages_in(event.attributes, Meaning::output_messages));
    auto const* const row = find_event(event.name);
    if (row != nullptr) add(row->is_output ? gave : given, said_by(*row, {}, event.attributes));
  }
  if (out.arguments.empty()) out.arguments = std::move(given);
  if (out.answer.empty()) out.answer = std::move(gave);
}

CapturedSpan captured(Span span, KindRow const& row, Attributes& attributes) {
  // An agent of another process: until a call below it says the same, this is all that is known of one.
  bool const is_remote = row.is_agent && span.is_client && has_answer(span, attributes);
  auto const kind = is_remote ? Kind::call : row.kind;
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
  out.is_agent = row.is_agent;
  out.agent = attributes.text(Meaning::agent);
  if (out.agent.empty() && row.is_agent) out.agent = attributes.text(Meaning::entity);
  if (out.agent.empty() && row.is_agent && row.name == "langfuse.observation.type") out.agent = span.title;
  // AI SDK has no other span for the run of an agent than that of a function with a name.
  out.is_agent = out.is_agent || (row.name == "ai.operationId" && kind == Kind::chain && !out.agent.empty());
  out.service = span.service;
  out.own = belonging_of(attributes);
  if (span.resource) out.at_resource = belonging_of(Attributes(*span.resource));
  out.model = attributes.text(Meaning::model);
  out.input_tokens = counted(attributes.first(Meaning::input_tokens));
  out.output_tokens = counted(attributes.first(Meaning::output_tokens));
  out.cost = number_of(attributes.first(Meaning::cost));
  read_details(attributes, out);
  if (kind == Kind::call) {
    out.response_id = attributes.kept_text(Meaning::response_id);
    read_call(span, attributes, out);
  }
  if (kind == Kind::retrieval) {
    out.question = attributes.text(Meaning::question);
    out.tool = row.value;  // what searched, where the convention names it
    for (auto const& document : attributes.documents()) out.passages.push_back(passage_of(document));
    if (out.passages.empty()) read_passage_events(span, out);
    if (auto const* const found = out.passages.empty() ? attributes.peek_first(Meaning::answer) : nullptr)
      read_passages(structured(*found), out);
  }
  if (kind == Kind::chain) {  // what an agent's run gave, which a rating of it is of
    auto output = attributes.messages(Meaning::output_messages, "assistant");
    auto const* const answer = attributes.peek_first(Meaning::answer);
    if (output.empty() && answer != nullptr) output = messages_of(*answer, "assistant");
    out.answer = joined(output);
  }
  if (kind == Kind::embedding) read_embeddings(attributes, out);
  if (kind == Kind::tool) {
    out.tool = attributes.text(Meaning::tool_name);
    if (out.tool.empty()) out.tool = attributes.text(Meaning::entity);
    if (out.tool.empty()) out.tool = span.title;
    out.arguments = attributes.text(Meaning::tool_arguments);
    out.answer = attributes.text(Meaning::tool_result);
    out.call_id = attributes.kept_text(Meaning::tool_call_id);
    read_tool_events(span, out);
    read_passages(structured(json::value(out.answer)), out);
  }
  // A rating is of an answer: of what a retrieval or a tool did it stays beside what it is of.
  if (kind == Kind::call || kind == Kind::chain) read_evaluations(span, attributes, out);
  out.rest = attributes.rest();
  return out;
}

/// The name of a log record's event: its own, or an attribute of older instrumentations.
std::string event_name(LogRecord const& log) {
  if (!log.event.empty()) return log.event;
  auto const* const held = log.attributes.if_contains("event.name");
  return held != nullptr && held->is_string() ? std::string(held->get_string()) : std::string{};
}

/// How many messages a request had so far of each call and moment: their order is that of the request.
using Places = std::map<std::pair<SpanName, Nanos>, std::uint32_t>;

void read_log(LogRecord const& log, Nanos now, Places& places, Captured& out) {
  auto const name = event_name(log);
  bool const has_span = !log.name.trace.empty() && !log.name.span.empty();
  auto const* const row = find_event(name);
  auto const before = out.messages.size() + out.evaluations.size();
  auto const say = [&](std::vector<Message> messages, bool is_output) {
    auto& place = places[{log.name, log.time}];
    auto const index = is_output ? index_in(log.body, log.attributes) : std::nullopt;
    for (auto& each : messages) {
      out.messages.push_back({log.name, log.time, std::move(each), is_output, index ? *index : place++});
    }
  };
  if (name == evaluation_event) {
    auto const& within = log.attributes.empty() && log.body.is_object() ? log.body.get_object() : log.attributes;
    auto const time = log.time > now && log.time <= now + ahead_max ? now : log.time;
    auto evaluation = evaluation_of(has_span ? log.name : SpanName{}, time, within);
    bool const says_what = has_span || !evaluation.response_id.empty();
    if (says_what && says_something(evaluation)) out.evaluations.push_back(std::move(evaluation));
  } else if (has_span && name == details_event) {
    std::vector<Message> input;
    std::vector<Message> output;
    Joining joined_input(input);
    Joining joined_output(output);
    read_details(log.attributes, joined_input, joined_output);
    if (input.empty() && output.empty() && log.body.is_object())
      read_details(log.body.get_object(), joined_input, joined_output);
    say(std::move(input), false);
    say(std::move(output), true);
  } else if (has_span && row != nullptr) {
    say(said_by(*row, log.body, log.attributes), row->is_output);
  }
  if (before == out.messages.size() + out.evaluations.size()) ++out.dropped_logs;
}

/// What a message holds, and what is made of it later: its text is in a prompt, and in records of its own.
std::size_t bytes_of(Message const& message) {
  constexpr std::size_t text_factor = 4;
  constexpr std::size_t record_bytes = 512;
  auto bytes = sizeof(Message) + record_bytes + text_factor * (message.text.size() + message.reasoning.size());
  for (auto const& result : message.results) bytes += sizeof(ToolResult) + text_factor * result.text.size();
  return bytes;
}

std::size_t bytes_of(CapturedSpan const& span) {
  auto bytes = sizeof(CapturedSpan) + span.prompt.size() + 2 * span.answer.size() + span.arguments.size();
  for (auto const& each : span.input) bytes += bytes_of(each);
  for (auto const& each : span.passages) bytes += sizeof(Passage) + 512 + 4 * each.content.size();
  for (auto const& each : span.embeddings) bytes += each.text.size() + 3 * each.numbers.size() * sizeof(float);
  return bytes + span.rest.size() * 64;
}

/// Cuts times that are ahead of `now` to it, within `ahead_max`. By how much the later one was.
Nanos cut_to(Span& span, Nanos now) {
  auto const last = std::max(span.start, span.end);
  if (last <= now || last > now + ahead_max) return 0;
  span.start = std::min(span.start, now);
  span.end = std::min(span.end, now);
  for (auto& event : span.events) event.time = std::min(event.time, now);
  return last - now;
}

}  // namespace

Nanos now_nanos() {
  auto const now = std::chrono::system_clock::now().time_since_epoch();
  return static_cast<Nanos>(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}

Captured read_telemetry(Telemetry telemetry, Nanos now, Growth* growth) {
  Captured out;
  out.dropped_logs = telemetry.empty_logs;
  Growth unbounded;
  auto& grown = growth == nullptr ? unbounded : *growth;
  for (auto& span : telemetry.spans) {
    if (grown.is_refused()) return out;
    auto const ahead = cut_to(span, now);
    auto const all = std::move(span.attributes);
    Attributes attributes(all);
    auto const kind = kind_of(span, attributes);
    if (auto const unknown = unknown_kind(kind, attributes); !unknown.empty()) ++out.not_understood[unknown];
    if (!kind) {
      if (out.dropped_example.empty()) out.dropped_example = span.title;
      out.plain.push_back({.name = span.name,
                           .parent = span.parent,
                           .title = schema::cut(span.title, plain_title_max),
                           .start = span.start,
                           .end = std::max(span.start, span.end)});
      continue;
    }
    out.spans.push_back(captured(std::move(span), *kind, attributes));
    out.spans.back().ahead_ms = ahead / 1'000'000;
    grown.add(bytes_of(out.spans.back()));
    out.unknown_attributes += out.spans.back().rest.size();
  }
  Places places;
  for (auto const& log : telemetry.logs) {
    auto const before = out.messages.size();
    read_log(log, now, places, out);
    for (auto i = before; i < out.messages.size(); ++i) grown.add(bytes_of(out.messages[i].message));
    if (grown.is_refused()) break;
  }
  return out;
}

}  // namespace whence::net::capture
