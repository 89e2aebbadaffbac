#pragma once
// A message on a connection that watches: what kind it is, and the events in it with their text as it came.

#include "schema/base/error.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/object.hpp>

namespace whence::tools {

/// What a server sends to a subscriber (protocol, section 5).
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
  bool is_snapshot = false;  ///< tells what was there before the stream began
  std::string text = {};     ///< the event as it was received, on one line
  boost::json::object value = {};
};

struct WatchMessage {
  WatchKind kind = WatchKind::other;
  boost::json::object body = {};  ///< a notification's params without the events; the whole of an answer
  std::vector<WatchEvent> events = {};
};

/// Takes a message apart. Fails with `parse_error` on text that is no JSON-RPC, or events that are none.
[[nodiscard]] Result<WatchMessage> parse_watch_message(std::string_view text);

/// A member as a number that counts; 0 where it is missing or none.
[[nodiscard]] std::uint64_t count_of(boost::json::object const& object, std::string_view member) noexcept;

/// A member as text; empty where it is missing or none.
[[nodiscard]] std::string_view text_of(boost::json::object const& object, std::string_view member) noexcept;

}  // namespace whence::tools
