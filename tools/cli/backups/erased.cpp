#include "tools/cli/backups/erased.hpp"

#include "schema/base/limits.hpp"
#include "store/upkeep/compact.hpp"
#include "tools/cli/transport/local_caller.hpp"

#include <algorithm>
#include <vector>

namespace whence::tools {
namespace {

using schema::VertexId;

/// Whether `vertex` lost by `moment` what it had said until then.
bool was_purged_since(graph::Snapshot const& known, VertexId vertex, schema::Time moment) {
  return std::ranges::any_of(known.state_changes(vertex), [&](graph::StateChange const& change) {
    return change.cause == graph::StateCause::purged && known.committed_at(change.tx) >= moment;
  });
}

/// The nodes that a store has and must lose.
std::vector<VertexId> find_erased_left(graph::Snapshot const& known, std::span<ErasedRecord const> erased) {
  std::vector<VertexId> left;
  for (auto const& each : erased) {
    for (auto const vertex : known.find_all_ever(each.ref.type, each.ref.id)) {
      auto const first = known.created(vertex);
      bool const is_it = schema::number(first) == each.tx && known.committed_at(first) == each.at;
      if (is_it && !was_purged_since(known, vertex, each.purged_at)) left.push_back(vertex);
    }
  }
  return left;
}

CallResult<std::uint64_t> purge_nodes(engine::Engine& engine, std::span<VertexId const> all) {
  std::uint64_t purged = 0;
  for (std::size_t begin = 0; begin < all.size(); begin += schema::limits::refs_max) {
    auto const part = all.subspan(begin, std::min(all.size() - begin, schema::limits::refs_max));
    engine::WriteBatch batch;
    batch.step = engine::ContentRemoval{.is_purge = true, .nodes = {part.begin(), part.end()}};
    auto const done = engine.write(std::move(batch));
    if (!done) return call_error(done.error());
    purged += done->removal.gone.size();
  }
  return purged;
}

}  // namespace

CallResult<std::uint64_t> apply_erased(std::filesystem::path const& directory, std::span<ErasedRecord const> erased,
                                       schema::Interrupt const& interrupt, store::Advance const& advance) {
  std::uint64_t purged = 0;
  {
    auto const caller = LocalCaller::open_local(directory, MissingStore::is_error);
    if (!caller) return caller.error();
    auto& engine = (*caller)->engine();
    auto const done = purge_nodes(engine, find_erased_left(engine.snapshot(), erased));
    if (!done) return done.error();
    purged = *done;
  }
  auto const compacted = store::compact(directory, interrupt, advance);
  if (!compacted) {
    return CallError{.exit = exit_code_of(compacted.error().code), .message = compacted.error().message};
  }
  return purged;
}

}  // namespace whence::tools
