// The graph of a moment.

#include "net/cypher/moment.hpp"

#include "queries/view/moments.hpp"

#include <utility>

namespace whence::net {

CypherMoment::CypherMoment(schema::Time now, queries::View view) : graph_{std::move(view)} {
  environment_.now_seconds = now.seconds;
  environment_.now_nanos = static_cast<std::int32_t>(now.nanos);
  environment_.zones = &zones_;
}

Result<std::unique_ptr<CypherMoment>> moment_of(ServiceState& service, std::optional<queries::AsOf> const& as_of,
                                                bool is_admin) {
  auto snapshot = queries::snapshot_as_of(shown_to(service.engine.snapshot(), is_admin), as_of);
  if (!snapshot) return snapshot.error();
  return std::make_unique<CypherMoment>(service.clock.now(), service.view_of(std::move(*snapshot)));
}

}  // namespace whence::net
