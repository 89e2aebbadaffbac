// The layout of a cursor: base64url of a checksum and a JSON array [version, epoch, tx, offset, method, params].

#include "net/rpc/cursor.hpp"

#include "schema/base/digest.hpp"
#include "schema/encoding/base64.hpp"
#include "schema/json/json.hpp"
#include "schema/json/writer.hpp"

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>

namespace whence::net {

namespace {

constexpr std::int64_t cursor_version = 1;
constexpr std::size_t checksum_bytes = 8;  // against damage, not against forgery: a cursor grants nothing

std::string checksum(std::string_view body) {
  schema::Digest const digest = schema::sha256(body);
  return {digest.bytes.begin(), digest.bytes.begin() + checksum_bytes};
}

std::string text_of(boost::json::value const& value) {
  auto const& text = value.get_string();
  return {text.data(), text.size()};
}

std::optional<std::uint64_t> unsigned_of(boost::json::value const& value) {
  if (value.is_uint64()) return value.get_uint64();
  if (value.is_int64() && value.get_int64() >= 0) return static_cast<std::uint64_t>(value.get_int64());
  return std::nullopt;
}

}  // namespace

Error cursor_error(std::string message) {
  return error_from(Violation{
      .code = Errc::cursor_invalid, .rule = "cursor", .path = "/cursor", .seen = "", .message = std::move(message)});
}

std::string encode_cursor(Cursor const& cursor) {
  std::string body;
  schema::json::Writer out(body);
  out.begin_array().value(cursor_version).value(cursor.epoch).value(number(cursor.tx)).value(cursor.offset);
  out.value(cursor.method).raw(cursor.params).end_array();
  return schema::encode_base64url(checksum(body) + body);
}

Result<Cursor> decode_cursor(std::string_view text) {
  Error const damaged = cursor_error("the cursor is damaged");
  auto const bytes = schema::decode_base64url(text);
  if (!bytes || bytes->size() < checksum_bytes) return damaged;
  std::string_view const body = std::string_view{*bytes}.substr(checksum_bytes);
  if (std::string_view{*bytes}.substr(0, checksum_bytes) != checksum(body)) return damaged;
  auto const document = schema::json::parse(body);
  if (!document || !document->value.is_array() || document->value.get_array().size() != 6) return damaged;
  auto const& parts = document->value.get_array();
  auto const version = unsigned_of(parts[0]);
  auto const tx = unsigned_of(parts[2]);
  auto const offset = unsigned_of(parts[3]);
  bool const has_types = parts[1].is_string() && tx && offset && parts[4].is_string() && parts[5].is_object();
  if (!has_types || version != std::uint64_t{cursor_version}) return damaged;
  return Cursor{.epoch = text_of(parts[1]),
                .tx = schema::TxId{*tx},
                .offset = *offset,
                .method = text_of(parts[4]),
                .params = schema::json::to_canonical_text(parts[5])};
}

}  // namespace whence::net
