#pragma once
// What the tables' keys and values mean, where writer, reader and checker must agree.

#include "schema/digest.hpp"
#include "schema/ids.hpp"
#include "schema/record_type.hpp"
#include "schema/stored/codec.hpp"
#include "store/impl/bytes.hpp"
#include "store/impl/environment.hpp"
#include "store/impl/head.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace whence::store {

inline constexpr std::uint64_t head_key = 0;  ///< the only key of `meta`

/// A record's key: the vertex, and its type in the low byte, so that content can be decoded without its row.
[[nodiscard]] constexpr std::uint64_t record_key(schema::VertexId vertex, schema::RecordType type) noexcept {
  return std::uint64_t{schema::number(vertex)} << 8 | static_cast<std::uint8_t>(type);
}
[[nodiscard]] constexpr std::uint64_t first_record_key(schema::VertexId vertex) noexcept {
  return std::uint64_t{schema::number(vertex)} << 8;
}
[[nodiscard]] constexpr std::uint64_t vertex_number_of(std::uint64_t record_key) noexcept {
  return record_key >> 8;
}
/// The type's number; not every number is a type.
[[nodiscard]] constexpr unsigned type_number_of(std::uint64_t record_key) noexcept {
  return record_key & 0xff;
}

/// The key of a kept answer.
[[nodiscard]] inline schema::Digest answer_key(std::string_view idempotency_key) {
  return schema::sha256(idempotency_key);
}

/// The value of a kept answer: a checksum over key and answer (no log entry covers it), then the answer.
[[nodiscard]] Bytes encode_answer(schema::Digest const& key, schema::stored::KeptAnswer const& answer);
[[nodiscard]] Result<schema::stored::KeptAnswer> decode_answer(std::span<std::byte const> key,
                                                               std::span<std::byte const> value);

/// The head, in a reading transaction; `corrupt` where there is none, it does not hold, or it is not of the commit that
/// LMDB shows.
[[nodiscard]] Result<Head> read_head(Environment const& environment, Transaction const& txn);

/// As `read_head`, for a fresh copy by LMDB, which has numbers of its own.
[[nodiscard]] Result<Head> read_copied_head(Environment const& environment, Transaction const& txn);

/// Puts the head, numbered for `txn`; LMDB's code. Every transaction that writes anything ends with it.
[[nodiscard]] int write_head(Environment const& environment, Transaction const& txn, Head const& head);

}  // namespace whence::store
