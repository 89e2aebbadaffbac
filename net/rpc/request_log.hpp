#pragma once
// The log lines of requests: those of methods whose row has a `log` (retrieval and generation), those of retrieval
// records among others, taken or refused, and of any request that failed through the server's fault.

#include "net/log.hpp"
#include "net/rpc/method.hpp"
#include "queries/view.hpp"
#include "schema/base/error.hpp"
#include "schema/records/record_type.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/object.hpp>

namespace whence::net {

/// A record of a retrieval request among those of a `records.write`, as far as the log shows what a client gave.
struct LoggedRecord {
  std::size_t index;            ///< among the records of the batch
  schema::RecordType type;      ///< a query, an embedding, a chunk (as retrieved) or an answer
  std::string request_id = {};  ///< empty: the server makes it
  std::uint64_t size = 0;       ///< code points of a question, numbers of an embedding
  std::string model_name = {};  ///< of an embedding
};

/// What the log keeps of a request until it is answered.
struct LoggedRequest {
  std::string request_id = {};  ///< of the retrieval request that it is about; empty where it names none
  std::vector<LoggedRecord> records = {};
};

/// A request was accepted.
LoggedRequest log_received(LogSink const& sink, Method const& method, boost::json::object const& params);

/// How a request ended.
struct Answered {
  std::string_view response;  ///< whole, as it is sent
  std::optional<Errc> error;
  std::chrono::steady_clock::duration elapsed;
  LoggedRequest const& request;  ///< as `log_received` returned it
};

void log_answered(LogSink const& sink, Method const& method, Answered const& answered);

/// The lines of records that a `records.write` has written, as those of the methods of retrieval: `query_received`,
/// `query_embedded`, `chunks_retrieved` and `answer_generated`. None for a batch that changed nothing. `view` shows the
/// batch.
void log_written(LogSink const& sink, Answered const& answered, queries::View const& view);

}  // namespace whence::net
