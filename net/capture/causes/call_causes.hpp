#pragma once
// The causes of one call: as they are found, and as its response says them.

#include "net/capture/causes/sources.hpp"
#include "schema/records/conversation/records.hpp"

#include <set>
#include <string>

namespace whence::net::capture {

/// What is found of the causes of one call.
struct CallCauses {
  Causes refs = {};
  bool is_cut = false;                    ///< there were more than the bounds allow
  std::set<std::string> said_again = {};  ///< hashes of answers among them
  std::set<std::string> given_back = {};  ///< ids of calls in other traces whose results are among them
  std::set<std::string> referred = {};    ///< ids of items that the prompt names, of answers among them
  std::set<std::string> superseded = {};  ///< refs that were causes until nearer ones came
};

/// The causes that a response says, `given` where it does not say how they are known.
[[nodiscard]] Causes known_causes(schema::Response const& response);

/// Takes those out that are known by their place.
[[nodiscard]] Causes take_placed(Causes& causes);

/// Takes those out that others supersede now.
[[nodiscard]] Causes take_superseded(Causes& causes, CallCauses const& found);

/// Sets the causes of a response, as many as a record may have.
void set_causes(Causes const& causes, schema::Response& response);

}  // namespace whence::net::capture
