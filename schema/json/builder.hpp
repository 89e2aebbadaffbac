#pragma once
// The handlers of Boost.JSON's SAX parser that parsing is made of. Heavy: included by the few files that parse.

#include "schema/base/error.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/json/basic_parser_impl.hpp>
#include <boost/json/value_stack.hpp>

namespace whence::schema::json {

namespace bj = boost::json;

/// The common part of SAX handlers: no limits (the message's size is the limit), nothing to do for parts of the text
/// that carry no value. `boost::json::basic_parser` calls these by name.
struct Handler {
  static constexpr std::size_t max_object_size = static_cast<std::size_t>(-1);
  static constexpr std::size_t max_array_size = static_cast<std::size_t>(-1);
  static constexpr std::size_t max_key_size = static_cast<std::size_t>(-1);
  static constexpr std::size_t max_string_size = static_cast<std::size_t>(-1);

  bool on_document_begin(bj::error_code& /*ec*/) { return true; }
  bool on_document_end(bj::error_code& /*ec*/) { return true; }
  bool on_array_begin(bj::error_code& /*ec*/) { return true; }
  bool on_object_begin(bj::error_code& /*ec*/) { return true; }
  bool on_number_part(bj::string_view /*part*/, bj::error_code& /*ec*/) { return true; }
  bool on_comment_part(bj::string_view /*part*/, bj::error_code& /*ec*/) { return true; }
  bool on_comment(bj::string_view /*rest*/, bj::error_code& /*ec*/) { return true; }
};

/// Whether `text`, a number that 64 bits do not hold, is spelt as a whole one: it would be written with an exponent, or
/// other digits, where somebody may count on those given.
[[nodiscard]] bool is_large_integer(std::string_view text) noexcept;

/// The number that `text` says, correctly rounded; `rough` is what the parser made of it. Sets `ec` and returns nothing
/// where it is beyond binary64.
[[nodiscard]] std::optional<double> exact_double(double rough, std::string_view text, bj::error_code& ec);

/// Builds the value. The parser is given the whole text at once, so it hands over every number's whole text.
class Builder : public Handler {
 public:
  /// What becomes of a whole number beyond 64 bits; `kept_as_text`: and of one beyond binary64.
  enum class Numbers : std::uint8_t { noted, kept_as_text, kept_as_literal };

  explicit Builder(bj::storage_ptr storage, Numbers numbers = Numbers::noted)
      : stack_({}, scratch_.data(), scratch_.size()), numbers_(numbers) {
    stack_.reset(std::move(storage));
  }

  [[nodiscard]] bj::value release() { return stack_.release(); }

  /// Members read, those with a repeated name included. Only where fewer are in the value is the text read again to
  /// learn which: a set of names per object would be paid by every request.
  [[nodiscard]] std::size_t member_count() const noexcept { return member_count_; }

  [[nodiscard]] bool has_inexact() const noexcept { return has_inexact_; }

  void note_inexact(std::string_view text) { has_inexact_ = has_inexact_ || is_large_integer(text); }

  bool on_object_end(std::size_t count, bj::error_code& /*ec*/) {
    member_count_ += count;
    stack_.push_object(count);
    return true;
  }
  bool on_array_end(std::size_t count, bj::error_code& /*ec*/) {
    stack_.push_array(count);
    return true;
  }
  bool on_key_part(bj::string_view part, std::size_t /*length*/, bj::error_code& /*ec*/) {
    stack_.push_chars(part);
    return true;
  }
  bool on_key(bj::string_view rest, std::size_t /*length*/, bj::error_code& /*ec*/) {
    stack_.push_key(rest);
    return true;
  }
  bool on_string_part(bj::string_view part, std::size_t /*length*/, bj::error_code& /*ec*/) {
    stack_.push_chars(part);
    return true;
  }
  bool on_string(bj::string_view rest, std::size_t /*length*/, bj::error_code& /*ec*/) {
    stack_.push_string(rest);
    return true;
  }
  bool on_int64(std::int64_t value, bj::string_view /*text*/, bj::error_code& /*ec*/) {
    stack_.push_int64(value);
    return true;
  }
  bool on_uint64(std::uint64_t value, bj::string_view /*text*/, bj::error_code& /*ec*/) {
    stack_.push_uint64(value);
    return true;
  }
  bool on_double(double rough, bj::string_view text, bj::error_code& ec) {
    if (numbers_ == Numbers::kept_as_literal && is_large_integer(text)) return put_literal(text, ec);
    auto const value = exact_double(rough, text, ec);
    if (numbers_ == Numbers::kept_as_text && (!value || is_large_integer(text))) {
      ec = {};
      stack_.push_string(text);
      return true;
    }
    if (!value) return false;
    note_inexact(text);
    stack_.push_double(*value);
    return true;
  }
  bool on_bool(bool value, bj::error_code& /*ec*/) {
    stack_.push_bool(value);
    return true;
  }
  bool on_null(bj::error_code& /*ec*/) {
    stack_.push_null();
    return true;
  }

 private:
  bool put_literal(bj::string_view text, bj::error_code& ec) {
    stack_.push_key("$");
    stack_.push_string(text);
    stack_.push_key("type");
    stack_.push_string("xsd:integer");
    return on_object_end(2, ec);
  }

  // Small messages are built without touching the heap for intermediate values.
  alignas(bj::value) std::array<unsigned char, 4096> scratch_;
  bj::value_stack stack_;
  Numbers numbers_;
  std::size_t member_count_ = 0;
  bool has_inexact_ = false;
};

/// Places in a text (json.hpp, `Document`), at most as many as anybody would read.
struct Places {
  std::vector<std::string> duplicates = {};
  std::vector<std::string> inexact = {};
  bool are_too_many = false;  ///< some are not named
};

/// The places of the text of which `builder` has built `value`. Fails where there are too many to name even one.
[[nodiscard]] Result<Places> find_places(Builder const& builder, bj::value const& value, std::string_view text,
                                         bj::parse_options const& options);

/// The error of a text that is no JSON.
[[nodiscard]] Error parse_failure(std::string_view what);

/// The same of `text`, with the byte in its line, from 1, at which it is; without where that is the end of the text.
[[nodiscard]] Error parse_failure(std::string_view what, std::string_view text, std::size_t at);

}  // namespace whence::schema::json
