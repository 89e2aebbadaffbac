#pragma once
// What can be said of a batch without the state: done on the thread that submits it, so that the one writer need not.

#include "engine/batch.hpp"
#include "engine/intake/xml_texts.hpp"
#include "engine/write_answer.hpp"
#include "schema/base/digest.hpp"
#include "schema/records/check.hpp"

#include <optional>
#include <vector>

namespace whence::engine {

/// A batch and who waits for its answer.
struct Request {
  WriteBatch batch;
  WriteDone done;
  /// What its idempotency key is bound to; nothing without a key, and where field errors have the batch refused anyway.
  std::optional<schema::Digest> fingerprint = {};
  std::vector<TakenXml> xml = {};  ///< of the batch's attachments, in its order
};

/// Checks every record's fields and every document, adds what is wrong to the record's violations, and takes the
/// batch's fingerprint. Callable from any thread. O(size of the batch).
[[nodiscard]] Request take_in(WriteBatch batch, WriteDone done, schema::CheckContext const& context);

}  // namespace whence::engine
