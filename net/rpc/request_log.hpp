#pragma once
// The log lines of requests: those of methods whose row has a `log` (retrieval and generation), those of retrieval
// records among others, taken or refused, and of any request that failed through the server's fault.

#include "graph/snapshot/snapshot.hpp"
#include "net/base/log.hpp"
#include "net/base/logged_request.hpp"
#include "net/rpc/method.hpp"
#include "queries/view/view.hpp"
#include "schema/base/error.hpp"
#include "schema/base/time.hpp"

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string_view>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

namespace whence::net {

/// A request was accepted. Of a large message, whose text goes before that, the records are noted ahead
/// (`Request::logged`).
/// A retrieval whose client does not name its request gets a name here, before the first line about it, under which it
/// is also recorded.
LoggedRequest log_received(LogSink const& sink, Method const& method, Request& request, graph::Snapshot const& known,
                           schema::Time now);

/// Whether the records that the request writes are noted for the log.
[[nodiscard]] bool notes_records(Method const& method, boost::json::object const& params);

/// Notes what the log keeps of a record, if it is one of a retrieval request.
void note_record(LoggedRequest& noted, std::size_t place, boost::json::value const& record);

/// How a request ended.
struct Answered {
  std::string_view response;  ///< whole, as it is sent
  std::optional<Errc> error;
  std::chrono::steady_clock::duration elapsed;
  LoggedRequest const& request;  ///< as `log_received` returned it
};

/// `view` makes a view that shows what the request wrote.
void log_answered(LogSink const& sink, Method const& method, Answered const& answered,
                  std::function<queries::View()> const& view);

/// The lines of records that a `records.write` has written, as those of the methods of retrieval: `query_received`,
/// `query_embedded`, `chunks_retrieved` and `answer_generated`. None for a batch that changed nothing. `view` shows the
/// batch.
void log_written(LogSink const& sink, Answered const& answered, queries::View const& view);

}  // namespace whence::net
