#pragma once
// Values of results in one text form each, so that what a feature file expects and what a query gives can be compared.

#include "queries/cypher/values/value.hpp"

#include <string>
#include <string_view>

namespace whence::tests {

/// `sorts_lists`: the order of a list's elements does not count.
[[nodiscard]] std::string canonical(queries::cypher::Value const& value, bool sorts_lists);
/// The same of a value as feature files write it: `(:A {x: 1})`, `<(:A)-[:T]->(:B)>`.
[[nodiscard]] std::string canonical(std::string_view expected, bool sorts_lists);

}  // namespace whence::tests
