// What both forms of OTLP share, and the answers.

#include "net/capture/otlp.hpp"

#include "net/base/errors.hpp"
#include "schema/base/digest.hpp"
#include "schema/base/text.hpp"
#include "schema/encoding/hex.hpp"
#include "schema/json/json.hpp"

#include <algorithm>
#include <cmath>

namespace whence::net::capture {

namespace {

namespace json = boost::json;

void append_varint(std::string& out, std::uint64_t value) {
  while (value >= 0x80) {
    out.push_back(static_cast<char>((value & 0x7f) | 0x80));
    value >>= 7;
  }
  out.push_back(static_cast<char>(value));
}

void append_bytes(std::string& out, unsigned field, std::string_view bytes) {
  append_varint(out, (field << 3) | 2);
  append_varint(out, bytes.size());
  out.append(bytes);
}

void append_number(std::string& out, unsigned field, std::uint64_t value) {
  if (value == 0) return;
  append_varint(out, field << 3);
  append_varint(out, value);
}

bool is_zero(std::string_view id) noexcept {
  return id.find_first_not_of('0') == std::string_view::npos;
}

}  // namespace

std::string service_of(AttributeMap const& resource) {
  auto const* const name = resource.if_contains("service.name");
  return name != nullptr && name->is_string() ? std::string(name->get_string()) : std::string{};
}

std::string clock_of(AttributeMap const& resource) {
  constexpr std::size_t digits = 6;
  std::string named;
  for (auto const* const name : {"service.namespace", "service.instance.id", "host.id", "host.name", "process.pid",
                                 "container.id", "k8s.pod.uid", "k8s.pod.name"}) {
    auto const* const value = resource.if_contains(name);
    if (value != nullptr) named.append(name).append(" ").append(schema::json::to_text(*value)).append("\n");
  }
  return named.empty() ? named : schema::to_hex(schema::sha256(named)).substr(0, digits);
}

std::string id_from_bytes(std::string_view raw, std::size_t bytes) {
  if (raw.size() != bytes) return {};
  auto id = schema::to_hex({reinterpret_cast<std::uint8_t const*>(raw.data()), raw.size()});
  return is_zero(id) ? std::string{} : id;
}

std::string id_from_hex(std::string_view hex, std::size_t bytes) {
  std::string id;
  if (hex.size() != 2 * bytes) return id;
  for (char const c : hex) {
    int const value = schema::hex_value(c);
    if (value < 0) return {};
    id.push_back(schema::hex_digits[static_cast<std::size_t>(value)]);
  }
  return is_zero(id) ? std::string{} : id;
}

Error no_room() {
  return busy_error("there is no room now for what this request becomes: send less at once, or later");
}

json::value number_value(double number) {
  if (std::isfinite(number)) return number;
  return std::isnan(number) ? "NaN" : number > 0 ? "Infinity" : "-Infinity";
}

std::string encode_success(PartialSuccess const& partial, Signal signal, Encoding encoding) {
  bool const is_whole = partial.rejected == 0 && partial.message.empty();
  if (encoding == Encoding::json) {
    if (is_whole) return "{}";
    auto const* const name = signal == Signal::traces ? "rejectedSpans" : "rejectedLogRecords";
    json::object const body{
        {"partialSuccess", {{name, std::to_string(partial.rejected)}, {"errorMessage", partial.message}}}};
    return schema::json::to_text(json::value(body));
  }
  std::string body;
  if (is_whole) return body;
  std::string inner;
  append_number(inner, 1, partial.rejected);
  append_bytes(inner, 2, partial.message);
  append_bytes(body, 1, inner);
  return body;
}

std::string encode_status(int code, std::string_view message, Encoding encoding) {
  if (encoding == Encoding::json) {
    json::object const body{{"code", code}, {"message", message}};
    return schema::json::to_text(json::value(body));
  }
  std::string body;
  append_number(body, 1, static_cast<std::uint64_t>(code));
  append_bytes(body, 2, message);
  return body;
}

}  // namespace whence::net::capture
