#pragma once
// From the refs of a request to vertices of the snapshot, with every unknown one named.

#include "graph/snapshot/snapshot.hpp"
#include "schema/base/error.hpp"
#include "schema/types/ref.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace whence::queries {

/// The vertex `ref` names. Fails with `not_found` at `path` ("/ref") where the snapshot has none.
[[nodiscard]] Result<graph::VertexId> resolve(graph::Snapshot const& snapshot, schema::NodeRef const& ref,
                                              std::string_view path);

/// The vertices `refs` name, in order, repeats kept. Fails with `not_found`, one violation for each unknown ref, its
/// place in the list as `index` and "<path>/<place>" as path.
[[nodiscard]] Result<std::vector<graph::VertexId>> resolve_all(graph::Snapshot const& snapshot,
                                                               std::vector<schema::NodeRef> const& refs,
                                                               std::string_view path);

/// A ref and where the request names it.
struct NamedRef {
  schema::NodeRef const& ref;
  std::string_view path;
};

/// Two vertices at once: where both refs are unknown, both are named.
[[nodiscard]] Result<std::pair<graph::VertexId, graph::VertexId>> resolve_both(graph::Snapshot const& snapshot,
                                                                               NamedRef const& a, NamedRef const& b);

/// An `invalid_params` violation at `path`. `seen` is the value as `schema::shown` gives it, empty where there is none.
[[nodiscard]] Violation invalid_param(std::string_view rule, std::string path, std::string seen, std::string message);

}  // namespace whence::queries
