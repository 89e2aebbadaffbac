#pragma once
// Texts that a record holds only while they are short: a longer one is stored apart, as a blob under its digest, once
// however many records have it. Outside the store a record has its texts.

#include "schema/base/digest.hpp"
#include "schema/base/error.hpp"
#include "schema/records/record_reader.hpp"
#include "schema/records/records.hpp"

#include <string>
#include <vector>

namespace whence::schema {

/// A text that is stored apart.
struct LongText {
  Digest digest;
  std::string text;
};

/// Appends the long texts of `record` to `into`; only their digests stay.
void take_long_texts(Record& record, std::vector<LongText>& into);
void take_long_texts(ContextUnit& unit, std::vector<LongText>& into);

/// Puts the texts back; one that is not stored any more stays absent. Fails as `RecordReader::read_blob`.
[[nodiscard]] Result<void> put_long_texts(Record& record, RecordReader const& reader);

}  // namespace whence::schema
