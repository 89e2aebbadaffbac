// Revisions of chunks and answers.
#include "schema/records/retrieval/rules.hpp"

#include <utility>

namespace whence::schema {

void fold_into(RetrievedChunk& into, RetrievedChunk&& later) {
  if (!later.embedding) return;
  into.embedding = std::move(later.embedding);
  into.embedding_model = std::move(later.embedding_model);
}

void fold_into(Answer& /*into*/, Answer&& /*later*/) {}

}  // namespace whence::schema
