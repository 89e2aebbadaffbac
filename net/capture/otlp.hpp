#pragma once
// OTLP/HTTP bodies to values and answers to bodies (opentelemetry.io/docs/specs/otlp). The protobuf form is read field
// by field without generated code; the JSON form is protobuf's with hex ids, numbers for enumerators and unknown
// members left out.

#include "net/capture/spans/telemetry.hpp"
#include "schema/base/error.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace whence::net::capture {

/// The two forms of a body. An answer has that of its request.
enum class Encoding : std::uint8_t { protobuf, json };

inline constexpr int value_depth_max = 32;  ///< of nested attribute values; what lies deeper is null

/// Reads an ExportTraceServiceRequest or an ExportLogsServiceRequest. Fails with `parse_error` where the bytes are
/// none. Spans and logs without the ids that they need are left out and counted in `unnamed`; so are, uncounted, links
/// that lead nowhere and events that nothing reads. Where `growth` is given and refused, `busy`.
[[nodiscard]] Result<Telemetry> decode_protobuf(std::string_view bytes, Signal signal, std::size_t& unnamed,
                                                Growth* growth = nullptr);
/// The same of the JSON form.
[[nodiscard]] Result<Telemetry> decode_json(std::string_view text, Signal signal, std::size_t& unnamed,
                                            Growth* growth = nullptr);

/// The answer to a request whose `Growth` was refused.
[[nodiscard]] Error no_room();

/// What the decoders take of a span: the bytes that its parts hold beside their texts, about.
inline constexpr std::size_t span_bytes = sizeof(Span) + 192;
inline constexpr std::size_t event_bytes = sizeof(SpanEvent) + 64;
inline constexpr std::size_t link_bytes = sizeof(SpanName) + 96;
inline constexpr std::size_t log_bytes = sizeof(LogRecord) + 128;
inline constexpr std::size_t attribute_bytes = 64;
inline constexpr std::size_t value_bytes = 32;

/// Whether a link of a span is kept: it leads somewhere else, and there are not too many.
[[nodiscard]] inline bool is_kept_link(Span const& span, SpanName const& link) {
  return span.links.size() < links_max && !link.trace.empty() && !link.span.empty() && link != span.name;
}
/// Keeps that a span failed, and why, under OpenTelemetry's names for what has no status.
inline void add_error(Span& span, std::string_view why) {
  span.attributes.emplace("otel.status_code", "ERROR");
  if (!why.empty()) span.attributes.emplace("otel.status_description", why);
}
/// Whether a log record names an event, or an exception; what does not says nothing of a call.
[[nodiscard]] inline bool names_event(LogRecord const& log) {
  return !log.event.empty() || log.attributes.contains("event.name") || is_exception(log);
}

/// What was not taken of a request that was accepted.
struct PartialSuccess {
  std::uint64_t rejected = 0;
  std::string message = {};
};

/// The body of a successful answer.
[[nodiscard]] std::string encode_success(PartialSuccess const& partial, Signal signal, Encoding encoding);
/// The body of a refusal: a google.rpc.Status.
[[nodiscard]] std::string encode_status(int code, std::string_view message, Encoding encoding);

/// `service.name`; empty where there is none.
[[nodiscard]] std::string service_of(AttributeMap const& resource);
/// Names the process and machine that a resource is of, beside its service: 6 hex digits, or nothing where it says
/// none.
[[nodiscard]] std::string clock_of(AttributeMap const& resource);
/// 2 * `bytes` lower-case hex digits of an id, of hex digits (JSON) or raw bytes (protobuf); empty where it is not of
/// that length, or all zero.
[[nodiscard]] std::string id_from_bytes(std::string_view raw, std::size_t bytes);
[[nodiscard]] std::string id_from_hex(std::string_view hex, std::size_t bytes);

/// A number as a value: one that JSON does not have is its name as protobuf's JSON form writes it.
[[nodiscard]] boost::json::value number_value(double number);

}  // namespace whence::net::capture
