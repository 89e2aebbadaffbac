// Reads the header by the places of its parts.

#include "net/tracing/trace_context.hpp"

#include <cstddef>

namespace whence::net {

namespace {

constexpr std::size_t whole_size = 55;  // of version 00
constexpr std::size_t trace_at = 3;
constexpr std::size_t trace_size = 32;
constexpr std::size_t span_at = 36;
constexpr std::size_t span_size = 16;
constexpr std::size_t flags_at = 53;

bool is_hex(std::string_view text) noexcept {
  return text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

bool is_id(std::string_view text) noexcept {
  return is_hex(text) && text.find_first_not_of('0') != std::string_view::npos;
}

}  // namespace

std::optional<TraceContext> parse_traceparent(std::string_view header) {
  if (header.size() < whole_size || !is_hex(header.substr(0, 2)) || header.starts_with("ff")) return std::nullopt;
  bool const is_first_version = header.starts_with("00");
  if (header.size() > whole_size && (is_first_version || header[whole_size] != '-')) return std::nullopt;
  for (auto const dash : {trace_at - 1, span_at - 1, flags_at - 1}) {
    if (header[dash] != '-') return std::nullopt;
  }
  auto const trace = header.substr(trace_at, trace_size);
  auto const span = header.substr(span_at, span_size);
  auto const flags = header.substr(flags_at, 2);
  if (!is_id(trace) || !is_id(span) || !is_hex(flags)) return std::nullopt;
  auto const last = flags[1];
  int const value = last <= '9' ? last - '0' : last - 'a' + 10;
  return TraceContext{.trace = std::string{trace}, .parent = std::string{span}, .is_sampled = (value & 1) != 0};
}

}  // namespace whence::net
