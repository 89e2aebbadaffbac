// From the attributes and events of one span to what is captured of it, by its kind. What other spans and log records
// say of it is joined later (net/capture/derivation).

#include "net/capture/spans/captured_span.hpp"

#include "net/capture/messages/joined.hpp"
#include "net/capture/messages/json_text.hpp"
#include "net/capture/messages/media.hpp"
#include "net/capture/messages/one_message.hpp"
#include "net/capture/messages/streamed.hpp"
#include "net/capture/messages/tool_text.hpp"
#include "net/capture/messages/unread_members.hpp"
#include "net/capture/spans/call.hpp"
#include "net/capture/spans/events.hpp"
#include "net/capture/spans/passages.hpp"
#include "schema/base/text.hpp"
#include "schema/types/belonging.hpp"

#include <algorithm>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace whence::net::capture {

namespace json = boost::json;

namespace {

/// The JSON object that an attribute of a meaning holds, where a member of one of these names may be in it.
json::object held_with(Attributes const& attributes, Meaning meaning, std::initializer_list<std::string_view> names) {
  auto const* const given = attributes.peek_first(meaning);
  auto const* const text = given == nullptr ? nullptr : given->if_string();
  bool const may_have = text != nullptr && text->starts_with('{') && std::ranges::any_of(names, [&](auto name) {
                          return std::string_view(*text).find(name) != std::string_view::npos;
                        });
  return may_have || (given != nullptr && given->is_object()) ? attributes.held(meaning) : json::object{};
}

/// Counts of tokens and the cost that are members of JSON objects, where no attribute is one of them.
void read_details(Attributes const& attributes, CapturedSpan& out) {
  auto const first_in = [](json::object const& from, std::initializer_list<std::string_view> names) {
    for (auto const name : names) {
      if (auto const* const held = from.if_contains(name)) return held;
    }
    return static_cast<json::value const*>(nullptr);
  };
  auto usage = attributes.held(Meaning::usage_details);
  if (auto const* const within = object_at(usage, "usage")) usage = json::object(*within);  // of the whole answer
  if (!out.input_tokens)
    out.input_tokens =
        counted(first_in(usage, {"input", "input_tokens", "prompt_tokens", "inputTokens", "promptTokens"}));
  if (!out.output_tokens)
    out.output_tokens =
        counted(first_in(usage, {"output", "output_tokens", "completion_tokens", "outputTokens", "completionTokens"}));
  auto const costs = attributes.held(Meaning::cost_details);
  if (!out.cost) out.cost = number_of(first_in(costs, {"total"}));
}

/// The ids of the items of which an answer of OpenAI's Responses consists, whole or as the pieces of a stream.
std::vector<std::string> items_in(Attributes const& attributes) {
  std::vector<std::string> ids;
  auto const* const given = attributes.peek_first(Meaning::answer);
  auto const* const text = given == nullptr ? nullptr : given->if_string();
  bool const may_have = given != nullptr && (text == nullptr || (text->find(R"("id")") != json::string::npos &&
                                                                 text->find(R"("type")") != json::string::npos));
  auto held = may_have ? structured(*given) : json::value{};
  if (auto whole = whole_of(held)) held = *std::move(whole);
  auto const* const object = held.if_object();
  auto const* const output = object == nullptr ? nullptr : object->if_contains("output");
  auto const* const list = output == nullptr ? held.if_array() : output->if_array();
  for (std::size_t i = 0; list != nullptr && i < list->size(); ++i) {
    auto const* const item = (*list)[i].if_object();
    bool const is_item = item != nullptr && !string_at(*item, {"type"}).empty();
    if (is_item && !string_at(*item, {"id"}).empty()) ids.emplace_back(string_at(*item, {"id"}));
  }
  return ids;
}

/// What the JSON of a request and of its response says of ids, where no attribute does.
void read_ids(Attributes const& attributes, CapturedSpan& out) {
  constexpr std::size_t id_max = 256;
  auto const kept = [](std::string_view id) { return id.size() <= id_max ? std::string(id) : std::string{}; };
  for (auto const meaning : {Meaning::parameters, Meaning::prompt}) {
    if (!out.own.conversation.empty()) break;
    auto const request = held_with(attributes, meaning, {R"("conversation")"});
    auto const* const conversation = object_at(request, "conversation");
    out.own.conversation = schema::belonging_id(conversation == nullptr ? string_at(request, {"conversation"})
                                                                        : string_at(*conversation, {"id"}));
  }
  for (auto& id : items_in(attributes)) {
    if (auto kept_id = kept(id); !kept_id.empty()) out.items.push_back(std::move(kept_id));
  }
  if (!out.response_id.empty()) return;
  auto const response = held_with(attributes, Meaning::answer, {R"("object")", R"("stop_reason")"});
  bool const is_of_anthropic = string_at(response, {"type"}) == "message" && response.contains("stop_reason");
  if (is_of_anthropic || is_one_of(string_at(response, {"object"}), {"response", "chat.completion", "text_completion"}))
    out.response_id = kept(string_at(response, {"id"}));
}

/// The model that the JSON of a request or of its parameters names.
std::string model_in(Attributes const& attributes) {
  constexpr std::size_t model_max = 256;
  for (auto const meaning : {Meaning::parameters, Meaning::prompt}) {
    auto const held = held_with(attributes, meaning, {R"("model")"});
    bool const is_asked =
        meaning == Meaning::parameters || first_of(held, {"messages", "input", "contents"}) != nullptr;
    auto const model = is_asked ? string_at(held, {"model"}) : std::string_view{};
    if (!model.empty() && model.size() <= model_max) return std::string(model);
  }
  return {};
}

/// The name of the agent that LangChain says in the metadata of each of its spans.
std::string agent_in_metadata(Attributes const& attributes) {
  constexpr std::string_view name = "lc_agent_name";
  return std::string(string_at(held_with(attributes, Meaning::metadata, {name}), {name}));
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

/// The messages of a meaning, of which nothing is used.
std::vector<Message> messages_in(AttributeMap const& all, Meaning meaning) {
  return Attributes(all).messages(meaning, "assistant");
}

/// Whether a span says itself what was answered, in its attributes or its events.
bool has_answer(Span const& span, Attributes const& attributes) {
  if (attributes.has_messages(Meaning::output_messages) || attributes.peek_first(Meaning::answer) != nullptr)
    return true;
  return std::ranges::any_of(span.events, [&](SpanEvent const& event) {
    auto const* const row = find_event(event.name);
    if (row != nullptr && row->is_output) return true;
    return event.name == details_event && !messages_in(event.attributes, Meaning::output_messages).empty();
  });
}

/// What the JSON that a tool's output is in says beside it; null: nothing.
json::value beside_output(std::string const& given) {
  auto const held = structured(json::value(given));
  bool const has_output = held.is_object() && held.get_object().contains("output");
  return has_output ? left_of(held) : beside_parts(given);
}

/// Events without a meaning, each under its name by its number among those of it, and what that of a tool's output says
/// beside it, which is all where the output was not read.
void keep_unknown_events(Span const& span, bool is_output_read, AttributeMap& rest) {
  std::map<std::string_view, std::size_t> counts;
  for (auto const& event : span.events) {
    if (is_known_event(event.name) && event.name != tool_output_event) continue;
    auto const number = std::to_string(counts[event.name]++);
    auto said = event.attributes;
    bool const is_read = is_output_read && event.name == tool_output_event && said.erase("output") > 0;
    if (is_read && said.empty()) continue;
    auto& of_event = rest[event.name];
    if (!of_event.is_object()) of_event = json::object{};
    of_event.get_object().insert_or_assign(number, std::move(said));
  }
}

/// What was looked for, which may be the only text of a JSON object.
std::string question_in(std::string const& text) {
  auto const held = structured(json::value(text));
  auto const* const object = held.if_object();
  auto const* const query = object == nullptr ? nullptr : object_at(*object, "query");  // Genkit's: a list of parts
  if (query != nullptr && query->contains("content")) return message_of(json::value(*query), "user").text;
  // OpenLLMetry's: the arguments of a function.
  auto const* const kwargs = object == nullptr || !object->contains("args") ? nullptr : object_at(*object, "kwargs");
  if (kwargs != nullptr) {
    auto const* const args = object->at("args").if_array();
    auto const* const asked =
        args == nullptr || args->empty() ? first_of(*kwargs, {"query", "query_bundle"}) : &args->front();
    return asked == nullptr ? text : question_in(text_of(*asked));
  }
  bool const is_one = object != nullptr && object->size() == 1 && object->begin()->value().is_string();
  return is_one ? text_of(object->begin()->value()) : text;
}

/// What a tool's span has in its events (Strands, Claude Code): what it was given, and what it gave. Returns whether
/// the latter is its answer.
bool read_tool_events(Span const& span, CapturedSpan& out) {
  auto const add = [](std::string& to, std::vector<Message> const& messages) {
    for (auto const& each : messages) to += (to.empty() ? "" : "\n\n") + each.text;
  };
  std::string given;
  std::string gave;
  for (auto const& event : span.events) {
    if (event.name == details_event) add(gave, messages_in(event.attributes, Meaning::output_messages));
    auto const* const output = event.name == tool_output_event ? event.attributes.if_contains("output") : nullptr;
    if (output != nullptr) add(gave, {{.role = "tool", .text = without_bytes(text_of(*output))}});
    auto const* const row = find_event(event.name);
    if (row != nullptr) add(row->is_output ? gave : given, said_by(*row, {}, event.attributes));
  }
  if (out.arguments.empty()) out.arguments = std::move(given);
  if (out.answer.empty()) out.answer = gave;
  return out.answer == gave;
}

}  // namespace

Belonging belonging_of(Attributes const& attributes) {
  return {.conversation = attributes.kept_text(Meaning::conversation), .person = attributes.kept_text(Meaning::person)};
}

std::string previous_in(AttributeMap const& rest) {
  constexpr std::size_t id_max = 256;
  Attributes const attributes(rest);
  for (auto const meaning : {Meaning::parameters, Meaning::prompt}) {
    auto const request =
        held_with(attributes, meaning, {"previous_response_id", "previousResponseId", "previous_message_id"});
    auto const* const thread = object_at(request, "thread");  // Anthropic's
    auto const id = thread == nullptr ? string_at(request, {"previous_response_id", "previousResponseId"})
                                      : string_at(*thread, {"previous_message_id"});
    if (!id.empty() && id.size() <= id_max) return std::string(id);
  }
  return {};
}

namespace {

/// Returns what is left of its events.
AttributeMap read_retrieval(Span const& span, KindRow const& row, Attributes& attributes, CapturedSpan& out) {
  AttributeMap rests;
  out.question = question_in(attributes.text(Meaning::question));
  if (out.question.empty()) out.question = question_in(attributes.text(Meaning::tool_arguments));
  out.tool = row.value;  // what searched, where the convention names it
  for (auto const& document : attributes.documents()) out.passages.push_back(passage_of(document));
  if (out.passages.empty()) rests = read_passage_events(span, out);
  for (auto& each : read_memory_events(span, out)) rests.emplace(each.key(), std::move(each.value()));
  for (auto const meaning : {Meaning::answer, Meaning::tool_result}) {
    auto const* const found = out.passages.empty() ? attributes.peek_first(meaning) : nullptr;
    if (found != nullptr) read_found(structured(*found), out);
  }
  if (out.passages.size() > documents_max) {
    out.documents_left_out = out.passages.size() - documents_max;
    out.passages.erase(out.passages.begin() + documents_max, out.passages.end());
    out.passages.shrink_to_fit();
  }
  return rests;
}

/// What LangSmith's client wrapped in an object, since it was none; empty where it is one: a message of LangChain's
/// says more than its text.
std::string out_of_langsmith(std::string const& given) {
  auto const held = structured(json::value(given));
  auto const* const object = held.if_object();
  bool const is_object = object != nullptr && object->size() == 1 && object->begin()->value().is_object();
  return is_object ? std::string{} : wrapped_result(given);
}

/// What a tool that failed told: the first line of why, without a trace of calls.
std::string told_error(Span const& span, Attributes const& attributes) {
  auto const said = [&](std::string_view code, std::string_view why) {
    auto const* const level = attributes.peek(code);
    auto const* const text = level != nullptr && *level == "ERROR" ? attributes.peek(why) : nullptr;
    return text == nullptr ? std::string{} : text_of(*text);
  };
  auto told = said("otel.status_code", "otel.status_description");
  if (told.empty()) told = said("langfuse.observation.level", "langfuse.observation.status_message");
  for (auto const& event : span.events) {
    auto const* const why = event.name == exception_event ? event.attributes.if_contains("exception.message") : nullptr;
    if (told.empty() && why != nullptr) told = text_of(*why);
  }
  return std::string(schema::trim_white_space(std::string_view(told).substr(0, told.find('\n'))));
}

/// Returns whether its events say its answer.
bool read_tool(Span const& span, Attributes& attributes, CapturedSpan& out) {
  auto const* const method = attributes.peek("mcp.method.name");
  out.is_mcp = method != nullptr && *method == "tools/call";
  out.tool = attributes.text(Meaning::tool_name);
  if (out.tool.empty()) out.tool = attributes.text(Meaning::entity);
  if (out.tool.empty()) out.tool = span.title;
  out.arguments = without_bytes(attributes.text(Meaning::tool_arguments));
  auto given = attributes.text(Meaning::tool_result);
  auto within = attributes.peek(langsmith_kind) == nullptr ? std::string{} : out_of_langsmith(given);
  if (!within.empty()) given = std::move(within);
  out.answer = tool_text(given);
  if (out.answer != given) attributes.keep_part(Meaning::tool_result, beside_output(given));
  out.call_id = attributes.kept_text(Meaning::tool_call_id);
  if (out.call_id.empty()) out.call_id = answered_call(given);
  bool const is_in_events = read_tool_events(span, out);
  // One with an id gets what the model was told from the prompt.
  if (out.answer.empty() && out.call_id.empty()) {
    out.answer = told_error(span, attributes);
    out.is_failed = !out.answer.empty();
  }
  read_passages(structured(json::value(out.answer)), out);
  if (out.passages.empty() && out.answer != given) read_passages(structured(json::value(given)), out);
  return is_in_events;
}

/// What an agent's run gave, which a rating of it is of.
void read_chain(Attributes& attributes, CapturedSpan& out) {
  auto output = attributes.messages(Meaning::output_messages, "assistant");
  if (output.empty()) output = attributes.peek_messages_of_first(Meaning::answer, "assistant");
  out.answer = joined(output);
}

void read_usage(Attributes& attributes, CapturedSpan& out) {
  auto const counts = [](json::value const& held) { return counted(&held).has_value(); };
  auto const is_cost = [](json::value const& held) { return number_of(&held).value_or(-1) >= 0; };
  out.input_tokens = counted(attributes.first(Meaning::input_tokens, counts));
  out.output_tokens = counted(attributes.first(Meaning::output_tokens, counts));
  out.cost = number_of(attributes.first(Meaning::cost, is_cost));
  read_details(attributes, out);
}

/// Why it failed, where its status does not say it.
void keep_exceptions(Span const& span, AttributeMap& rest) {
  for (auto const& event : span.events) {
    if (event.name != exception_event) continue;
    for (auto const name : exception_attributes) {
      if (auto const* const held = event.attributes.if_contains(name)) rest.emplace(name, *held);
    }
  }
}

}  // namespace

CapturedSpan captured(Span span, KindRow const& row, Attributes& attributes) {
  // An agent of another process: until a call below it says the same, this is all that is known of one.
  bool const may_be_remote = row.is_agent && span.is_client;
  bool const is_remote = may_be_remote && has_answer(span, attributes);
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
  out.is_whole = row.is_whole;
  out.is_inner = row.is_inner;
  out.is_remote = may_be_remote && !is_remote;
  out.agent = attributes.text(Meaning::agent);
  if (out.agent.empty()) out.agent = agent_in_metadata(attributes);
  if (out.agent.empty() && row.is_agent) out.agent = attributes.text(Meaning::entity);
  bool const is_titled =
      is_one_of(row.name, {"langfuse.observation.type", "genkit:metadata:subtype", "langwatch.span.type"});
  if (out.agent.empty() && row.is_agent && is_titled) out.agent = span.title;
  // AI SDK has no other span for the run of an agent than that of a function with a name.
  out.is_agent = out.is_agent || (row.name == "ai.operationId" && kind == Kind::chain && !out.agent.empty());
  out.service = span.service;
  out.clock = span.clock;
  out.own = belonging_of(attributes);
  if (span.resource) out.at_resource = belonging_of(Attributes(*span.resource));
  out.model = attributes.text(Meaning::model);
  read_usage(attributes, out);
  AttributeMap rests;
  if (kind == Kind::call) {
    out.response_id = attributes.kept_text(Meaning::response_id);
    read_ids(attributes, out);
    if (out.model.empty()) out.model = model_in(attributes);
    rests = read_call(span, attributes, out);
  }
  if (kind == Kind::retrieval) rests = read_retrieval(span, row, attributes, out);
  if (kind == Kind::chain) read_chain(attributes, out);
  if (kind == Kind::embedding) read_embeddings(attributes, out);
  bool const is_output_read = kind == Kind::tool && read_tool(span, attributes, out);
  // A rating is of an answer: of what a retrieval or a tool did it stays beside what it is of.
  if (kind == Kind::call || kind == Kind::chain) read_evaluations(span, attributes, out);
  out.rest = attributes.rest();
  for (auto& each : rests) out.rest.emplace(each.key(), std::move(each.value()));
  keep_unknown_events(span, is_output_read, out.rest);
  keep_exceptions(span, out.rest);
  return out;
}

}  // namespace whence::net::capture
