#pragma once
// The texts of records that a search looks through: which members they are, and what a word in each of them counts.

#include "schema/base/error.hpp"
#include "schema/records/record_reader.hpp"
#include "schema/records/records.hpp"

#include <functional>
#include <span>
#include <string_view>

namespace whence::schema {

/// A member that is searched. Of a list each item is a text.
struct TextMember {
  RecordType type;
  std::string_view path;  ///< names of members, joined by "/": "citations/excerpt"
  double weight;          ///< what a word in it counts, beside a word in a long text, which counts 1
};

/// All of them. The id of a record is a text too, at "/id".
[[nodiscard]] std::span<TextMember const> text_members() noexcept;

/// One text of a record; it views the record.
struct RecordText {
  std::string_view path;  ///< JSON Pointer: "/citations/0/excerpt"; valid during the visit
  std::string_view text;
  double weight;
};

/// Calls `visit` for each text of `record`, the id last, where no other text equals it. The record has its long texts
/// (`put_searched_texts`). Of an XML document the text is what is between its tags, one line for each stretch.
/// O(size of the record).
void for_each_text(Record const& record, std::string_view id, std::function<void(RecordText const&)> const& visit);

/// Puts into `record` the texts that are stored apart from it. A text that is gone stays absent. Fails as
/// `RecordReader::read_blob` does otherwise.
[[nodiscard]] Result<void> put_searched_texts(Record& record, RecordReader const& reader);

}  // namespace whence::schema
