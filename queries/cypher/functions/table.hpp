#pragma once
// The table of all functions of the language.

#include "queries/cypher/functions/function.hpp"

#include <span>
#include <string_view>

namespace whence::queries::cypher {

/// By name, in any case; null where there is none.
[[nodiscard]] Function const* find_function(std::string_view name);
/// What a function of the table does, in a sentence.
[[nodiscard]] std::string_view doc_of(Function const& function);
/// All functions, for lists of them.
[[nodiscard]] std::span<Function const> all_functions();

}  // namespace whence::queries::cypher
