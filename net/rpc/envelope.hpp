#pragma once
// JSON-RPC 2.0 as text: a message taken apart into requests, an answer put together. Knows no method.

#include "engine/engine.hpp"
#include "engine/values/batch.hpp"
#include "net/base/logged_request.hpp"
#include "schema/base/error.hpp"
#include "schema/json/partial.hpp"

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

namespace whence::net {

/// A decoded `records.write` or `records.delete`.
struct WriteRequest {
  engine::WriteBatch batch = {};
  engine::PreparedBatch prepared = {};                    ///< of a large message, in the place of `batch`
  std::optional<std::chrono::milliseconds> timeout = {};  ///< how long the caller waits, from its receipt
  bool names_lost = false;                                ///< the answer has the list of what must stay gone
  bool names_backups = false;                             ///< the answer says which backups still have what went
};

/// What the params of a write are decoded with.
struct Intake {
  engine::Engine const& engine;  ///< checks the records
  /// Gets each item of the array that the method reads one by one, with its place.
  std::function<void(std::size_t, boost::json::value const&)> observe = {};
  /// Hears from time to time how many bytes of records there are; false where there is no memory for them.
  std::function<bool(std::size_t)> may_hold = {};
};

/// One request or notification as it came.
struct Request {
  std::string id = {};  ///< JSON text of the id; empty: a notification
  std::string method = {};
  boost::json::object params = {};
  std::vector<schema::json::TextArray> arrays = {};  ///< members of `params` that stayed text; view the message
  std::vector<std::string> duplicates = {};          ///< pointers from `params` to members named twice
  Intake const* intake = nullptr;                    ///< of a write, set while `Method::parse_write` runs
  std::size_t place = 0;                             ///< in its batch
  std::size_t bytes = 0;                             ///< of the whole message's text
  std::chrono::steady_clock::time_point received = {};
  std::optional<Error> refusal = {};                 ///< what is wrong with the request itself; `params` is then empty
  std::unique_ptr<Result<WriteRequest>> write = {};  ///< of a large message, decoded ahead; outside: few have one
  std::optional<LoggedRequest> logged = {};          ///< of a large message, noted ahead
};

/// One message. Responses of the peer are not in it.
struct Message {
  std::vector<Request> requests = {};
  bool is_batch = false;
};

/// Never fails: what is no JSON is one request with a refusal, as is a batch that is empty or beyond `batch_max`.
[[nodiscard]] Message parse_message(std::string_view text, std::size_t batch_max,
                                    std::chrono::steady_clock::time_point received);

/// The same for a large message, whose values would take many times its memory: arrays that are members of params by
/// these names stay text, and what is beyond `schema::json::values_max` is refused. `text` outlives `Request::arrays`.
[[nodiscard]] Message parse_large_message(std::string_view text, std::size_t batch_max,
                                          std::chrono::steady_clock::time_point received,
                                          std::span<std::string_view const> names);

/// Makes values of the arrays that stayed text, but for `kept`. A request whose arrays hold too many is refused.
void read_arrays(Request& request, std::string_view kept);

/// Appends `{"jsonrpc":"2.0","id":ID,"result":` ; the caller appends the result and a `}`.
void begin_result(std::string& out, std::string_view id);

/// The whole response with `error`.
[[nodiscard]] std::string error_response(std::string_view id, Error const& error);

/// Appends `{"jsonrpc":"2.0","method":METHOD,"params":` ; the caller appends the params and a `}`.
void begin_notification(std::string& out, std::string_view method);

}  // namespace whence::net
