#pragma once
// A moment of a store as openCypher sees it: the graph, and what a run knows of the world.

#include "net/state/service_state.hpp"
#include "queries/cypher/query.hpp"
#include "queries/cypher/values/zones.hpp"
#include "queries/cypher/whence/view_graph.hpp"
#include "queries/view/params.hpp"
#include "queries/view/view.hpp"
#include "schema/base/error.hpp"
#include "schema/base/time.hpp"

#include <memory>
#include <optional>

namespace whence::net {

/// What a run of a query needs to outlive it. One thread at a time.
class CypherMoment {
 public:
  /// The objects of `view` outlive it. `now` is what `datetime()` answers.
  CypherMoment(schema::Time now, queries::View view);
  CypherMoment(CypherMoment const&) = delete;
  CypherMoment& operator=(CypherMoment const&) = delete;

  [[nodiscard]] queries::cypher::ViewGraph const& graph() const noexcept { return graph_; }
  [[nodiscard]] queries::cypher::Environment const& environment() const noexcept { return environment_; }
  [[nodiscard]] queries::cypher::Zones const& zones() const noexcept { return zones_; }

 private:
  queries::cypher::SystemZones zones_;
  queries::cypher::ViewGraph graph_;
  queries::cypher::Environment environment_;
};

/// The moment that `as_of` means, as who may or may not administer the store sees it. Fails with `invalid_params` for
/// one that there is not.
[[nodiscard]] Result<std::unique_ptr<CypherMoment>> moment_of(ServiceState& service,
                                                              std::optional<queries::AsOf> const& as_of, bool is_admin);

}  // namespace whence::net
