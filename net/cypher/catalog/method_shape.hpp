#pragma once
// What a read method takes and answers as a procedure has it: parameters, options, columns, and which member of its
// JSON fills which column. Derived from the schemas of the method's params and result, which OpenRPC shows too.

#include "net/rpc/method.hpp"
#include "queries/cypher/state/procedures.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/object.hpp>

namespace whence::net {

/// What becomes of a member of an answer. Each also of a list of such.
enum class MemberForm : std::uint8_t {
  plain,
  real,  ///< a number that is a float even where it is written without a point
  ref,   ///< the node of the ref; the text where the moment has no such node and the member is a list's item
  edge,  ///< the relation
  time,  ///< a moment, of its text
};

/// A member of an object and the column that it fills.
struct ShapeMember {
  std::string name;
  std::size_t column = 0;
  MemberForm form = MemberForm::plain;
};

/// One list of an answer, whose items are rows.
struct ShapeList {
  std::string name;
  std::vector<ShapeMember> members = {};
  std::optional<std::size_t> relation_column = {};  ///< the items are edges
};

struct MethodShape {
  std::vector<queries::cypher::ProcedureField> parameters = {};  ///< what the method requires, in its table's order
  std::vector<queries::cypher::ProcedureField> options = {};     ///< the rest
  std::vector<queries::cypher::ProcedureField> columns = {};
  std::vector<ShapeList> lists = {};            ///< none: the answer is one row
  std::vector<ShapeMember> beside = {};         ///< members beside the lists: the same in every row
  std::optional<std::size_t> list_column = {};  ///< the name of the row's list, where there are several
};

/// `schemas`: the schemas of records and forms that results refer to, by name.
[[nodiscard]] MethodShape shape_of(Method const& method, boost::json::object const& schemas);

/// The schemas by name.
[[nodiscard]] boost::json::object answer_schemas();

}  // namespace whence::net
