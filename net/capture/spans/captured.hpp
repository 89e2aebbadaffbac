#pragma once
// What the mapping makes of a request: spans by their meaning, each on its own, and messages and ratings apart from
// them.

#include "net/capture/messages/message.hpp"
#include "net/capture/spans/attributes.hpp"
#include "net/capture/spans/mapping.hpp"
#include "net/capture/spans/telemetry.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace whence::net::capture {

/// The attribute that says which times of a span are not its own.
inline constexpr std::string_view time_not_given = "time_not_given";

/// A document that a retrieval found.
struct Passage {
  std::string id = {};  ///< as the retrieval names it; may be empty
  std::string document = {};
  std::string content = {};
  std::optional<double> score = {};
  std::optional<std::int64_t> page = {};

  friend bool operator==(Passage const&, Passage const&) = default;
};

/// A message that came as an event, on a span or as a log record.
struct SaidMessage {
  SpanName of = {};
  Nanos time = 0;
  Message message = {};
  bool is_output = false;
  std::uint32_t place = 0;   ///< its number as a choice, else among those of its request of one call and moment
  bool is_numbered = false;  ///< `place` is its number as a choice
  std::uint32_t repeat = 0;  ///< how many equal ones of one call and moment its request had before it
};

/// What a log record says of its call beside messages and ratings: its model, or why it failed.
struct SaidBeside {
  SpanName of = {};
  Nanos time = 0;
  AttributeMap attributes = {};
};

/// What a call is part of, and whom it is for; empty texts where that is not said.
struct Belonging {
  std::string conversation = {};
  std::string person = {};

  friend bool operator==(Belonging const&, Belonging const&) = default;
};

inline constexpr std::size_t passages_max = 256;    ///< of a tool's result; further ones are only in the result
inline constexpr std::size_t embeddings_max = 256;  ///< of a span; further ones are counted
inline constexpr std::size_t documents_max = 1024;  ///< of a retrieval; further ones are counted

/// A span that becomes records.
struct CapturedSpan {
  SpanName name = {};
  std::string parent = {};
  std::string title = {};
  Kind kind = Kind::chain;
  Nanos start = 0;
  Nanos end = 0;
  std::vector<SpanName> links = {};
  std::string agent = {};      ///< that it names itself; empty: none
  std::string service = {};    ///< of its resource
  std::string clock = {};      ///< likewise (telemetry.hpp)
  bool is_agent = false;       ///< the run of an agent
  bool is_whole = false;       ///< a call that says the texts of several below it together
  bool is_inner = false;       ///< a call that is the one around it, where that says its prompt
  bool is_mcp = false;         ///< a tool as MCP's client or server reports its call
  bool is_failed = false;      ///< of a tool: `answer` is why it failed, and all that is known of what it gave
  bool is_remote = false;      ///< of one in another process, whose answer is perhaps in log records
  Belonging own = {};          ///< of what it says itself
  Belonging at_resource = {};  ///< of what its resource says
  std::string model = {};
  std::string response_id = {};         ///< of a call, as the model's provider names it; may be empty
  std::vector<std::string> items = {};  ///< of a call: ids that its provider gave the items of the answer
  std::optional<std::int64_t> input_tokens = {};
  std::optional<std::int64_t> output_tokens = {};
  std::optional<double> cost = {};
  std::vector<Message> input = {};  ///< of a call: the messages of its prompt, instructions first
  std::size_t instructions = 0;     ///< how many of these are the instructions that it names apart
  std::string prompt = {};          ///< all of it as one text; empty: the span does not say
  std::string reasoning = {};       ///< of the model, apart from the answer
  std::string answer = {};          ///< what it gave; of a tool its result. Empty: the span does not say
  std::string question = {};
  std::vector<Passage> passages = {};  ///< that a retrieval found, or a tool's result has
  std::vector<EmbeddedText> embeddings = {};
  std::uint64_t embeddings_left_out = 0;  ///< beyond the bound, or no vector of numbers
  std::uint64_t documents_left_out = 0;   ///< of a retrieval, beyond the bound
  std::string tool = {};
  std::string arguments = {};
  std::string call_id = {};    ///< of a tool: that the model gave the call; may be empty
  std::uint64_t ahead_ms = 0;  ///< by how much its times were ahead of the arrival, to which they were cut
  AttributeMap rest = {};      ///< attributes without a meaning here, and what events say beside their messages
  std::vector<Evaluation> evaluations = {};
};

/// A span of another kind: no more of it than a link in the chain of parents needs, since many are kept for a while.
struct PlainSpan {
  SpanName name = {};
  std::string parent = {};
  std::string title = {};  ///< at most 200 bytes
  Nanos start = 0;
  Nanos end = 0;
  Belonging own = {};  ///< of what it says itself
};

/// What the mapping makes of a request.
struct Captured {
  std::string who = {};  ///< whose request it was by name, for the log; empty: unknown
  std::vector<CapturedSpan> spans = {};
  std::vector<PlainSpan> plain = {};  ///< of other kinds: links in the chain of parents where something is below
  std::vector<SaidMessage> messages = {};
  std::vector<Evaluation> evaluations = {};
  std::vector<SaidBeside> beside = {};
  std::uint64_t dropped_logs = 0;  ///< that say nothing of a call, or of no span
  std::uint64_t unknown_attributes = 0;
  LeftOut left_out = {};                                     ///< of what was taken
  std::string dropped_example = {};                          ///< the name of a dropped span
  std::map<std::string, std::uint64_t> not_understood = {};  ///< kinds that the table has no row for: how many spans
};

/// How far the clock of a sender may be ahead. What it says is later than `now` is cut to it, and said so.
inline constexpr Nanos ahead_max = Nanos{600} * 1'000'000'000;

}  // namespace whence::net::capture
