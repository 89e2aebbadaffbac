// The names of failures, their error category, and how many violations become one error.
#include "schema/base/error.hpp"

#include "schema/base/limits.hpp"

#include <algorithm>
#include <array>
#include <ostream>
#include <tuple>
#include <utility>

#include <boost/assert.hpp>
#include <boost/system/system_error.hpp>

namespace whence {
namespace {

/// Indexed by `Errc`; number 0 means success to Boost.System.
constexpr std::array<std::string_view, 24> names = {
    "ok",
    "parse_error",
    "invalid_request",
    "method_not_found",
    "invalid_params",
    "internal_error",
    "cancelled",
    "deadline_exceeded",
    "unauthenticated",
    "forbidden",
    "not_found",
    "expired",
    "purged",
    "invalid_record",
    "invalid_xml",
    "conflict",
    "cycle",
    "precondition",
    "limit_exceeded",
    "busy",
    "cursor_invalid",
    "resume_impossible",
    "storage_full",
    "corrupt",
};
static_assert(names.size() == static_cast<std::size_t>(Errc::corrupt) + 1);

class Category final : public boost::system::error_category {
 public:
  [[nodiscard]] char const* name() const noexcept override { return "whence"; }
  [[nodiscard]] std::string message(int value) const override {
    bool const is_known = value >= 0 && static_cast<std::size_t>(value) < names.size();
    return is_known ? std::string{names[static_cast<std::size_t>(value)]} : "unknown error " + std::to_string(value);
  }
};

constinit Category const category_instance;

/// The message of a violation with its place in front. A document's message names its own.
std::string message_with_place(Violation const& violation) {
  if (violation.xml) return violation.message;
  std::string place;
  if (violation.index) {
    auto const index = std::to_string(*violation.index);
    bool const is_in_path = violation.path.ends_with('/' + index);
    if (!is_in_path) place = "record " + index + (violation.path.empty() ? "" : " ");
  }
  place += violation.path;
  return place.empty() ? violation.message : place + ": " + violation.message;
}

}  // namespace

std::string_view name_of(Errc code) noexcept {
  auto const index = static_cast<std::size_t>(code);
  BOOST_ASSERT(index < names.size());
  return names[index];
}

std::ostream& operator<<(std::ostream& out, Errc code) {
  return out << name_of(code);
}

boost::system::error_category const& error_category() noexcept {
  return category_instance;
}

boost::system::error_code make_error_code(Errc code) noexcept {
  return {static_cast<int>(code), error_category()};
}

std::ostream& operator<<(std::ostream& out, Violation const& violation) {
  out << violation.code << ' ' << violation.rule << " at ";
  if (violation.index) out << '[' << *violation.index << ']';
  return out << violation.path << " (saw " << violation.seen << "): " << violation.message;
}

std::ostream& operator<<(std::ostream& out, Error const& error) {
  out << error.code << ": " << error.message;
  for (auto const& violation : error.violations) out << "\n  " << violation;
  return out;
}

void throw_exception_from_error(Error const& error, boost::source_location const& where) {
  boost::throw_exception(boost::system::system_error(error.error_code(), error.message), where);
}

Error error_from(Violation violation) {
  std::vector<Violation> violations;
  violations.push_back(std::move(violation));
  return error_from(std::move(violations));
}

Error error_from(std::vector<Violation> violations) {
  BOOST_ASSERT(!violations.empty());
  std::stable_sort(violations.begin(), violations.end(), [](Violation const& a, Violation const& b) {
    return std::tie(a.index, a.path) < std::tie(b.index, b.path);
  });
  constexpr auto violations_max = schema::limits::violations_max;
  if (violations.size() > violations_max) violations.resize(violations_max);
  Error error{.code = violations.front().code, .message = message_with_place(violations.front())};
  error.violations = std::move(violations);
  return error;
}

}  // namespace whence
