#pragma once
// Compares values with the schemas of the server's own description.

#include <optional>
#include <string>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

namespace whence::test {

/// The part of JSON Schema that the description uses; `format` and `pattern` are not looked at.
class SchemaCheck {
 public:
  /// `schemas` are those that `$ref` names; they outlive it.
  explicit SchemaCheck(boost::json::object const& schemas) : schemas_(schemas) {}

  /// The first thing in `value` that does not fit, with its place; nothing where all does.
  [[nodiscard]] std::optional<std::string> fault(boost::json::value const& value, boost::json::value const& schema,
                                                 std::string const& place = {}) const;

 private:
  using Fault = std::optional<std::string>;
  [[nodiscard]] Fault composed_fault(boost::json::value const& value, boost::json::object const& schema,
                                     std::string const& place) const;
  [[nodiscard]] Fault object_fault(boost::json::object const& value, boost::json::object const& schema,
                                   std::string const& place) const;
  [[nodiscard]] Fault array_fault(boost::json::array const& value, boost::json::object const& schema,
                                  std::string const& place) const;

  boost::json::object const& schemas_;
};

/// Whether every number in `value` is finite.
[[nodiscard]] bool is_finite(boost::json::value const& value);

}  // namespace whence::test
