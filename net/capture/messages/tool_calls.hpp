#pragma once
// Calls of tools in texts of messages, in any of the forms that conventions have.

#include <string>
#include <string_view>
#include <vector>

#include <boost/json/value.hpp>

namespace whence::net::capture {

/// Whether a text is calls of tools, and nothing else.
[[nodiscard]] bool are_calls(std::string_view text);

/// A call of a tool.
struct ToolCall {
  std::string id = {};
  std::string name = {};
  boost::json::value arguments = {};
};

/// The calls that a part of a text is; none where it is anything else. Of one whose id alone was kept the name is
/// empty.
[[nodiscard]] std::vector<ToolCall> calls_of(std::string_view part);

/// Whether an id is hardly given twice: it has a run of 8 letters and digits with 3 digits among them. Some providers
/// number the calls of each conversation anew.
[[nodiscard]] bool is_telling_id(std::string_view id);

}  // namespace whence::net::capture
