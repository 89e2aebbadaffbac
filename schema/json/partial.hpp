#pragma once
// A large JSON-RPC message without its long arrays: those stay text, whose items are read one after the other. A value
// takes many times the memory of its text.

#include "schema/json/json.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/storage_ptr.hpp>

namespace whence::schema::json {

/// Values that are made of one text: those of a message beside its arrays, or those of one item. More than the largest
/// record has; each takes 24 to 60 bytes.
inline constexpr std::size_t values_max = 600'000;

/// An array of a request's params that stayed text. Views the message.
struct TextArray {
  std::size_t request = 0;  ///< place in the batch
  std::string_view name;    ///< of the member of `params`
  std::string_view text;    ///< from its bracket on, and what follows it
};

/// A document of which some was only checked.
struct PartialDocument : Document {
  std::vector<TextArray> arrays = {};  ///< in `value` each that is not empty is `[null]`
  std::size_t root_items = 0;          ///< of an array: with those beyond the bound, which `value` lacks
  /// JSON Pointer of the member that was being read when there were `values_max`: from there on `value` lacks what
  /// follows.
  std::optional<std::string> cut = {};
};

/// Which arrays stay text, and how many items of an array at the root are wanted.
struct PartialOptions {
  std::span<std::string_view const> names = {};  ///< members of `params`
  std::size_t root_items_max = static_cast<std::size_t>(-1);
};

/// Like `parse`, with the same errors, for the whole text. `duplicates` has none of the arrays that stayed text.
[[nodiscard]] Result<PartialDocument> parse_partly(std::string_view text, PartialOptions const& options = {},
                                                   boost::json::storage_ptr storage = {});

/// A `TextArray` without what follows it, but white space.
[[nodiscard]] std::string_view whole_array(std::string_view text);

/// The texts of an array's items, one after the other.
class ArrayItems {
 public:
  /// `text` begins with an array that is well-formed; it outlives this.
  explicit ArrayItems(std::string_view text);

  /// The text of the next item; nothing at the end. O(size of the item).
  [[nodiscard]] std::optional<std::string_view> next();

 private:
  std::string_view rest_;
};

}  // namespace whence::schema::json
