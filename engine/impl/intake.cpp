#include "engine/impl/intake.hpp"

#include "schema/stored/codec.hpp"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

namespace whence::engine {
namespace {

/// Over the records as they came.
schema::Digest fingerprint_of(WriteBatch const& batch) {
  std::vector<schema::Digest> digests;
  digests.reserve(batch.records.size());
  for (auto const& given : batch.records) digests.push_back(schema::stored::fingerprint(given.record));
  return schema::sha256(std::as_bytes(std::span{digests}));
}

bool is_sound(schema::IncomingRecord const& given) {
  return given.is_usable && given.violations.empty();
}

}  // namespace

Request take_in(WriteBatch batch, WriteDone done, schema::CheckContext const& context) {
  for (auto& given : batch.records) schema::check(given, context);
  Request request{.batch = std::move(batch), .done = std::move(done)};
  auto const& taken = request.batch;
  bool const is_bindable =
      !taken.idempotency_key.empty() && std::all_of(taken.records.begin(), taken.records.end(), is_sound);
  if (is_bindable) request.fingerprint = fingerprint_of(taken);
  return request;
}

}  // namespace whence::engine
