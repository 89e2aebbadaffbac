#pragma once
// Images, files, sounds and films within messages: an address is named as it is, bytes by media type, size and digest.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

namespace whence::net::capture {

/// What replaces bytes that are within a message.
[[nodiscard]] std::string named_bytes(std::string_view media_type, std::string_view base64);

/// The media type that a part says; else `fallback`, with the format that it says.
[[nodiscard]] std::string media_type_of(boost::json::object const& part, std::string_view fallback);

/// What a part says of an image, file, sound or film.
struct Media {
  std::string named = {};       ///< the address, the bytes by what names them, or the provider's id
  std::string titles = {};      ///< its title, context and file name, a blank line between them
  std::string transcript = {};  ///< what is said in it
};

/// Its titles, what names it, and what is said in it, as paragraphs.
[[nodiscard]] std::string text_of_media(Media const& media);

/// The source of an image, file, sound or film. `what` names its kind, `outer_type` is the media type that something
/// around it says. What is read is taken out of `rest`, a copy of the part.
[[nodiscard]] std::optional<Media> media_in(boost::json::object const& part, std::string_view what,
                                            std::string_view outer_type = {}, boost::json::object* rest = nullptr);

/// The token of Langfuse's SDKs at the beginning of a text, which stands for bytes that they send elsewhere: its size,
/// and what names the bytes by their type and Langfuse's id, 22 characters of their SHA-256. Nothing where there is
/// none.
[[nodiscard]] std::optional<std::pair<std::size_t, std::string>> media_token_at(std::string_view text);
/// A text with what names the bytes in the place of such tokens; nothing where there are none. O(size).
[[nodiscard]] std::optional<std::string> with_named_tokens(std::string_view text);

/// Puts what names them in the place of bytes that are within a value. Whether there were any.
bool name_bytes(boost::json::value& value, int depth = 0);

/// Compact JSON, or a text as it was given, but for bytes within it.
[[nodiscard]] std::string json_text(boost::json::value const& value);

/// A text as it was given, but for bytes within it, in JSON or beside other words: these are named as in messages.
/// `held` is `structured` of it.
[[nodiscard]] std::string without_bytes(std::string text, boost::json::value const& held);
[[nodiscard]] std::string without_bytes(std::string text);

}  // namespace whence::net::capture
