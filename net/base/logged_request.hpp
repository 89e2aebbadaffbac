#pragma once
// What the log keeps of a request.

#include "schema/types/record_type.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

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
  std::optional<std::uint64_t> question_length = {};    ///< in code points
  std::optional<std::int64_t> processing_time_ms = {};  ///< as the client measured it
  std::vector<LoggedRecord> records = {};
};

}  // namespace whence::net
