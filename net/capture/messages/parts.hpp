#pragma once
// Parts of a message's content: texts, reasoning, results and calls of tools, images and files. Nothing of a part is
// lost: one that is not understood is its JSON, in its place.

#include "net/capture/messages/message.hpp"

#include <string>
#include <string_view>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

namespace whence::net::capture {

inline constexpr int depth_max = 8;  ///< of lists in lists, and of messages in messages

/// What names an image, file, sound or film; empty where a part is none, or does not say which. What is read is taken
/// out of `rest`, a copy of the part.
[[nodiscard]] std::string named_media(boost::json::object const& part, boost::json::object* rest = nullptr);

/// What a tool gave back: a text as it is, parts as these, what a convention wraps it in without that; anything else as
/// JSON. `rest` becomes what the text does not say, by the places where it is; null: nothing.
[[nodiscard]] std::string result_text(boost::json::value const& value, int depth, boost::json::value* rest = nullptr);

/// Whether a part's `type` says that it is a result of a tool.
[[nodiscard]] bool is_result_type(std::string_view type);

/// Adds a part, or each of a list of them, to a message.
void append_part(boost::json::value const& part, Message& out, int depth);

/// What a part says that `append_part` does not add to a message.
[[nodiscard]] boost::json::object rest_of_part(boost::json::object const& part);

/// Adds the content of a message to it. A text stays one, but for the JSON text of parts.
void append_content(boost::json::value const& content, Message& out, int depth);

/// Whether a `type` says that it is a model's own call of a tool, or what it reasoned: no user says these.
[[nodiscard]] bool is_of_model_type(std::string_view type);

/// Whether an object is a part, and can be nothing else: what a text that is JSON must be made of to be no text.
[[nodiscard]] bool is_surely_part(boost::json::value const& value);

}  // namespace whence::net::capture
