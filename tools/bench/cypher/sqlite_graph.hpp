#pragma once
// SQLite with the dataset in indexed tables, both directions of each edge, and analysed.

#include "tools/bench/cypher/dataset.hpp"

#include <memory>
#include <span>
#include <string>

namespace whence::bench {

/// A database. Not thread-safe; throws std::runtime_error with SQLite's message.
class SqliteGraph {
 public:
  SqliteGraph(std::string const& path, Dataset const& data);
  ~SqliteGraph();
  SqliteGraph(SqliteGraph const&) = delete;
  SqliteGraph& operator=(SqliteGraph const&) = delete;

  /// The rows of a statement, prepared once: rows joined by ';', cells by ','.
  [[nodiscard]] std::string ask(std::string const& sql, std::span<std::int64_t const> params);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace whence::bench
