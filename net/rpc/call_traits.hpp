#pragma once
// What a client has to know of a request before it sends it again, or to another server.

#include <optional>
#include <string_view>

#include <boost/json/object.hpp>

namespace whence::net {

struct CallTraits {
  bool only_reads = false;    ///< has no effect, so that sending it twice is sending it once
  bool takes_min_tx = false;  ///< can wait for a transaction
};

/// The traits of `method` with `params`; nothing where this program does not know the method.
[[nodiscard]] std::optional<CallTraits> traits_of(std::string_view method, boost::json::object const& params);

}  // namespace whence::net
