#pragma once
// How the command line names a person: by the name, or by the ref of the Person.

#include <string>
#include <string_view>

namespace whence::tools {

/// `anna` of `anna` and of `Person:anna`. A name that itself begins so is given as `Person:Person:x`.
[[nodiscard]] inline std::string person_named(std::string_view given) {
  constexpr std::string_view prefix = "Person:";
  return std::string(given.starts_with(prefix) ? given.substr(prefix.size()) : given);
}

}  // namespace whence::tools
