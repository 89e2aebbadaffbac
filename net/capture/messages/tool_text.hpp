#pragma once
// What a tool gave, out of the JSON that its span has of it.

#include <string>

#include <boost/json/value.hpp>

namespace whence::net::capture {

/// A source's text as it is sent to a model: what it is the JSON of, where that is a text, or a result that holds one.
[[nodiscard]] std::string as_sent(std::string const& given);

/// What a text wraps in one member of an object, as clients have to of what is no object (Google's `result` and
/// `output`, LangSmith's `output` and `outputs`); empty: it does not.
[[nodiscard]] std::string wrapped_result(std::string const& text);

/// The id of the call that a text answers, where it is the JSON of a ToolMessage of LangChain's.
[[nodiscard]] std::string answered_call(std::string const& text);

/// What a tool gave, of what its span says: the text that it is the JSON of; of a result of MCP without more its parts;
/// anything else as it is, inline bytes named.
[[nodiscard]] std::string tool_text(std::string text);

/// What a list of parts that a tool gave says beside its text; null: nothing.
[[nodiscard]] boost::json::value beside_parts(std::string const& given);

}  // namespace whence::net::capture
