#pragma once
// What RUN and BEGIN say beside the statement: the database, what must be visible, the time limit, the moment asked
// about, the trace that it belongs to.

#include "net/bolt/packstream/failure.hpp"
#include "net/bolt/packstream/value.hpp"
#include "net/bolt/runner.hpp"
#include "net/tracing/trace_context.hpp"

#include <chrono>
#include <optional>
#include <string>

namespace whence::net::bolt {

struct TxSettings {
  std::string database = {};  ///< empty: the client's home database
  List bookmarks = {};
  std::optional<std::chrono::milliseconds> timeout = {};  ///< for all of it; none: the server's, for each step
  bool is_reading = false;
  std::optional<queries::AsOf> as_of = {};  ///< `as_of` of the transaction's metadata
  std::optional<bool> wants_notices = {};   ///< none: as the connection does
  std::optional<TraceContext> trace = {};   ///< `traceparent` of the metadata; none where it is malformed
};

/// Whether HELLO, LOGON, BEGIN or RUN asks for notifications of names that the schema lacks; none: it does not say.
[[nodiscard]] std::optional<bool> wants_notices(Map const& extra);

/// Reads the map of RUN or BEGIN. Members that are not known are passed over, as the protocol asks.
[[nodiscard]] Outcome<TxSettings> read_settings(Map const& extra);

}  // namespace whence::net::bolt
