#pragma once
// The reading verbs: which method each calls, which flags it has, how its answer looks to people. One row each.

#include "tools/cli/io.hpp"
#include "tools/cli/options/param_flags.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/object.hpp>

namespace whence::tools {

/// A method and what it is asked, on the way from the command line to the caller.
struct Request {
  std::string method;
  boost::json::object params;
};

/// One verb that reads.
struct ReadVerb {
  std::string_view name;
  std::string_view method;
  std::string_view doc;
  std::vector<ParamFlag> (*flags)();
  std::vector<std::string_view> positionals;  ///< params that need no flag, in order
  std::string_view include_for_people;        ///< what the table needs of `include`, "A,B"; empty: nothing
  void (*show)(boost::json::object const& result, Io& io);
  bool is_one_page = false;                    ///< its answer has no cursor: all of it has to fit on one page
  void (*settle)(Request& request) = nullptr;  ///< last word on the request, for verbs that stand for two methods
  /// Instead of `show`, where the view has to know what was asked.
  void (*show_asked)(boost::json::object const& params, boost::json::object const& result, Io& io) = nullptr;
};

[[nodiscard]] std::vector<ReadVerb> const& read_verbs();

}  // namespace whence::tools
