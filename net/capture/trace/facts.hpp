#pragma once
// The facts of spans, and of messages and ratings that came apart from them, that records of other spans depend on.

#include "net/capture/messages/message.hpp"
#include "net/capture/spans/attributes.hpp"
#include "net/capture/spans/captured.hpp"
#include "net/capture/spans/mapping.hpp"
#include "net/capture/spans/telemetry.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace whence::net::capture {

inline constexpr std::size_t title_bytes_max = 200;
inline constexpr std::size_t results_max = 64;
inline constexpr std::size_t chunks_max = 256;
inline constexpr std::size_t brief_max = 64;
inline constexpr std::size_t items_max = 64;

/// What the response of an agent in another process needs of its span, where its answer comes in log records.
struct RemoteFacts {
  std::string title = {};
  std::string model = {};
  std::optional<std::int64_t> input_tokens = {};
  std::optional<std::int64_t> output_tokens = {};
  std::optional<double> cost = {};
  AttributeMap rest = {};  ///< the smallest first, as far as a record has room

  friend bool operator==(RemoteFacts const&, RemoteFacts const&) = default;
};

/// What other spans need to know of one.
struct SpanFacts {
  Kind kind = Kind::chain;
  std::string parent = {};
  Nanos start = 0;
  Nanos end = 0;
  std::vector<SpanName> links = {};
  std::string agent = {};         ///< that the span names itself; empty: none
  std::string service = {};       ///< of its resource
  std::string clock = {};         ///< likewise (telemetry.hpp)
  bool is_agent = false;          ///< the run of an agent
  bool is_inner = false;          ///< a call that is the one around it, where that says its prompt
  bool is_yielding = false;       ///< a call that only wraps one directly within it, whatever it says itself
  bool is_failed = false;         ///< a call that says why it failed, a tool of which that is all that it gave
  bool is_memory = false;         ///< a search in a memory: the model may have been given it beside its messages
  std::string answer_hash = {};   ///< of a call's own answer, an agent's, or of what a tool gave; empty: none is said
  bool has_prompt = false;        ///< the span itself says what the model was given, beside instructions
  bool is_shortened = false;      ///< its prompt has the names of tools where their results were
  std::string instructions = {};  ///< of a call whose span says no more than these of its prompt
  std::string last_hash = {};     ///< of a call: of what its prompt says last, beside instructions
  std::string metered = {};       ///< of a call: both counts of tokens and its model; empty where one is not said
  bool has_text = false;          ///< of a tool or a retrieval: what it gave is known
  std::string tool = {};          ///< of a tool its name; empty: the span does not say
  bool is_mcp = false;            ///< of a tool: MCP's client or server reports its call
  std::string call_id = {};       ///< of a tool: that the model gave the call
  std::vector<std::string> results = {};  ///< of a call: the ids of the results in its prompt, the last `results_max`
  std::vector<std::string> brief = {};    ///< of a call: folded messages too short to be sought in a text, `brief_max`
  std::vector<std::string> chunks =
      {};                        ///< of a retrieval or a tool: ids of the passages that have a text, `chunks_max`
  std::string response_id = {};  ///< of a call, as the model's provider names it
  std::string previous = {};     ///< of a call: the id of the response that its request goes on from
  std::vector<std::string> items = {};     ///< of a call: ids of the items of its answer, ascending, `items_max`
  std::vector<std::string> referred = {};  ///< of a call: ids of earlier items that stand in its prompt, likewise
  Belonging own = {};                      ///< of what the span says itself
  Belonging at_resource = {};              ///< of what its resource says
  std::size_t embeddings = 0;              ///< queries that it made
  std::optional<RemoteFacts> remote = {};  ///< of a chain that becomes a call when log records say its answer

  friend bool operator==(SpanFacts const&, SpanFacts const&) = default;
};

/// The ids that the provider of a call gave its answer: of the whole of it and of its items.
[[nodiscard]] std::vector<std::string> given_ids(SpanFacts const& facts);
/// The ids of earlier answers, or of items of them, that the request of a call names.
[[nodiscard]] std::vector<std::string> earlier_ids(SpanFacts const& facts);

/// A message or a rating that came apart from its span.
struct LogFacts {
  std::string id = {};  ///< 32 hex digits of a hash of what it says
  std::string span = {};
  Nanos time = 0;
  std::uint32_t place = 0;
  std::optional<Message> message = {};
  bool is_output = false;
  bool is_numbered = false;  ///< `place` is the number of a choice
  std::optional<Evaluation> evaluation = {};
  AttributeMap beside = {};  ///< where it is neither: what else it says of its call
};

}  // namespace whence::net::capture
