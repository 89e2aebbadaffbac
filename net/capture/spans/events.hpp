#pragma once
// Messages and ratings that came as events, on spans or as log records.

#include "net/capture/messages/message.hpp"
#include "net/capture/spans/attributes.hpp"
#include "net/capture/spans/mapping.hpp"
#include "net/capture/spans/telemetry.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/value.hpp>

namespace whence::net::capture {

/// The row of an event that is one message; null: it is none.
[[nodiscard]] EventRow const* find_event(std::string_view name);

/// Whether an event is a message, or has messages in its attributes.
[[nodiscard]] bool is_message_event(std::string_view name);

/// The name of an event without a meaning among the kinds that are not understood.
[[nodiscard]] std::string unknown_event(std::string_view name);

/// Whether an attribute is instructions, or messages of a prompt or an answer.
[[nodiscard]] bool is_of_messages(std::string_view attribute);

/// What an event says, in its body where it is a log record, else in its attributes. Older events have the message in
/// `gen_ai.prompt` and `gen_ai.completion`.
[[nodiscard]] std::vector<Message> said_by(EventRow const& row, boost::json::value const& body,
                                           AttributeMap const& all);

/// The number of a choice, in a log record's body or an event's attributes; nothing where it is none, or above a
/// million.
[[nodiscard]] std::optional<std::uint32_t> index_in(boost::json::value const& body, AttributeMap const& all);

/// The rating that an event is.
[[nodiscard]] Evaluation evaluation_of(SpanName const& of, Nanos time, AttributeMap const& all);

}  // namespace whence::net::capture
