#pragma once
// Parsing a message of a watching connection: its kind, and its events with their original text.

#include "schema/base/error.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/object.hpp>

namespace whence::tools {

/// The kinds of messages that a server sends to a subscriber (`net/PROTOCOL.md`).
enum class WatchKind : std::uint8_t {
  answer,  ///< of a request
  event,
  caught_up,
  heartbeat,
  lagged,
  ended,
  other,  ///< a notification this program does not know
};

/// One change of the graph.
struct WatchEvent {
  std::uint64_t tx = 0;
  std::uint64_t prev = 0;    ///< the transaction delivered before on this subscription
  bool is_snapshot = false;  ///< part of the state before the stream began
  std::string text = {};     ///< the event as it was received, on one line
  boost::json::object value = {};
};

struct WatchMessage {
  WatchKind kind = WatchKind::other;
  boost::json::object body = {};  ///< a notification's params without the events; the whole of an answer
  std::vector<WatchEvent> events = {};
};

/// Parses a message. Fails with `parse_error` on text that is not JSON-RPC, or on malformed events.
[[nodiscard]] Result<WatchMessage> parse_watch_message(std::string_view text);

/// A member as an unsigned number; 0 if it is missing or not one.
[[nodiscard]] std::uint64_t count_of(boost::json::object const& object, std::string_view member) noexcept;

}  // namespace whence::tools
