#pragma once
// The SQL peers: SQLite with a tuned schema, and with the relational schema of the context-tracing data model.

#include "tools/bench/data/workload.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace whence::bench {

/// Integer key of a node in the tuned schema.
[[nodiscard]] constexpr std::int64_t unit_key(std::uint32_t number) {
  return std::int64_t{number} * 2;
}
[[nodiscard]] constexpr std::int64_t response_key(std::uint32_t number) {
  return std::int64_t{number} * 2 + 1;
}

/// A database with the workload's rows. Not thread-safe; throws std::runtime_error with SQLite's message.
class SqlitePeer {
 public:
  enum class Schema {
    tuned,   ///< integer keys, edges WITHOUT ROWID in both directions, WAL, no manifest
    source,  ///< text keys, manifest stored, the indexes of the data model
  };

  SqlitePeer(std::string const& path, Schema schema);
  ~SqlitePeer();
  SqlitePeer(SqlitePeer const&) = delete;
  SqlitePeer& operator=(SqlitePeer const&) = delete;

  /// One durable transaction (WAL, synchronous = FULL) for all `steps`.
  void write(std::vector<Step> const& steps, std::size_t begin, std::size_t end);

  // The reads work on the tuned schema.
  enum class Direction { ancestors, descendants };

  /// Keys reached within `depth` hops by a recursive common table expression.
  [[nodiscard]] std::size_t reach_by_cte(std::int64_t start, Direction direction, std::uint32_t depth);
  /// The same by breadth-first search in the application with one prepared neighbour query.
  [[nodiscard]] std::size_t reach_by_search(std::int64_t start, Direction direction, std::uint32_t depth);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace whence::bench
