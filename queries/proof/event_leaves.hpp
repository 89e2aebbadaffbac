#pragma once
// Events as leaves of the tree that proves them: without a content, which a commitment represents.

#include "queries/live/events.hpp"
#include "schema/base/digest.hpp"
#include "schema/base/error.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace whence::queries {

/// A content that the transaction of some events wrote.
struct Commitment {
  VertexId vertex;
  schema::Digest digest;
};

/// The leaves that one transaction adds to the tree, in order: its events as a subscription with edges gets them,
/// without `prev`, each `put` and `version` with the `commitment` of the content that it wrote; then, as
/// `"op":"content"`, what it wrote besides. They follow from the log alone, whatever expired or was purged since.
///
/// Each event without a commitment has `nonce`, so that a guessed name cannot be tested without the log against the
/// leaf's hash. Of an erasure, a transaction that purges and puts the record which says so, the `put` has
/// `purges`, how many.
struct EventLeaves {
  struct Leaf {
    std::size_t end;  ///< of its line in `text`, where the next begins; the line of one not asked for is empty
    VertexId vertex;
    std::optional<std::size_t> content;  ///< place of the content that it commits to among those given
  };
  std::string text = {};
  std::vector<Leaf> leaves = {};
  std::uint64_t purges = 0;  ///< of an erasure

  /// One line of JSON, without a newline.
  [[nodiscard]] std::string_view line(std::size_t leaf) const noexcept {
    auto const begin = leaf == 0 ? 0 : leaves[leaf - 1].end;
    return std::string_view{text}.substr(begin, leaves[leaf].end - begin);
  }
};

/// Of which nodes the leaves get their lines; empty: of all.
using WantedLines = std::function<bool(VertexId)>;

/// What a transaction adds to the tree is made from.
struct LeafSource {
  std::span<Commitment const> contents;  ///< that it wrote
  schema::Digest entry;                  ///< of its entry in the log, which is not known otherwise
};

/// Those of the transaction of `events`. Fails with `corrupt`. O(events).
[[nodiscard]] Result<EventLeaves> leaves_of(Events const& events, LeafSource const& source,
                                            WantedLines const& wanted = {});

}  // namespace whence::queries
