#pragma once
// A span as the mapping table reads it: what was called, with what, and what came of it. Independent of any other span.

#include "net/capture/mapping.hpp"
#include "net/capture/messages.hpp"
#include "net/capture/telemetry.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace whence::net::capture {

/// A document that a retrieval found.
struct Passage {
  std::string id = {};  ///< as the retrieval names it; may be empty
  std::string document = {};
  std::string content = {};
  std::optional<double> score = {};
  std::optional<std::int64_t> page = {};

  friend bool operator==(Passage const&, Passage const&) = default;
};

/// A text as a model's numbers.
struct EmbeddedText {
  std::string text = {};  ///< empty: the span does not say it
  std::vector<float> numbers = {};

  friend bool operator==(EmbeddedText const&, EmbeddedText const&) = default;
};

/// Somebody's or some program's rating of what a span did.
struct Evaluation {
  SpanName of = {};              ///< empty where only the response's id is named
  std::string response_id = {};  ///< as the model's provider named what is rated; may be empty
  std::string name = {};
  std::optional<double> score = {};
  std::string label = {};
  std::string text = {};
  Nanos time = 0;
};

/// A message that came as an event, on a span or as a log record.
struct SaidMessage {
  SpanName of = {};
  Nanos time = 0;
  Message message = {};
  bool is_output = false;
  std::uint32_t place = 0;  ///< among those of the same log record
};

inline constexpr std::size_t links_max = 128;       ///< of a span; further ones are not taken
inline constexpr std::size_t embeddings_max = 256;  ///< of a span; further ones are counted

/// A span that becomes records.
struct CapturedSpan {
  SpanName name = {};
  std::string parent = {};
  std::string title = {};
  Kind kind = Kind::chain;
  Nanos start = 0;
  Nanos end = 0;
  std::vector<SpanName> links = {};
  std::string agent = {};
  std::string model = {};
  std::string response_id = {};  ///< of a call, as the model's provider names it; may be empty
  std::optional<std::int64_t> input_tokens = {};
  std::optional<std::int64_t> output_tokens = {};
  std::optional<double> cost = {};
  std::vector<Message> input = {};  ///< of a call: the messages of its prompt, instructions first
  std::string prompt = {};          ///< all of it as one text; empty: the span does not say
  std::string answer = {};          ///< what it gave; of a tool its result. Empty: the span does not say
  std::string question = {};
  std::vector<Passage> passages = {};
  std::vector<EmbeddedText> embeddings = {};
  std::uint64_t embeddings_left_out = 0;  ///< beyond the bound, or no vector of numbers
  std::string tool = {};
  std::string arguments = {};
  AttributeMap rest = {};  ///< attributes without a meaning here
  std::vector<Evaluation> evaluations = {};
};

/// What the mapping makes of a request.
struct Captured {
  std::string who = {};  ///< whose request it was by name, for the log; empty: nobody's
  std::vector<CapturedSpan> spans = {};
  std::vector<SaidMessage> messages = {};
  std::vector<Evaluation> evaluations = {};
  std::uint64_t dropped_spans = 0;  ///< of other kinds
  std::uint64_t dropped_logs = 0;   ///< that say nothing of a call, or of no span
  std::uint64_t unknown_attributes = 0;
  std::string dropped_example = {};  ///< the name of a dropped span
};

/// Reads spans and log records by the mapping table. O(their size).
[[nodiscard]] Captured read_telemetry(Telemetry telemetry);

}  // namespace whence::net::capture
