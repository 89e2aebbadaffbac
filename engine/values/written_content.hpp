#pragma once
// A content that a transaction wrote, as the log names it.

#include "schema/base/digest.hpp"
#include "schema/base/ids.hpp"

namespace whence::engine {

struct WrittenContent {
  schema::ContentId content;
  schema::RevisionKind kind = schema::RevisionKind::whole;
  schema::Digest commitment;  ///< `schema::stored::commitment_of` it, also where it is gone
};

}  // namespace whence::engine
