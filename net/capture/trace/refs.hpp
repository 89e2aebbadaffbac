#pragma once
// The refs of what telemetry becomes: of records of a trace, its spans and log records, and of what several lead to.

#include "net/capture/spans/mapping.hpp"
#include "net/capture/spans/telemetry.hpp"
#include "schema/base/digest.hpp"
#include "schema/types/ref.hpp"

#include <cstddef>
#include <optional>
#include <string_view>

namespace whence::net::capture {

inline constexpr std::string_view iri_prefix = "urn:otel:";
inline constexpr std::string_view log_prefix = "urn:otel:log:";
inline constexpr std::size_t response_id_bytes_max = 128;  ///< as part of an IRI; a longer one is hashed

[[nodiscard]] schema::NodeRef trace_ref(std::string_view trace);
/// The trace that an id of an activity names; empty: none.
[[nodiscard]] std::string_view trace_of_ref(std::string_view id);
[[nodiscard]] schema::NodeRef span_ref(SpanName const& name);
/// The span that an id of a PROV activity names; nothing where it names another thing.
[[nodiscard]] std::optional<SpanName> span_of_ref(std::string_view id);
/// Whether an id of an entity is that of a log record.
[[nodiscard]] bool is_log_ref(std::string_view id);

/// Of a response by its provider's id. Calls that gave it and ratings that name it lead there, whichever came first.
[[nodiscard]] schema::NodeRef named_response_ref(schema::SecretKey const& key, std::string_view response_id);
/// Of a call of a tool by the id that the model gave it. The tool's span and the calls whose prompt has its result lead
/// there, whichever came first.
[[nodiscard]] schema::NodeRef named_call_ref(schema::SecretKey const& key, std::string_view call_id);
/// Of all answers of a text. The calls that gave it lead there.
[[nodiscard]] schema::NodeRef named_answer_ref(std::string_view answer_hash);

/// The record made from a span of this kind; nothing of kinds that make none.
[[nodiscard]] std::optional<schema::NodeRef> record_ref(SpanName const& name, Kind kind);
/// The call whose response has this id; nothing of ids of others.
[[nodiscard]] std::optional<SpanName> call_of_response(std::string_view id);
/// The query whose passages a tool's result has.
[[nodiscard]] schema::NodeRef passages_ref(SpanName const& name);
/// The query of a text that the span made numbers, the `number`th from 0.
[[nodiscard]] schema::NodeRef embedded_ref(SpanName const& name, std::size_t number);

}  // namespace whence::net::capture
