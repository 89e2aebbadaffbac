#pragma once
// What versions and readings were found to say, so that an event does not read the whole history of its datasets.

#include "graph/snapshot/snapshot.hpp"
#include "net/openlineage/facts.hpp"

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <variant>

namespace whence::net::openlineage {

/// What an entity says of the dataset that it belongs to, or a declared run of what it reads and writes, without its
/// facets; `monostate`: it is somebody else's.
using UseFacts = std::variant<std::monostate, VersionFacts, ReadingFacts, RunFacts>;

/// By vertex and the number of contents that it has had. Used by one thread at a time. An entity takes some 200 bytes.
class FactsCache {
 public:
  /// Null where it is not known, or says something else since. Until the next `put`.
  [[nodiscard]] UseFacts const* find(schema::VertexId vertex, std::uint64_t contents) const {
    auto const found = known_.find(schema::number(vertex));
    return found == known_.end() || found->second.first != contents ? nullptr : &found->second.second;
  }

  /// Whether it holds 500,000 entities or more, so that it should begin anew.
  [[nodiscard]] bool is_full() const noexcept { return known_.size() >= entities_max; }
  void clear() noexcept { known_.clear(); }

  void put(schema::VertexId vertex, std::uint64_t contents, UseFacts facts) {
    known_.insert_or_assign(schema::number(vertex), std::pair{contents, std::move(facts)});
  }

 private:
  static constexpr std::size_t entities_max = 500'000;
  std::unordered_map<std::uint32_t, std::pair<std::uint64_t, UseFacts>> known_;
};

}  // namespace whence::net::openlineage
