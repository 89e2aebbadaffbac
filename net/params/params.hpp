#pragma once
// Params as described structs: everything that is wrong with them at once, with paths from `params`. Heavy: included by
// the few files that take params apart.

#include "net/params/query_params.hpp"
#include "schema/base/error.hpp"
#include "schema/base/report.hpp"
#include "schema/checks/bounds.hpp"
#include "schema/wire/decode.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/json/object.hpp>

namespace whence::net {

/// Reads all of `params` into `into` and appends what is wrong: unknown members, wrong types, bounds.
template <schema::Described T>
void decode_params(boost::json::object const& params, T& into, std::vector<Violation>& violations) {
  schema::Report report(violations, Errc::invalid_params);
  schema::json::decode_object(params, into, schema::Path{}, report);
  check_bounds(into, schema::Rule{}, schema::Path{}, report);
}

/// `decode_params` for a struct that is all of the params.
template <schema::Described T>
Result<T> parse_params(boost::json::object const& params) {
  T parsed{};
  std::vector<Violation> violations;
  decode_params(params, parsed, violations);
  if (!violations.empty()) return error_from(std::move(violations));
  return parsed;
}

[[nodiscard]] inline Violation param_violation(std::string_view rule, std::string path, std::string seen,
                                               std::string message) {
  return {.code = Errc::invalid_params,
          .rule = std::string{rule},
          .path = std::move(path),
          .seen = std::move(seen),
          .message = std::move(message)};
}

[[nodiscard]] inline Violation duplicate_violation(std::string const& pointer) {
  return param_violation("duplicate_member", pointer, "", "is named twice");
}

/// Members of params that were named twice.
[[nodiscard]] inline std::vector<Violation> duplicate_violations(std::vector<std::string> const& pointers) {
  std::vector<Violation> violations;
  violations.reserve(pointers.size());
  for (std::string const& pointer : pointers) violations.push_back(duplicate_violation(pointer));
  return violations;
}

/// `error` of params that are the member at `path` of others.
[[nodiscard]] inline Error error_within(std::string_view path, Error error) {
  if (error.violations.empty()) return error;
  for (auto& violation : error.violations) violation.path.insert(0, path);
  return error_from(std::move(error.violations));
}

}  // namespace whence::net
