#pragma once
// What is known of a trace: the facts of its spans that other spans' records depend on, and the messages and ratings
// that came as log records. They are kept as PROV records, one for each span and log record, so the graph itself is the
// state: nothing waits in memory, and a restart, a backup or an export has all of it.

#include "graph/snapshot/snapshot.hpp"
#include "net/capture/captured.hpp"
#include "schema/base/error.hpp"
#include "schema/records/prov/records.hpp"
#include "schema/records/record_reader.hpp"
#include "schema/types/ref.hpp"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace whence::net::capture {

/// What other spans need to know of one.
struct SpanFacts {
  Kind kind = Kind::chain;
  std::string parent = {};
  Nanos start = 0;
  Nanos end = 0;
  std::vector<SpanName> links = {};
  std::string agent = {};         ///< that the span names itself; empty: none
  std::string service = {};       ///< of its resource
  bool is_agent = false;          ///< the run of an agent
  bool is_memory = false;         ///< a search in a memory: the model may have been given it beside its messages
  std::string answer_hash = {};   ///< of a call's own answer, or an agent's; empty where the span says none
  bool has_prompt = false;        ///< the span itself says what the model was given, beside instructions
  std::string instructions = {};  ///< of a call whose span says no more than these of its prompt
  bool has_text = false;          ///< of a tool or a retrieval: what it gave is known
  std::string call_id = {};       ///< of a tool: that the model gave the call
  std::vector<std::string> results = {};  ///< of a call: the ids of the results in its prompt, the last `results_max`
  std::vector<std::string> brief = {};    ///< of a call: folded messages too short to be sought in a text, `brief_max`
  std::vector<std::string> chunks =
      {};                        ///< of a retrieval or a tool: ids of the passages that have a text, `chunks_max`
  std::string response_id = {};  ///< of a call, as the model's provider names it
  Belonging own = {};            ///< of what the span says itself
  Belonging at_resource = {};    ///< of what its resource says
  std::size_t embeddings = 0;    ///< queries that it made

  friend bool operator==(SpanFacts const&, SpanFacts const&) = default;
};

/// A message or a rating that came apart from its span.
struct LogFacts {
  std::string id = {};  ///< 32 hex digits of a hash of what it says
  std::string span = {};
  Nanos time = 0;
  std::uint32_t place = 0;
  std::optional<Message> message = {};
  bool is_output = false;
  std::optional<Evaluation> evaluation = {};
};

inline constexpr std::size_t calls_of_response_max = 16;  ///< that give the same response id; further ones are unnamed

/// What is known by the id that a model's provider gave a response.
struct NamedResponse {
  std::set<SpanName> calls = {};
  std::map<std::string, LogFacts> ratings = {};  ///< by id
};

inline constexpr std::size_t results_max = 64;
inline constexpr std::size_t chunks_max = 256;
inline constexpr std::size_t brief_max = 64;

struct TraceState {
  std::map<std::string, SpanFacts> spans = {};  ///< by span id
  std::map<std::string, LogFacts> logs = {};    ///< by id
};

[[nodiscard]] schema::NodeRef trace_ref(std::string_view trace);
[[nodiscard]] schema::NodeRef span_ref(SpanName const& name);
/// Of a response by its provider's id. Calls that gave it and ratings that name it lead there, whichever came first.
[[nodiscard]] schema::NodeRef named_response_ref(std::string_view response_id);
/// Of a call of a tool by the id that the model gave it. The tool's span and the calls whose prompt has its result lead
/// there, whichever came first.
[[nodiscard]] schema::NodeRef named_call_ref(std::string_view call_id);
[[nodiscard]] schema::ProvEntity named_call_record(std::string_view call_id);
/// Of all answers of a text. The calls that gave it lead there.
[[nodiscard]] schema::NodeRef named_answer_ref(std::string_view answer_hash);
[[nodiscard]] schema::ProvEntity named_answer_record(std::string_view answer_hash);
/// The query whose passages a tool's result has.
[[nodiscard]] schema::NodeRef passages_ref(SpanName const& name);
/// Whether an id is hardly given twice: it has a run of 8 letters and digits with 3 digits among them. Some providers
/// number the calls of each conversation anew.
[[nodiscard]] bool is_telling_id(std::string_view id);

/// A text as it is compared with others. Each convention writes calls of tools in its own way, so of a call its id
/// counts, and where that is missing or a mere number its name and arguments.
struct Comparable {
  std::string text = {};
  std::vector<std::string> calls = {};  ///< ids of the calls in it
  std::size_t telling = 0;              ///< bytes by which it is told from others; none of calls by mere numbers
};
[[nodiscard]] Comparable comparable(std::string_view text);

/// The hash by which answers are compared: of the answer as `comparable` has it.
[[nodiscard]] std::string answer_hash(std::string_view answer);
[[nodiscard]] std::string hash_of_comparable(std::string_view text);
/// The record made from a span of this kind; nothing of kinds that make none.
[[nodiscard]] std::optional<schema::NodeRef> record_ref(SpanName const& name, Kind kind);
/// The query of a text that the span made numbers, the `number`th from 0.
[[nodiscard]] schema::NodeRef embedded_ref(SpanName const& name, std::size_t number);
/// The span that an id of a PROV activity names; nothing where it names another thing.
[[nodiscard]] std::optional<SpanName> span_of_ref(std::string_view id);

/// The record of a trace itself: says nothing but its name.
[[nodiscard]] schema::ProvActivity trace_record(std::string_view trace);
/// The record of a span: its facts, and relations to its trace, its parent, its links and what was made from it.
[[nodiscard]] schema::ProvActivity span_record(SpanName const& name, std::string const& title, SpanFacts const& facts);
/// A span that others name and that is not known itself.
[[nodiscard]] schema::ProvActivity mentioned_span(SpanName const& name);
/// The record of a response's id: says nothing but its name.
[[nodiscard]] schema::ProvEntity named_response_record(std::string_view response_id);
/// `trace` may be empty where the facts name a response.
[[nodiscard]] schema::ProvEntity log_record(std::string_view trace, LogFacts const& facts);

[[nodiscard]] LogFacts facts_of(SaidMessage const& said);
[[nodiscard]] LogFacts facts_of(Evaluation const& evaluation);
[[nodiscard]] SpanFacts facts_of(CapturedSpan const& span);

/// The spans above `span` as far as they are known, and the first that is not; the nearest first. Until `state`
/// changes.
[[nodiscard]] std::vector<std::string_view> spans_above(TraceState const& state, std::string const& span);

/// Reads what is known of a trace. Fails as `RecordReader::read`.
[[nodiscard]] Result<TraceState> read_trace(std::string_view trace, graph::Snapshot const& snapshot,
                                            schema::RecordReader const& reader);

/// Reads what is known by a response's id. Fails as `RecordReader::read`.
[[nodiscard]] Result<NamedResponse> read_named_response(std::string_view response_id, graph::Snapshot const& snapshot,
                                                        schema::RecordReader const& reader);

}  // namespace whence::net::capture
