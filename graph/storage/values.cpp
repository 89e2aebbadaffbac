#include "graph/storage/values.hpp"

namespace whence::graph {

std::string_view name_of(UnitStatus status) noexcept {
  switch (status) {
    case UnitStatus::active:
      return "active";
    case UnitStatus::updated:
      return "updated";
    case UnitStatus::deprecated:
      return "deprecated";
  }
  return "";
}

}  // namespace whence::graph
