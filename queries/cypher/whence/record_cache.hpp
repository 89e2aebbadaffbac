#pragma once
// The records of nodes as maps, read when they are first asked for; the newest few thousand are kept.

#include "queries/cypher/values/value.hpp"
#include "queries/view/view.hpp"
#include "schema/base/error.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>

namespace whence::queries::cypher {

class RecordCache {
 public:
  /// The members of a node's record without `$type$`; empty where its content is gone or cannot be read. Valid as long
  /// as somebody holds it.
  [[nodiscard]] std::shared_ptr<Map const> read(View const& view, graph::VertexId vertex);
  /// Reads the records that are not there yet, all at once.
  void read_ahead(View const& view, std::span<std::uint64_t const> nodes);
  /// What is kept, about.
  [[nodiscard]] std::size_t bytes() const noexcept { return newer_bytes_ + older_bytes_; }
  /// Keeps no more than this share of what one cache keeps: the caches of `parts` moments together keep as much as one.
  void share_among(std::size_t parts);
  void let_go() noexcept;
  /// The first failure of reading.
  [[nodiscard]] std::optional<Error> const& error() const noexcept { return error_; }

 private:
  std::shared_ptr<Map const> keep(std::uint32_t key, schema::Record const& record);
  std::shared_ptr<Map const> keep(std::uint32_t key, std::shared_ptr<Map const> map, std::size_t bytes);
  [[nodiscard]] std::shared_ptr<Map const> find(std::uint32_t key) const;
  void note(Error const& error);

  static constexpr std::size_t kept_bytes_max = std::size_t{32} << 20;

  std::unordered_map<std::uint32_t, std::shared_ptr<Map const>> newer_;  ///< being filled
  std::unordered_map<std::uint32_t, std::shared_ptr<Map const>> older_;  ///< full; dropped when the newer one is
  std::size_t newer_bytes_ = 0;
  std::size_t older_bytes_ = 0;
  std::size_t newer_bytes_max_ = kept_bytes_max;
  std::optional<Error> error_;
};

}  // namespace whence::queries::cypher
