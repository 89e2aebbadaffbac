#pragma once
// Context units that come within the responses that use them, and ids made from texts.

#include "engine/values/batch.hpp"
#include "schema/base/digest.hpp"
#include "schema/records/records.hpp"

#include <cstdint>
#include <vector>

namespace whence::engine {

/// A unit that a response of a batch brings.
struct TakenUnit {
  std::uint32_t index = 0;  ///< of the response in the batch
  std::uint32_t place = 0;  ///< in its `context_units`
  schema::ContextUnit unit = {};
  bool has_made_id = false;  ///< made from its source and its text
};

/// Takes the units out of the responses of `batch`, in its order; their uses keep ids and weights. They are written
/// with a new response only: a repeat of one whose unit was deleted brings no second unit. Any thread.
[[nodiscard]] std::vector<TakenUnit> take_units(WriteBatch& batch, schema::SecretKey const& id_key);

/// Names a unit that has a text and no id. Any thread.
void name_unit(schema::IncomingRecord& given, schema::SecretKey const& id_key);

/// Notes of the units of `batch` whose ids are made from their text and whom a response of it was made for that they
/// are. O(uses). Any thread.
void find_own_texts(WriteBatch& batch, schema::SecretKey const& id_key);

}  // namespace whence::engine
