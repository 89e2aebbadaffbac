#pragma once
// The params of an export made ready: for the server's jobs, and for tools that export straight from a store.

#include "engine/engine.hpp"
#include "queries/export/export.hpp"
#include "queries/export/source.hpp"
#include "schema/base/error.hpp"
#include "schema/base/interrupt.hpp"

#include <boost/json/object.hpp>

namespace whence::net {

/// What is exported, and how. Holds a snapshot.
struct PreparedExport {
  exports::Source source;
  exports::ExportRequest request;
};

/// Reads the params of `export.start` and evaluates what they select on the engine's newest
/// state. `engine` outlives the result. Fails with `invalid_params` naming every wrong member, as
/// the selected method does for who is `is_admin` or not, as `exports::check_export` does, or as the interrupt demands.
[[nodiscard]] Result<PreparedExport> prepare_export(engine::Engine const& engine, boost::json::object const& params,
                                                    schema::Interrupt const& interrupt, bool is_admin = true);

}  // namespace whence::net
