#pragma once
// JSON-RPC 2.0 as text: a message taken apart into requests, an answer put together. Knows no method.

#include "engine/batch.hpp"
#include "schema/base/error.hpp"

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/object.hpp>

namespace whence::net {

/// A decoded `records.write` or `records.delete`.
struct WriteRequest {
  engine::WriteBatch batch = {};
  engine::PreparedBatch prepared = {};                    ///< of a large message, in the place of `batch`
  std::optional<std::chrono::milliseconds> timeout = {};  ///< how long the caller waits, from its receipt
};

/// One request or notification as it came.
struct Request {
  std::string id = {};  ///< JSON text of the id; empty: a notification
  std::string method = {};
  boost::json::object params = {};
  std::vector<std::string> duplicates = {};  ///< pointers from `params` to members named twice
  std::size_t bytes = 0;                     ///< of the whole message's text
  std::chrono::steady_clock::time_point received = {};
  std::optional<Error> refusal = {};               ///< what is wrong with the request itself; `params` is then empty
  std::optional<Result<WriteRequest>> write = {};  ///< of a large message, decoded ahead
};

/// One message. Responses of the peer are not in it.
struct Message {
  std::vector<Request> requests = {};
  bool is_batch = false;
};

/// Never fails: what is no JSON is one request with a refusal, as is a batch that is empty or beyond `batch_max`.
[[nodiscard]] Message parse_message(std::string_view text, std::size_t batch_max,
                                    std::chrono::steady_clock::time_point received);

/// Appends `{"jsonrpc":"2.0","id":ID,"result":` ; the caller appends the result and a `}`.
void begin_result(std::string& out, std::string_view id);

/// The whole response with `error`.
[[nodiscard]] std::string error_response(std::string_view id, Error const& error);

/// Appends `{"jsonrpc":"2.0","method":METHOD,"params":` ; the caller appends the params and a `}`.
void begin_notification(std::string& out, std::string_view method);

}  // namespace whence::net
