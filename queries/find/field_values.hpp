#pragma once
// The values of one field of many nodes.

#include "queries/find/search_field.hpp"
#include "queries/view/view.hpp"
#include "schema/base/error.hpp"
#include "schema/base/poll.hpp"

#include <cstddef>
#include <functional>
#include <optional>
#include <span>

namespace whence::queries {

/// Calls `visit(i, value)` for each value of `field` that `vertices[i]` has, all of the field's type, and once with
/// nothing where it has none: also where its content is gone and the field is in it. The vertices, of one type, come in
/// any order: first those whose value a column has. A view of a text is valid during the call. Fails with `corrupt`, or
/// as the interrupt says.
[[nodiscard]] Result<void> read_field(View const& view, SearchField const& field, std::span<VertexId const> vertices,
                                      schema::Poll& poll,
                                      std::function<void(std::size_t, std::optional<Value> const&)> const& visit);

}  // namespace whence::queries
