#pragma once
// The items of an array among the params of a request, one after the other: values already, or still text in a large
// message, where one at a time becomes a value. Parsing takes 4 times the size and at most 48 MiB more. A record takes
// 1,704 bytes until it is answered (as it came, and as the writer plans it) and its texts, which are claimed as they
// are read.

#include "net/rpc/envelope.hpp"
#include "schema/base/error.hpp"
#include "schema/json/partial.hpp"

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/array.hpp>
#include <boost/json/monotonic_resource.hpp>
#include <boost/json/value.hpp>

namespace whence::net {

/// Where `Elements::may_hold` is false.
[[nodiscard]] Error no_memory_for_elements();

class Elements {
 public:
  /// `request`, with an intake, and `values`, the member `name` of its params, outlive this.
  Elements(Request const& request, std::string_view name, boost::json::array const& values);
  Elements(Elements const&) = delete;
  Elements& operator=(Elements const&) = delete;

  /// Valid until the next call; null at the end, and where `error` is set.
  [[nodiscard]] boost::json::value const* next();
  /// Asked from time to time: false where there is no memory for what was made of the elements read so far, which takes
  /// `bytes` and the bytes of their texts.
  [[nodiscard]] bool may_hold(std::size_t bytes) const;

  /// What is wrong with the text itself.
  [[nodiscard]] std::optional<Error> const& error() const noexcept { return error_; }
  /// Of the present element: members named twice, as pointers from it. Empty where they are among the request's.
  [[nodiscard]] std::vector<std::string> const& duplicates() const noexcept { return document_.duplicates; }
  /// Where the present element became too large to be a value (`schema::json::values_max`); the value lacks the rest.
  [[nodiscard]] std::optional<std::string> const& cut() const noexcept { return document_.cut; }
  /// About how many elements there are, judged by those read so far.
  [[nodiscard]] std::size_t count_estimated() const noexcept;
  [[nodiscard]] bool is_text() const noexcept { return text_.has_value(); }

 private:
  [[nodiscard]] boost::json::value const* read_next();

  Intake const& intake_;
  boost::json::array const& values_;
  std::size_t read_ = 0;
  std::optional<schema::json::ArrayItems> text_;
  std::size_t bytes_ = 0;
  std::size_t bytes_read_ = 0;
  std::array<unsigned char, std::size_t{16} << 10> buffer_;
  /// Made anew for each element: `release` gives memory back, but the next block is twice as large as the last all the
  /// same, so that some twenty elements larger than the buffer would ask for more than there is.
  std::optional<boost::json::monotonic_resource> memory_;
  schema::json::PartialDocument document_;  ///< in `memory_`, where there is one
  std::optional<Error> error_;
};

}  // namespace whence::net
