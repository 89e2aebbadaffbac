// From what was captured to the facts that are kept of it, each cut to a bound: what is needed to find causes later,
// when the texts are not at hand (hashes, short texts, ids). The id of a log record is a hash of what it says, so that
// one that comes again is known.

#include "net/capture/trace/facts_of.hpp"

#include "net/capture/messages/comparable.hpp"
#include "net/capture/messages/json_text.hpp"
#include "net/capture/messages/tool_text.hpp"
#include "net/capture/spans/call.hpp"
#include "net/capture/spans/captured_span.hpp"
#include "net/capture/trace/facts_json.hpp"
#include "net/capture/trace/record_texts.hpp"
#include "net/capture/trace/refs.hpp"
#include "net/plain_text/sought_texts.hpp"
#include "schema/base/text.hpp"
#include "schema/json/json.hpp"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include <boost/json/array.hpp>

namespace whence::net::capture {

namespace {

namespace json = boost::json;

constexpr std::size_t brief_bytes_max = 64;  ///< of a message before it is folded
constexpr std::size_t instructions_bytes_max = std::size_t{64} << 10;
constexpr std::size_t text_bytes_max = std::size_t{256} << 10;  ///< of a message that came as a log record
constexpr std::size_t rest_bytes_max = 15'000;  ///< of attributes that wait for an answer in log records

RemoteFacts remote_of(CapturedSpan const& span) {
  RemoteFacts facts{.title = schema::cut(span.title, title_bytes_max),
                    .model = schema::cut(span.model, title_bytes_max),
                    .input_tokens = span.input_tokens,
                    .output_tokens = span.output_tokens,
                    .cost = span.cost};
  facts.rest = smallest_of(span.rest, rest_bytes_max);
  return facts;
}

/// The name of a tool, which MCP's spans may have in their own: `tools/call NAME`.
std::string called_tool(CapturedSpan const& span) {
  constexpr std::string_view method = "tools/call";
  std::string_view name = span.tool;
  if (span.is_mcp && name.starts_with(method)) name.remove_prefix(method.size());
  return schema::cut(schema::trim_white_space(name), title_bytes_max);
}

/// Google ADK reports each call of a model, and its client may directly below it, whose texts are captured by another
/// setting: the outer one is then a wrapper, whatever it says. So is Mastra's span of all the calls of a run.
bool yields(CapturedSpan const& span) {
  return span.kind == Kind::call && (span.title == "call_llm" || span.is_whole);
}

/// What a call was given last, beside instructions; empty: nothing.
std::string last_text(CapturedSpan const& call) {
  if (call.input.size() <= call.instructions || is_instruction(call.input.back())) return {};
  auto const parts = parts_of(call.input.back());
  return parts.empty() ? std::string{} : plain_text::folded(parts.back().text);
}

/// The last `items_max` of some ids, each once, ascending.
void settle_ids(std::vector<std::string>& ids) {
  if (ids.size() > items_max) ids.erase(ids.begin(), ids.end() - items_max);
  std::ranges::sort(ids);
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
}

/// What two instrumentations say alike of one call, where they say it.
void note_call(schema::SecretKey const& key, CapturedSpan const& call, SpanFacts& facts) {
  auto const* const status = call.rest.if_contains("otel.status_code");
  facts.is_failed = (status != nullptr && *status == "ERROR") || call.rest.contains("error.type") ||
                    call.rest.contains(exception_attributes[0]);
  if (auto const last = last_text(call); !last.empty()) facts.last_hash = hash_of_comparable(key, last);
  bool const is_metered = !call.model.empty() && call.input_tokens && call.output_tokens && *call.output_tokens > 0;
  if (!is_metered) return;
  auto const counts = std::to_string(*call.input_tokens) + " " + std::to_string(*call.output_tokens);
  facts.metered = counts + " " + schema::cut(call.model, title_bytes_max);
}

}  // namespace

CapturedSpan remote_call(SpanName const& name, SpanFacts const& facts) {
  auto const& remote = *facts.remote;
  return as_call({.name = name,
                  .parent = facts.parent,
                  .title = remote.title,
                  .start = facts.start,
                  .end = facts.end,
                  .links = facts.links,
                  .agent = facts.agent,
                  .service = facts.service,
                  .clock = facts.clock,
                  .is_agent = facts.is_agent,
                  .own = facts.own,
                  .at_resource = facts.at_resource,
                  .model = remote.model,
                  .input_tokens = remote.input_tokens,
                  .output_tokens = remote.output_tokens,
                  .cost = remote.cost,
                  .rest = remote.rest});
}

std::vector<std::string> given_ids(SpanFacts const& facts) {
  auto ids = facts.items;
  if (!facts.response_id.empty()) ids.push_back(facts.response_id);
  return ids;
}

std::vector<std::string> earlier_ids(SpanFacts const& facts) {
  auto ids = facts.referred;
  if (!facts.previous.empty()) ids.push_back(facts.previous);
  return ids;
}

LogFacts facts_of(schema::SecretKey const& key, SaidMessage const& said) {
  LogFacts facts{.span = said.of.span,
                 .time = said.time,
                 .place = said.place,
                 .message = Message{.role = said.message.role,
                                    .text = schema::cut(said.message.text, text_bytes_max),
                                    .reasoning = schema::cut(said.message.reasoning, text_bytes_max),
                                    .results = said.message.results},
                 .is_output = said.is_output,
                 .is_numbered = said.is_numbered};
  auto named = facts;  // what other messages come with it says nothing of which this is
  named.place = 0;
  json::array parts{said.of.trace, log_facts_json(named)};
  if (said.repeat > 0) parts.push_back(said.repeat);
  facts.id = hash_of(key, parts);
  return facts;
}

LogFacts facts_of(schema::SecretKey const& key, Evaluation const& evaluation) {
  LogFacts facts{.span = evaluation.of.span, .time = evaluation.time, .evaluation = evaluation};
  facts.evaluation->text = schema::cut(evaluation.text, text_bytes_max);
  facts.id = hash_of(key, json::array{evaluation.of.trace, log_facts_json(facts)});
  return facts;
}

LogFacts facts_of(schema::SecretKey const& key, SaidBeside const& said) {
  LogFacts facts{.span = said.of.span, .time = said.time, .beside = smallest_of(said.attributes, rest_bytes_max)};
  facts.id = hash_of(key, json::array{said.of.trace, log_facts_json(facts)});
  return facts;
}

SpanFacts facts_of(schema::SecretKey const& key, CapturedSpan const& span) {
  SpanFacts facts{.kind = span.kind, .parent = span.parent, .start = span.start, .end = span.end, .links = span.links};
  std::ranges::sort(facts.links);
  facts.links.erase(std::unique(facts.links.begin(), facts.links.end()), facts.links.end());
  facts.agent = span.agent;
  facts.service = span.service;
  facts.clock = span.clock;
  facts.own = span.own;
  facts.at_resource = span.at_resource;
  facts.is_agent = span.is_agent;
  facts.is_inner = span.is_inner;
  facts.is_memory = span.kind == Kind::retrieval && (span.tool == "search_memory" || span.tool == "memory.search");
  bool const is_answer = span.kind == Kind::call || span.kind == Kind::chain;
  facts.is_yielding = yields(span);
  if (is_answer && !span.answer.empty()) facts.answer_hash = answer_hash(key, span.answer);
  if (span.kind == Kind::tool && !span.answer.empty())
    facts.answer_hash = hash_of_comparable(key, plain_text::folded(as_sent(span.answer)));
  if (span.kind == Kind::call) note_call(key, span, facts);
  facts.is_failed = facts.is_failed || span.is_failed;
  if (span.is_remote) facts.remote = remote_of(span);
  facts.has_prompt = span.input.size() > span.instructions;
  facts.is_shortened = std::ranges::any_of(span.input, is_name_of_result);
  if (span.kind == Kind::call && !facts.has_prompt)
    facts.instructions = schema::cut(span.prompt, instructions_bytes_max);
  if (span.kind == Kind::tool) facts.tool = called_tool(span);
  facts.is_mcp = span.is_mcp;
  facts.call_id = span.call_id;
  if (span.kind == Kind::tool) facts.has_text = !span.answer.empty();
  if (span.kind == Kind::retrieval || span.kind == Kind::tool) {
    for (auto const& [id, text] : passages_of(key, span)) {
      if (!text.empty() && facts.chunks.size() < chunks_max) facts.chunks.push_back(id);
    }
    if (span.kind == Kind::retrieval) facts.has_text = !facts.chunks.empty();
  }
  std::set<std::string> brief;
  auto const note_brief = [&](std::string_view text) {
    if (text.size() > brief_bytes_max || brief.size() == brief_max) return;
    auto short_text = plain_text::folded(text);
    if (!short_text.empty() && short_text.size() < plain_text::SoughtTexts::sought_min)
      brief.insert(std::move(short_text));
  };
  for (auto const& message : span.input) {
    note_brief(message.text);
    for (auto const& result : message.results) {
      note_brief(result.text);
      if (!result.id.empty() && result.id.size() <= response_id_bytes_max * 2) facts.results.push_back(result.id);
    }
  }
  if (facts.has_prompt) facts.brief.assign(brief.begin(), brief.end());
  std::ranges::sort(facts.results);
  facts.results.erase(std::unique(facts.results.begin(), facts.results.end()), facts.results.end());
  if (facts.results.size() > results_max) facts.results.resize(results_max);
  facts.response_id = span.response_id;
  facts.items = span.items;
  settle_ids(facts.items);
  if (span.kind == Kind::call) facts.previous = previous_in(span.rest);
  for (auto const& message : span.input) {
    if (auto id = referred_item(message); !id.empty()) facts.referred.push_back(std::move(id));
  }
  settle_ids(facts.referred);
  facts.embeddings = span.embeddings.size();
  return facts;
}

}  // namespace whence::net::capture
