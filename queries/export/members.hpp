#pragma once
// Splits a compact JSON object, made by this program, into its members without building a document.

#include <cstddef>
#include <string>
#include <string_view>

namespace whence::exports {

/// The position after the JSON string, or after any value, that begins at `at` of a compact and well-formed text.
[[nodiscard]] std::size_t end_of_json_string(std::string_view json, std::size_t at) noexcept;
[[nodiscard]] std::size_t end_of_json_value(std::string_view json, std::size_t at) noexcept;

/// Calls `visit(name, json)` for each member of `object`, in order, with the text of the value. `object` is
/// compact and well-formed, its names hold no escapes; an empty text has no members. O(bytes).
template <class Visit>
void for_each_member(std::string_view object, Visit&& visit) {
  for (std::size_t at = 1; at < object.size() && object[at] == '"';) {
    auto const name_end = end_of_json_string(object, at);
    auto const name = object.substr(at + 1, name_end - at - 2);
    auto const value = name_end + 1;
    auto const value_end = end_of_json_value(object, value);
    visit(name, object.substr(value, value_end - value));
    at = value_end + 1;  // after the comma
  }
}

/// The text of a JSON string, decoded into `buffer` if it has escapes; any other value unchanged.
[[nodiscard]] std::string_view plain_text(std::string_view json, std::string& buffer);

}  // namespace whence::exports
