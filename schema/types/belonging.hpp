#pragma once
// Which person and which session a record is of: the nodes that the names in its members stand for.

#include "schema/types/link.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace whence::schema {

/// The id of the node that `name` names, a Person's or a Session's: the name itself where it may be an id, else
/// `sha256-` and the 64 hex digits of its SHA-256. O(n).
[[nodiscard]] std::string belonging_id(std::string_view name);

/// Whether edges of `type` lead to a person or a session. A record of an older program lacks them.
[[nodiscard]] constexpr bool is_belonging(EdgeType type) noexcept {
  return type == EdgeType::of_person || type == EdgeType::of_session;
}

/// Appends the edge from a record to the node that its `member` names, which must be `name`; none where that is empty.
void append_belonging(EdgeType type, std::string const& name, std::string_view member, std::vector<Link>& links);

}  // namespace whence::schema
