#include "net/http/langfuse_media_protocol.hpp"

#include "schema/encoding/base64.hpp"
#include "schema/json/json.hpp"

#include <cstddef>
#include <optional>
#include <string>

#include <boost/json/object.hpp>

namespace whence::net {

namespace {

/// The bytes of the digest that a request names; nothing where it names none.
std::optional<std::string> digest_in(std::string_view body) {
  constexpr std::size_t digest_bytes = 32;
  auto const parsed = schema::json::parse(body);
  auto const* const request = parsed ? parsed->value.if_object() : nullptr;
  auto const* const held = request == nullptr ? nullptr : request->if_contains("sha256Hash");
  auto const* const text = held == nullptr ? nullptr : held->if_string();
  auto digest = text == nullptr ? std::nullopt : schema::decode_base64({text->data(), text->size()});
  return digest && digest->size() == digest_bytes ? digest : std::nullopt;
}

}  // namespace

void LangfuseMediaProtocol::take(ServiceState& /*state*/, std::string_view body, Sender const& /*sender*/,
                                 MemoryClaim& /*held*/, Done done) const {
  using boost::beast::http::status;
  constexpr std::size_t id_size = 22;
  auto const digest = digest_in(body);
  if (!digest) return done(refusal(status::bad_request, "sha256Hash: expected the base64 of 32 bytes", false));
  boost::json::object const answer{{"mediaId", schema::encode_base64url(*digest).substr(0, id_size)},
                                   {"uploadUrl", nullptr}};
  done({.status = status::created, .body = schema::json::to_text(boost::json::value(answer))});
}

HttpAnswer LangfuseMediaProtocol::refusal(boost::beast::http::status status, std::string_view message,
                                          bool retry) const {
  auto answer = error_answer(status, message);
  if (retry) answer.fields.emplace_back(boost::beast::http::field::retry_after, "1");
  return answer;
}

}  // namespace whence::net
