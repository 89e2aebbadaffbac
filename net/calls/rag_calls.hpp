#pragma once
// rag.retrieve with `record: true`: a retrieval that is written down as it is answered. On a worker: it searches, then
// waits for the writer.

#include "net/rpc/method.hpp"
#include "schema/base/error.hpp"

#include <string>

#include <boost/json/object.hpp>

namespace whence::net {

/// `tx` of the write, `complete`, `request_id` that the server made, `chunks`. Recorded are the query, its embedding
/// and each chunk retrieved, in one transaction.
[[nodiscard]] Result<std::string> record_retrieval(ServiceState& service, boost::json::object const& params,
                                                   Progress const& progress);

/// Whether the params of a retrieval ask for it to be recorded, which is a write.
[[nodiscard]] bool asks_to_record(boost::json::object const& params);

}  // namespace whence::net
