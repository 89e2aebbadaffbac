#pragma once
// Numbers of nodes, edges and transactions inside the engine. Outside, a node is named by its ref
// (schema/types/ref.hpp).

#include <compare>
#include <cstdint>
#include <iosfwd>

namespace whence::schema {

/// A node's dense number, given in order of commit from 0; never reused once committed.
enum class VertexId : std::uint32_t {};

/// An edge's dense number, given in order of commit from 0.
enum class EdgeId : std::uint32_t {};

/// A transaction's number: 0 is the empty store, each write that changes something takes the next.
enum class TxId : std::uint64_t {};

/// The relation of a later revision of a record to the earlier ones. Numbers are stored.
enum class RevisionKind : std::uint8_t {
  whole = 0,     ///< replaces all before it
  addition = 1,  ///< adds items to lists and replaces the other members; readers of later moments need it
  update = 2,    ///< replaces members only, until the next revision; readers of later moments do not need it
};

/// One stored content of a vertex: revision 0 came with the vertex, each change of a record under the same id takes the
/// next number.
struct ContentId {
  VertexId vertex;
  std::uint32_t revision = 0;

  friend auto operator<=>(ContentId const&, ContentId const&) = default;
};

inline constexpr std::uint32_t revisions_max = (std::uint32_t{1} << 24) - 1;  ///< of one vertex; 24 bits of its key

constexpr std::uint32_t number(VertexId id) noexcept {
  return static_cast<std::uint32_t>(id);
}
constexpr std::uint32_t number(EdgeId id) noexcept {
  return static_cast<std::uint32_t>(id);
}
constexpr std::uint64_t number(TxId id) noexcept {
  return static_cast<std::uint64_t>(id);
}
constexpr TxId next(TxId id) noexcept {
  return TxId{number(id) + 1};
}

std::ostream& operator<<(std::ostream& out, VertexId id);
std::ostream& operator<<(std::ostream& out, EdgeId id);
std::ostream& operator<<(std::ostream& out, TxId id);

}  // namespace whence::schema
