#pragma once
// Checks of a batch that need no state. They run on the thread that submits it, to spare the writer thread.

#include "engine/intake/units.hpp"
#include "engine/intake/xml_texts.hpp"
#include "engine/values/batch.hpp"
#include "engine/values/helper.hpp"
#include "engine/values/write_answer.hpp"
#include "schema/base/digest.hpp"
#include "schema/records/check.hpp"
#include "schema/records/long_texts.hpp"

#include <optional>
#include <vector>

namespace whence::engine {

/// A batch and the callback for its answer.
struct Request {
  WriteBatch batch;
  WriteDone done = {};
  /// What its idempotency key is bound to; nothing without a key, or where field errors refuse the batch anyway.
  std::optional<schema::Digest> fingerprint = {};
  std::vector<TakenXml> xml = {};            ///< of the batch's attachments, in its order
  std::vector<TakenUnit> units = {};         ///< that responses of the batch bring, in its order
  std::vector<schema::LongText> texts = {};  ///< of its records and of `units`
};

/// Names a unit without an id, takes what capture mode takes, and checks the fields: what is wrong is added to the
/// record's violations. O(size of the record).
void check_fields(schema::IncomingRecord& incoming, schema::CheckContext const& context);

/// Checks the fields of every record, unless that was done, and every document, adds violations to their records, and
/// computes the batch's fingerprint; `done` is left empty. `helper` takes a half of the records of a large batch.
/// Callable from any thread. O(size of the batch).
[[nodiscard]] Request take_in(WriteBatch batch, schema::CheckContext const& context, Helper& helper);

}  // namespace whence::engine
