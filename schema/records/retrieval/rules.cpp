// Revisions of chunks.
#include "schema/records/retrieval/rules.hpp"

#include <utility>

namespace whence::schema {

void fold_into(RetrievedChunk& into, RetrievedChunk&& later) {
  if (later.embedding) into.embedding = std::move(later.embedding);
}

}  // namespace whence::schema
