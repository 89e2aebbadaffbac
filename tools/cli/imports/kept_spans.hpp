#pragma once
// Spans and ratings as another program keeps them, on their way to OTLP's JSON form.

#include "tools/cli/transport/caller.hpp"

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

namespace whence::tools {

struct KeptEvent {
  std::string name = {};
  std::uint64_t time = 0;  ///< nanoseconds since 1970
  boost::json::object attributes = {};
};

struct KeptSpan {
  std::string trace = {};   ///< 32 hex digits
  std::string span = {};    ///< 16 hex digits
  std::string parent = {};  ///< empty: a root
  std::string name = {};
  std::uint64_t start = 0;  ///< nanoseconds since 1970
  std::uint64_t end = 0;
  boost::json::object attributes = {};  ///< by OpenInference's names
  std::vector<KeptEvent> events = {};
  bool is_made = false;  ///< of a trace, from what one of its observations says of it
};

/// What somebody thought of a span's answer.
struct KeptRating {
  std::string trace = {};  ///< empty: that of the span, which the export does not say
  std::string span = {};   ///< empty: the root of the trace, which the export does not say
  std::uint64_t time = 0;
  boost::json::object attributes = {};
};

/// What one document held.
struct KeptTelemetry {
  std::vector<KeptSpan> spans = {};
  std::vector<KeptRating> ratings = {};
  std::uint64_t left_out = 0;             ///< ratings of no span and no trace
  std::vector<std::string> refused = {};  ///< of each row that cannot be taken, why

  /// Notes a row of a list, which `of` names, that cannot be taken, if it is one.
  void note(CallResult<void> const& taken, std::size_t item, std::string const& of = "a list");
};

/// An export of Langfuse: an observation, a score or a trace, a list of them, or an object with `observations` and
/// perhaps `scores`, or a list of these, in camel case or snake case. A trace is a span around its observations; where
/// rows say of themselves what their trace is, it is made of the one that begins it. Fails where it is none of these,
/// naming what is missing; a row of a list that is none is left out alone.
[[nodiscard]] CallResult<KeptTelemetry> read_langfuse(boost::json::value const& document);

/// Spans and annotations of Phoenix: one, or a list, as its client's data frame (`attributes.llm.model_name`,
/// `result.score`) or its REST API (nested) write them. Fails as `read_langfuse`.
[[nodiscard]] CallResult<KeptTelemetry> read_phoenix(boost::json::value const& document);

/// How a document of some program is read.
using ReadKept = CallResult<KeptTelemetry> (*)(boost::json::value const& document);

/// Documents of OTLP's JSON form.
[[nodiscard]] std::string otlp_of(std::vector<KeptSpan> const& spans);
[[nodiscard]] std::string otlp_of(std::vector<KeptRating> const& ratings);

// What both readers need.

/// The id as OpenTelemetry has it where it is one, a UUID without its dashes, else the first digits of its SHA-256.
[[nodiscard]] std::string trace_id_of(std::string_view id);
[[nodiscard]] std::string span_id_of(std::string_view id);

/// Says that the span failed, by OpenTelemetry's names for exporters without a status.
void put_error(boost::json::object& attributes, boost::json::value const* why);

/// A moment in nanoseconds: RFC 3339 text (UTC where it names no zone), or a number of milliseconds since 1970, whose
/// fraction is taken by its digits.
[[nodiscard]] std::optional<std::uint64_t> moment_of(boost::json::value const& value);

/// The first of `names` that `from` has with a value other than null; null where there is none.
[[nodiscard]] boost::json::value const* first_of(boost::json::object const& from,
                                                 std::initializer_list<std::string_view> names);

/// As `first_of`, of names of things: an empty text names nothing. ClickHouse has these in columns without null.
[[nodiscard]] boost::json::value const* id_at(boost::json::object const& from,
                                              std::initializer_list<std::string_view> names);

/// A text as it is, anything else as JSON text.
[[nodiscard]] std::string text_of(boost::json::value const& value);

[[nodiscard]] CallError wrong_document(std::string message);

}  // namespace whence::tools
