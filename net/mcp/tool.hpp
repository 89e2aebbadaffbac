#pragma once
// The tools of the MCP server, one row each: what a model reads of it, what it takes, what it does.

#include "net/mcp/answer.hpp"

#include <span>
#include <string>
#include <string_view>

#include <boost/json/object.hpp>

namespace whence::net::mcp {

struct Tool {
  std::string_view name;
  std::string_view title;
  std::string_view doc;
  std::string_view input_schema;  ///< a JSON Schema of an object; `check_arguments` knows the keywords in use
  bool writes;
  /// `arguments` hold `input_schema`. A failed call is the answer's text, with `is_error`.
  ToolAnswer (*run)(Call const& call, boost::json::object const& arguments);
  std::string (*more_doc)() = nullptr;  ///< what follows `doc`, where that is made of the catalogues
};

[[nodiscard]] std::span<Tool const> tools() noexcept;

/// The row of `name`; null where there is none.
[[nodiscard]] Tool const* find_tool(std::string_view name) noexcept;

/// Runs `tool`. Arguments that its schema refuses are an answer that names each of them.
[[nodiscard]] ToolAnswer run_tool(Tool const& tool, Call const& call, boost::json::object const& arguments);

}  // namespace whence::net::mcp
