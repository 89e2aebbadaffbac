#pragma once
// Some transactions of the log, for a backup that is kept elsewhere.

#include "schema/base/digest.hpp"
#include "schema/base/ids.hpp"

#include <string>

namespace whence::engine {

struct LogPiece {
  std::string epoch;  ///< of the store
  schema::TxId head = schema::TxId{0};
  schema::Digest leaf = {};  ///< of the entry after which the piece begins; zero for 0
  schema::TxId last =
      schema::TxId{0};  ///< the last transaction of the piece; that after which it begins where it has none
  std::string groups =
      {};  ///< of each transaction its length in 8 bytes, little-endian, and its group (`store::SentGroup`)
};

}  // namespace whence::engine
