#pragma once
// The file that shows a case: the explorer's own pages, with a place for the data.

#include "tools/cli/options/target.hpp"
#include "tools/cli/transport/caller.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

namespace whence::tools {

/// The data of one case; a browser reads so much in some seconds.
inline constexpr std::size_t case_bytes_max = std::size_t{256} << 20;

/// The form that `tools/explorer/build` makes: the file beside the program, which is of its version, else that of the
/// server. Fails with `failure` where there is none.
[[nodiscard]] CallResult<std::string> find_case_form(Target const& target);

/// JSON that no text in it can end: `<`, `>`, `&`, U+2028 and U+2029 are escapes.
[[nodiscard]] std::string inert_json(boost::json::value const& value);

/// The form with the data in it, and what proves them with the digest of their text (`case_sha256`). Fails with
/// `failure` where the text is no form of a case, or the data are above `case_bytes_max`.
[[nodiscard]] CallResult<std::string> filled_case(std::string form, boost::json::value const& data,
                                                  std::optional<boost::json::object> proof);

}  // namespace whence::tools
