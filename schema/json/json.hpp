#pragma once
// JSON text to values: Boost.JSON's SAX parser with numbers read exactly. (Its own number conversion in 1.81 is off by
// one ulp for decimals like 0.57, and its writer prints 5.7E-1; writer.hpp prints what the protocol promises.)

#include "schema/base/error.hpp"
#include "schema/base/limits.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/storage_ptr.hpp>
#include <boost/json/value.hpp>

namespace whence::schema::json {

/// A parsed document.
struct Document {
  boost::json::value value;
  /// JSON Pointers of members whose name occurs twice in one object (the last one won). Usually empty.
  std::vector<std::string> duplicates = {};
  /// JSON Pointers of whole numbers without a point or exponent that neither 64 bits nor binary64 hold: they would be
  /// written as other numbers. Usually empty.
  std::vector<std::string> inexact = {};
  /// Whether there are more such places than the two lists name, which are not empty then.
  bool has_more_places = false;
};

/// What `Document::inexact` breaks, for reports.
inline constexpr std::string_view inexact_rule = "integer";
inline constexpr std::string_view inexact_message =
    "is an integer beyond 64 bits that no number here holds: write it as text";

/// Parses one JSON text (RFC 8259). Numbers are correctly rounded to binary64 or kept as 64-bit integers. Fails with
/// `parse_error` on ill-formed text, ill-formed UTF-8, an unpaired surrogate escape, a number beyond binary64, or
/// nesting deeper than `depth_max`. `duplicates` and `inexact` together have at most `limits::record_violations_max`
/// places of 64 KiB; where not even one of them can be named so, it fails too. The value is built in `storage`, which
/// outlives it: a `monotonic_resource` where it is short-lived. Errors have no position: the parser does not keep it
/// where the whole text is given at once.
[[nodiscard]] Result<Document> parse(std::string_view text, std::size_t depth_max = limits::json_depth_max,
                                     boost::json::storage_ptr storage = {});

/// Like `parse`, for what other programs wrote and cannot be asked to write again: a bad character or number costs
/// itself alone. Bytes that are no UTF-8 and escapes of unpaired surrogates become U+FFFD; a number that no number here
/// holds is the text of its digits, so `inexact` is empty, and `NaN`, `Infinity` and `-Infinity`, as Python writes
/// them, are these texts. A byte order mark in front is skipped. Fails as `parse` on all other ill-formed text.
[[nodiscard]] Result<Document> parse_foreign(std::string_view text, std::size_t depth_max = limits::json_depth_max,
                                             boost::json::storage_ptr storage = {});

/// Like `parse`; a whole number beyond 64 bits is kept as `{"$": DIGITS, "type": "xsd:integer"}`, as PROV-JSON writes
/// such numbers, and `inexact` is empty.
[[nodiscard]] Result<Document> parse_with_integers(std::string_view text,
                                                   std::size_t depth_max = limits::json_depth_max,
                                                   boost::json::storage_ptr storage = {});

/// Compact text of `value`: members in their order, numbers as `append_number` writes them (writer.hpp),
/// only what JSON requires is escaped.
[[nodiscard]] std::string to_text(boost::json::value const& value);

/// Like `to_text` with members sorted by bytes, so that equal values have equal text, however their numbers were spelt.
[[nodiscard]] std::string to_canonical_text(boost::json::value const& value);

/// Like `to_text` with members sorted by bytes, and a double keeps a point or exponent: `1.0` stays `1.0`.
[[nodiscard]] std::string to_sorted_text(boost::json::value const& value);

}  // namespace whence::schema::json
