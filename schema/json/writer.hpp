#pragma once
// Writes compact JSON straight into a string, in the one number and string form of the protocol.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace whence::schema::json {

/// Appends `text` as a JSON string with its quotes. Escaped are `"`, `\` and U+0000..001F only. `text` must be UTF-8.
void append_string(std::string& out, std::string_view text);

/// Appends a double: an integer of 64 bits with all its digits, any other in its shortest form that reads back the
/// same: 1, 0.0001, 1e-7. Beyond 64 bits it has an exponent, by which a reader knows that it is no integer. One that is
/// not finite is `null`, since JSON has none.
void append_number(std::string& out, double value);
void append_integer(std::string& out, std::uint64_t value);
/// A binary32, likewise: the shortest form that reads back the same through binary64.
void append_number(std::string& out, float value);

/// A streaming writer. It writes commas and colons; the caller balances begin and end. Not thread-safe.
class Writer {
 public:
  /// Appends to `out`, which outlives the writer.
  explicit Writer(std::string& out) : out_(out) {}

  Writer& begin_object();
  Writer& end_object();
  Writer& begin_array();
  Writer& end_array();
  Writer& key(std::string_view name);
  Writer& value(std::string_view text);
  Writer& value(char const* text) { return value(std::string_view{text}); }
  Writer& value(double number);
  Writer& value(float number);  ///< the shortest that reads back the same binary32
  Writer& value(bool flag);
  Writer& value(std::int64_t number);
  Writer& value(std::uint64_t number);
  Writer& value(int number) { return value(std::int64_t{number}); }
  Writer& value(std::uint32_t number) { return value(std::uint64_t{number}); }
  Writer& null();
  /// Appends text that is JSON already.
  Writer& raw(std::string_view json);

  template <class T>
  Writer& member(std::string_view name, T const& item) {
    key(name);
    return value(item);
  }

  [[nodiscard]] std::string& out() noexcept { return out_; }

 private:
  void separate();

  std::string& out_;
  bool needs_comma_ = false;
};

}  // namespace whence::schema::json
