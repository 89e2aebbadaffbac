#pragma once
// The mapping table: which attribute of which convention says what. The one place that knows names of attributes; the
// table in net/capture/README.md has the same rows.

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include <boost/json/value.hpp>

namespace whence::net::capture {

/// Of the table: raised when a row changes what a span becomes.
inline constexpr int mapping_version = 17;

/// What a span is.
enum class Kind : std::uint8_t {
  call,       ///< of a model: becomes a Response
  retrieval,  ///< becomes a Query with its chunks
  tool,       ///< of a tool or an MCP server: becomes a ContextUnit
  embedding,  ///< of a model that makes vectors
  chain,      ///< an agent, workflow or wrapper that holds other spans
};

[[nodiscard]] std::string_view name_of(Kind kind) noexcept;
[[nodiscard]] std::optional<Kind> find_kind(std::string_view name) noexcept;

/// What an attribute says.
enum class Meaning : std::uint8_t {
  agent,
  model,
  input_tokens,
  output_tokens,
  cost,
  usage_details,    ///< both counts of tokens, and perhaps others, as JSON
  cost_details,     ///< the cost as JSON
  instructions,     ///< system text before the messages
  input_messages,   ///< what the model was given, message by message
  prompt,           ///< the same as one text, where there are no messages
  output_messages,  ///< what it said
  answer,           ///< the same as one text
  answer_calls,     ///< calls of tools, beside that text
  answer_files,     ///< files, beside that text
  reasoning,        ///< of the model, apart from what it said
  question,         ///< of a retrieval
  documents,        ///< that it found
  embedded,         ///< texts that were made numbers, where these are beside them
  embeddings,       ///< the numbers, or in a family texts with their numbers
  tool_name,
  tool_arguments,
  tool_result,
  tool_call_id,  ///< that the model gave the call
  entity,        ///< the name of what a span is of: of a tool or an agent its name
  conversation,
  person,       ///< whom it was made for
  evaluations,  ///< ratings of the span, in a family
  evaluation_name,
  evaluation_score,
  evaluation_label,
  evaluation_text,
  response_id,  ///< that the model's provider gave the answer
  parameters,   ///< what a request asks for beside messages, as JSON
  metadata,     ///< what the program says of a span, as JSON
};

[[nodiscard]] std::string_view name_of(Meaning meaning) noexcept;

/// One attribute. Of those with the same meaning the first that a span has counts.
struct MappingRow {
  Meaning meaning;
  std::string_view name;        ///< of the attribute; before its number where it is a family
  bool is_family = false;       ///< `NAME.0.REST`, `NAME.1.REST`, ...
  std::string_view convention;  ///< whose it is
};

/// Whether the convention of a row writes values of any kind into it, those that are no texts as JSON.
[[nodiscard]] bool holds_any_value(MappingRow const& row) noexcept;

/// Whether the value of a row is a text of a model, also where it is JSON: an answer by a schema.
[[nodiscard]] bool is_plain_text(MappingRow const& row) noexcept;

/// Whether the convention of a row may write several answers as a list of texts.
[[nodiscard]] bool may_hold_texts(MappingRow const& row) noexcept;

/// Whether the convention of a row has messages there, and nothing else.
[[nodiscard]] bool holds_messages_alone(MappingRow const& row) noexcept;

/// The attribute whose convention writes JSON of any value as `gen_ai.prompt` and `gen_ai.completion`.
inline constexpr std::string_view langsmith_kind = "langsmith.span.kind";

/// Whether a value is no text: it is where the convention's texts were not captured, or the JSON of an empty list or
/// of null where the convention writes JSON.
[[nodiscard]] bool is_placeholder(MappingRow const& row, boost::json::value const& held) noexcept;

/// A value of an attribute that says what the span is, in any case of its letters, perhaps as the JSON of a text or in
/// the `type` of an object. An empty value: any.
struct KindRow {
  std::string_view name = {};
  std::string_view value = {};
  Kind kind;
  std::string_view convention = {};
  bool is_agent = false;  ///< the run of an agent
  bool is_whole = false;  ///< of a call: several may be below it, of which it says the texts together
  bool is_inner = false;  ///< of a call: within one that says its prompt it is that call
};

/// An event, on a span or as a log record, that holds one message. `role` is the message's; empty: what the model said.
struct EventRow {
  std::string_view name;
  std::string_view role;
  bool is_output = false;
};

/// Whether an attribute is of one of the conventions of the table, by the beginning of its name.
[[nodiscard]] bool is_of_conventions(std::string_view name) noexcept;

[[nodiscard]] std::span<MappingRow const> mapping_rows() noexcept;
/// In the order in which they are asked.
[[nodiscard]] std::span<KindRow const> kind_rows() noexcept;
[[nodiscard]] std::span<EventRow const> event_rows() noexcept;

/// An event of a span that is a passage which a vector store found: `NAME.document`, `NAME.metadata`, ...
/// (OpenLLMetry).
[[nodiscard]] bool is_passage_event(std::string_view name) noexcept;

/// An event that says in its attributes what the span's may say: of a call `details_event`, of other operations by the
/// same pattern.
[[nodiscard]] bool is_details_event(std::string_view name) noexcept;

/// Whether an event has a meaning here.
[[nodiscard]] bool is_known_event(std::string_view name) noexcept;

/// Whether an event of a span is taken: one that has a meaning, or is of these conventions.
[[nodiscard]] bool is_read_event(std::string_view name) noexcept;

inline constexpr std::string_view details_event = "gen_ai.client.inference.operation.details";
inline constexpr std::string_view evaluation_event = "gen_ai.evaluation.result";
inline constexpr std::string_view memory_query_event = "memory.query";      ///< of a retrieval: its question
inline constexpr std::string_view memory_results_event = "memory.results";  ///< of a retrieval: its documents
inline constexpr std::string_view tool_output_event = "tool.output";        ///< of a tool: in `output` what it gave
/// In front of the names of events among the kinds that nothing understands.
inline constexpr std::string_view event_prefix = "event ";
inline constexpr std::string_view exception_event = "exception";  ///< of any span: why it failed

}  // namespace whence::net::capture
