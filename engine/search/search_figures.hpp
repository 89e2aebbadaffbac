#pragma once
// How far the index of texts is in the log.

#include "schema/base/ids.hpp"

#include <cstdint>
#include <string>

namespace whence::engine {

struct SearchFigures {
  schema::TxId tx{0};             ///< up to which the index has read the log
  std::uint64_t file_bytes = 0;   ///< of `search.db` and the file beside it
  std::uint64_t begun_again = 0;  ///< how often it was thrown away since the start, as damaged or of another log
  std::string failure = {};       ///< why it does not go on for now; empty: it does
};

}  // namespace whence::engine
