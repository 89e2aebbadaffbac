#pragma once
// What a case holds: everything that the pages of some answers say, asked of the server as of one transaction.

#include "tools/cli/transport/caller.hpp"

#include <cstddef>
#include <string>
#include <vector>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

namespace whence::tools {

/// The form of a case that this program writes and the explorer's `case.html` reads.
inline constexpr int case_form = 1;
inline constexpr std::size_t case_refs_max = 100;  ///< answers of one case

/// The case of `refs`, in the form that tools/explorer/README.md describes; the explorer's `case/gather.js` asks the
/// same for *Save as a case*. `moment` is empty or has `as_of`; what it means is fixed by the first answer, and
/// everything is of that transaction. `made` is the present time as text. Fails as the calls do; what a server does not
/// have (a response without a query, a text that is gone) is kept as not there. Time and memory grow with what the
/// answers rest on, at most 10,000 records of each.
[[nodiscard]] CallResult<boost::json::object> gather_case(Caller& caller, std::vector<std::string> const& refs,
                                                          boost::json::object moment, std::string const& made);

/// The refs of every record that the case `data` shows, the ratings in its lists among them, each once.
[[nodiscard]] boost::json::array refs_in_case(boost::json::object const& data);

}  // namespace whence::tools
