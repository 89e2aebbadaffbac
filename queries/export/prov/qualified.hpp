#pragma once
// Qualified names of our own records in PROV.

#include <string>
#include <string_view>

namespace whence::exports {

/// Appends the qualified name of a ref: its type as prefix, the id as local part with `%XX` for what a local part may
/// not hold.
void append_qualified(std::string& out, std::string_view prefix, std::string_view local);

[[nodiscard]] std::string qualified_name(std::string_view prefix, std::string_view local);

}  // namespace whence::exports
