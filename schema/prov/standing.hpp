#pragma once
// What a document says of the status and the score of one of our records.

#include <optional>
#include <string>

namespace whence::schema::json {

/// Follows from ratings, versions and the settings of a store, and so may become another in the next.
struct ProvStanding {
  std::string ref;
  std::string path;             ///< of the entity
  std::string status;           ///< empty: not said
  std::optional<double> score;  ///< of ratings; nothing where there are none
};

}  // namespace whence::schema::json
