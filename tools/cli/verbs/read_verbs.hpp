#pragma once
// The reading verbs, one row each: the method it calls, its flags, the view that prints its answer.

#include "schema/base/error.hpp"
#include "tools/cli/options/param_flags.hpp"
#include "tools/cli/process/io.hpp"
#include "tools/cli/transport/caller.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/object.hpp>

namespace whence::tools {

/// A call, built from the command line: a method and its params.
struct Request {
  std::string method;
  boost::json::object params;
  boost::json::object asked = {};  ///< by the verb's own flags, before its `settle`
};

/// One verb that reads.
struct ReadVerb {
  std::string_view name;
  std::string_view method;
  std::string_view doc;
  std::vector<ParamFlag> (*flags)();
  std::vector<std::string_view> positionals;  ///< params that need no flag, in order
  std::string_view include_for_people;        ///< the `include` that the view needs, "A,B"; empty: none
  void (*show)(boost::json::object const& result, Io& io);
  bool is_one_page = false;  ///< its answer has no cursor: it must fit on one page
  /// May change the request, for verbs that call one of two methods. Fails for flags that the method does not take.
  Result<void> (*settle)(Request& request) = nullptr;
  /// Instead of `show`, if the view needs what was asked too.
  void (*show_asked)(boost::json::object const& asked, boost::json::object const& result, Io& io) = nullptr;
  std::uint64_t items_default = 0;  ///< the limit where none is given; 0: as many as a page may have
  bool has_labels = false;          ///< its view shows labels, which are made of the records in the answer
  bool has_parts_in_json = false;   ///< `include_for_people` is for programs too
  /// Asks for what the view shows besides the answer.
  void (*add_for_people)(Caller& caller, boost::json::object& result) = nullptr;
  /// Where an answer is empty: changes the params to ask once more, and returns what is said if that has an answer;
  /// nothing where there is nothing else to ask.
  std::string (*ask_otherwise)(boost::json::object const& result, boost::json::object& params) = nullptr;
};

[[nodiscard]] std::vector<ReadVerb> const& read_verbs();

}  // namespace whence::tools
