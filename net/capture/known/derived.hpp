#pragma once
// What has to be written so that the graph holds what was captured.

#include "schema/records/check.hpp"
#include "schema/types/ref.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace whence::net::capture {

/// What has to be written.
struct Derived {
  std::vector<schema::IncomingRecord> records = {};
  std::vector<schema::NodeRef> deletes = {};  ///< after the records: responses that another span of theirs repeats, and
                                              ///< messages whose own source came
  std::vector<schema::NodeRef> renews = {};   ///< responses, and their ratings, that begin anew with the records
  std::uint64_t rejected = 0;                 ///< spans and log records beyond the bounds
  std::string why = {};                       ///< a sentence; empty where nothing was rejected
};

}  // namespace whence::net::capture
