#pragma once
// Which blobs a stored content names: what purging a record, and a segment of a backup, must take along.

#include "schema/base/digest.hpp"
#include "schema/records/records.hpp"

#include <span>
#include <vector>

namespace whence::schema::stored {

/// The blobs that a stored content names.
[[nodiscard]] std::vector<Digest> blobs_of(Record const& content);

/// The types whose contents may name blobs.
[[nodiscard]] std::span<RecordType const> types_with_blobs();

}  // namespace whence::schema::stored
