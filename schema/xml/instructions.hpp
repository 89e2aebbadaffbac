#pragma once
// The system text that makes a model answer in the contract.

#include <string>

namespace whence::schema::xml {

/// Plain text with one example document, which the contract accepts without a warning. The same at every call.
[[nodiscard]] std::string instructions();

}  // namespace whence::schema::xml
