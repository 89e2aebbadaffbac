#pragma once
// Takes a compact JSON object of our own making apart at its first level, without building a document.

#include <functional>
#include <string>
#include <string_view>

namespace whence::exports {

/// Calls `visit(name, json)` for each member of `object`, in order, with the value as it stands there. `object` is
/// compact and well-formed, its names hold no escapes; an empty text has no members. O(bytes).
void for_each_member(std::string_view object,
                     std::function<void(std::string_view name, std::string_view json)> const& visit);

/// What a JSON string says; any other value as it stands.
[[nodiscard]] std::string plain_text(std::string_view json);

}  // namespace whence::exports
