// The refs of spans and of what they become have the lengths of trace and span ids in hex (W3C Trace Context), by which
// they are read back. An id that somebody gave is part of a ref only where it is short and plain, else a digest with
// the store's key is.

#include "net/capture/trace/refs.hpp"

#include "net/capture/messages/json_text.hpp"

#include <algorithm>
#include <string>

namespace whence::net::capture {

namespace json = boost::json;
using schema::NodeRef;
using schema::RecordType;

namespace {

constexpr std::size_t trace_digits = 32;
constexpr std::size_t span_digits = 16;

constexpr std::string_view trace_prefix = "urn:otel:trace:";
constexpr std::string_view span_prefix = "urn:otel:span:";
constexpr std::string_view response_prefix = "urn:otel:response:";
constexpr std::string_view call_prefix = "urn:otel:call:";
constexpr std::string_view answer_prefix = "urn:otel:answer:";
constexpr std::string_view response_id_prefix = "resp_";  ///< of what the span of a call became

/// The ids of a trace and a span with `between` between them.
std::optional<SpanName> span_in(std::string_view text, char between) {
  if (text.size() != trace_digits + 1 + span_digits || text[trace_digits] != between) return std::nullopt;
  return SpanName{std::string(text.substr(0, trace_digits)), std::string(text.substr(trace_digits + 1))};
}

/// The entity of an id that somebody gave: as it is where it fits into an IRI, else by a digest that nobody can guess.
NodeRef named_ref(schema::SecretKey const& key, std::string_view prefix, std::string_view id) {
  auto const is_plain = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '-' || c == '_';
  };
  bool const fits = id.size() <= response_id_bytes_max && std::ranges::all_of(id, is_plain);
  auto const name = fits ? std::string(id) : "hmac-" + hash_of(key, json::value(id));
  return {RecordType::prov_entity, std::string(prefix) + name};
}

}  // namespace

NodeRef trace_ref(std::string_view trace) {
  return {RecordType::prov_activity, std::string(trace_prefix) + std::string(trace)};
}

std::string_view trace_of_ref(std::string_view id) {
  return id.starts_with(trace_prefix) ? id.substr(trace_prefix.size()) : std::string_view{};
}

NodeRef span_ref(SpanName const& name) {
  return {RecordType::prov_activity, std::string(span_prefix) + name.trace + ":" + name.span};
}

std::optional<SpanName> span_of_ref(std::string_view id) {
  if (!id.starts_with(span_prefix)) return std::nullopt;
  id.remove_prefix(span_prefix.size());
  return span_in(id, ':');
}

bool is_log_ref(std::string_view id) {
  return id.starts_with(log_prefix);
}

NodeRef named_response_ref(schema::SecretKey const& key, std::string_view response_id) {
  return named_ref(key, response_prefix, response_id);
}

NodeRef named_call_ref(schema::SecretKey const& key, std::string_view call_id) {
  return named_ref(key, call_prefix, call_id);
}

NodeRef named_answer_ref(std::string_view answer_hash) {
  return {RecordType::prov_entity, std::string(answer_prefix) + std::string(answer_hash)};
}

std::optional<NodeRef> record_ref(SpanName const& name, Kind kind) {
  auto const id = name.trace + "_" + name.span;
  switch (kind) {
    case Kind::call:
      return NodeRef{RecordType::response, std::string(response_id_prefix) + id};
    case Kind::retrieval:
      return NodeRef{RecordType::query, "otel_" + id};
    case Kind::tool:
      return NodeRef{RecordType::context_unit, "cu_" + id};
    default:
      return std::nullopt;
  }
}

std::optional<SpanName> call_of_response(std::string_view id) {
  if (!id.starts_with(response_id_prefix)) return std::nullopt;
  id.remove_prefix(response_id_prefix.size());
  return span_in(id, '_');
}

NodeRef passages_ref(SpanName const& name) {
  return {RecordType::query, "otel_" + name.trace + "_" + name.span};
}

NodeRef embedded_ref(SpanName const& name, std::size_t number) {
  return {RecordType::query, "otel_" + name.trace + "_" + name.span + "_" + std::to_string(number)};
}

}  // namespace whence::net::capture
