#pragma once
// The PROV records that keep what is known of a trace, one for each span and log record: the graph itself is the state.

#include "net/capture/trace/facts.hpp"
#include "schema/base/digest.hpp"
#include "schema/records/prov/records.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace whence::net::capture {

/// The record of a trace itself: says nothing but its name.
[[nodiscard]] schema::ProvActivity trace_record(std::string_view trace);
/// The record of a span: its facts, and relations to its trace, its parent, its links and what was made from it.
[[nodiscard]] schema::ProvActivity span_record(schema::SecretKey const& key, SpanName const& name,
                                               std::string const& title, SpanFacts const& facts);
/// The ids of calls of tools that a span's record leads to.
[[nodiscard]] std::vector<std::string> named_calls_of(SpanFacts const& facts);
/// A span that others name and that is not known itself.
[[nodiscard]] schema::ProvActivity mentioned_span(SpanName const& name);
/// `trace` may be empty where the facts name a response.
[[nodiscard]] schema::ProvEntity log_record(schema::SecretKey const& key, std::string_view trace,
                                            LogFacts const& facts);

/// The record of a response's id: says nothing but its name.
[[nodiscard]] schema::ProvEntity named_response_record(schema::SecretKey const& key, std::string_view response_id);
/// The record of the id of a call of a tool, likewise.
[[nodiscard]] schema::ProvEntity named_call_record(schema::SecretKey const& key, std::string_view call_id);
/// The record of an answer's text, likewise.
[[nodiscard]] schema::ProvEntity named_answer_record(std::string_view answer_hash);

}  // namespace whence::net::capture
