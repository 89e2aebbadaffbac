// The words of the protocol for an incomplete result.

#include "queries/view/incomplete.hpp"

namespace whence::queries {

std::string_view name_of(Incomplete reason) noexcept {
  switch (reason) {
    case Incomplete::depth:
      return "depth";
    case Incomplete::nodes:
      return "nodes";
    case Incomplete::limit:
      return "limit";
    case Incomplete::cycle_cut:
      return "cycle_cut";
    case Incomplete::index:
      return "index";
    case Incomplete::no:
      break;
  }
  return {};
}

}  // namespace whence::queries
