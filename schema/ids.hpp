#pragma once
// The numbers that stand for things inside the engine. Outside, a node is named by its ref (schema/ref.hpp).

#include <cstdint>
#include <iosfwd>

namespace whence::schema {

/// A node's dense number, given in order of commit from 0; never reused once committed.
enum class VertexId : std::uint32_t {};

/// An edge's dense number, given in order of commit from 0.
enum class EdgeId : std::uint32_t {};

/// A transaction's number: 0 is the empty store, each write that changes something takes the next.
enum class TxId : std::uint64_t {};

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
