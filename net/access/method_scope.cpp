// Patterns over the names of methods.

#include "net/access/method_scope.hpp"

#include "net/base/method_names.hpp"

#include <algorithm>
#include <utility>

namespace whence::net {

namespace {

/// Goes back to the last `*` where the rest does not match: no recursion, O(pattern * name).
bool matches(std::string_view pattern, std::string_view name) noexcept {
  std::size_t at = 0;
  std::size_t in_name = 0;
  std::size_t star = std::string_view::npos;
  std::size_t tried = 0;
  while (in_name < name.size()) {
    if (at < pattern.size() && pattern[at] == '*') {
      star = at++;
      tried = in_name;
    } else if (at < pattern.size() && pattern[at] == name[in_name]) {
      ++at;
      ++in_name;
    } else if (star != std::string_view::npos) {
      at = star + 1;
      in_name = ++tried;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', at) == std::string_view::npos;
}

Error wrong_scope(std::string message) {
  return {.code = Errc::invalid_params, .message = std::move(message)};
}

}  // namespace

Result<MethodScope> MethodScope::parse(std::string_view list) {
  MethodScope scope;
  for (bool is_more = true; is_more;) {
    auto const comma = list.find(',');
    std::string const pattern{list.substr(0, comma)};
    is_more = comma != std::string_view::npos;
    if (is_more) list.remove_prefix(comma + 1);
    bool const is_known =
        std::ranges::any_of(method_names(), [&](std::string_view name) { return matches(pattern, name); });
    if (!is_known) return wrong_scope("methods: no method is called `" + pattern + "`");
    if (scope.patterns_.size() == patterns_max) return wrong_scope("methods: more than 64 patterns");
    scope.patterns_.push_back(pattern);
  }
  return scope;
}

bool MethodScope::allows(std::string_view method) const noexcept {
  return std::ranges::any_of(patterns_, [method](std::string const& each) { return matches(each, method); });
}

std::string MethodScope::text() const {
  std::string text;
  for (auto const& pattern : patterns_) text += (text.empty() ? "" : ",") + pattern;
  return text;
}

}  // namespace whence::net
