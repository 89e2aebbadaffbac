#pragma once
// The types that the overloads of the record folders (context/rules.hpp, ...) take and return, declared only.

namespace whence::schema {

struct CheckContext;  // check_context.hpp
struct Link;          // schema/types/link.hpp
class Path;           // schema/base/report.hpp
class Report;         // schema/base/report.hpp

}  // namespace whence::schema
