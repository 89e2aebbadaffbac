#pragma once
// The view that queries take, made from an engine and one of its snapshots.

#include "engine/engine.hpp"
#include "graph/snapshot/snapshot.hpp"
#include "queries/view/view.hpp"

#include <utility>

namespace whence::net {

/// What those who may not administer the store may see of a moment.
[[nodiscard]] inline graph::Snapshot shown_to(graph::Snapshot const& snapshot, bool is_admin) {
  return is_admin ? snapshot : snapshot.hiding_purged_texts();
}

/// `engine` outlives the view.
[[nodiscard]] inline queries::View view_of(engine::Engine const& engine, graph::Snapshot snapshot) {
  return {.snapshot = std::move(snapshot),
          .records = &engine.records(),
          .vectors = &engine.vectors(),
          .columns = engine.columns(),
          .token_rules = engine.config().token_rules,
          .embeddings = &engine.config().embeddings,
          .texts = engine.texts(),
          .authors = &engine.authors(),
          .read_held_query = &engine.config().read_held_query};
}

}  // namespace whence::net
