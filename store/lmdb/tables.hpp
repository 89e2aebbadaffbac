#pragma once
// The meaning of the tables' keys and values, on which writer, reader and checker must agree.

#include "schema/base/digest.hpp"
#include "schema/base/ids.hpp"
#include "schema/stored/codec.hpp"
#include "schema/types/record_type.hpp"
#include "store/lmdb/environment.hpp"
#include "store/lmdb/head.hpp"
#include "store/rows/bytes.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace whence::store {

/// A content's key: the vertex, the number of the revision (0: what came with the vertex), and the record's type in the
/// low byte, so that content can be decoded without its row, and the value needs no 8 bytes more for it.
[[nodiscard]] constexpr std::uint64_t first_record_key(schema::ContentId content) noexcept {
  return std::uint64_t{schema::number(content.vertex)} << 32 | std::uint64_t{content.revision} << 8;
}
[[nodiscard]] constexpr std::uint64_t record_key(schema::ContentId content, schema::RecordType type) noexcept {
  return first_record_key(content) | static_cast<std::uint8_t>(type);
}
/// Vertex and revision of the key.
[[nodiscard]] constexpr schema::ContentId content_of(std::uint64_t record_key) noexcept {
  return {.vertex = schema::VertexId{static_cast<std::uint32_t>(record_key >> 32)},
          .revision = static_cast<std::uint32_t>(record_key >> 8) & schema::revisions_max};
}
/// The type's number; not every number is a type.
[[nodiscard]] constexpr unsigned type_number_of(std::uint64_t record_key) noexcept {
  return record_key & 0xff;
}

/// How messages name a content: "record 3", "record 3 revision 1".
[[nodiscard]] std::string name_of(schema::ContentId content);

/// The key of a kept answer.
[[nodiscard]] inline schema::Digest answer_key(std::string_view idempotency_key) {
  return schema::sha256(idempotency_key);
}

/// The content of a kept answer: a checksum over key and answer (no log entry covers it), then the answer.
[[nodiscard]] Bytes encode_answer(schema::Digest const& key, schema::stored::KeptAnswer const& answer);
[[nodiscard]] Result<schema::stored::KeptAnswer> decode_answer(std::span<std::byte const> key,
                                                               std::span<std::byte const> content);

/// `invalid_request`, naming both versions, where the store has another format: it is not damaged. Needs the table
/// `meta` alone; damage is found by `read_head`.
[[nodiscard]] Result<void> check_format(Environment const& environment, Transaction const& txn);
/// What to say of a format that is not read here, and what to do then.
[[nodiscard]] Error refused_format(unsigned format);

/// A blob's value of up to 16 pieces of 492 bytes is kept in such pieces, of which eight fill a page of LMDB: three
/// values of 1,100 bytes would leave a fifth of theirs empty, and one of 2,100 takes a page of its own.
inline constexpr std::size_t blob_piece_bytes = 492;
inline constexpr std::uint64_t blob_pieces_max = 16;
[[nodiscard]] constexpr std::uint64_t blob_key(std::uint64_t number, std::uint64_t piece = 0) noexcept {
  return number * blob_pieces_max + piece;
}

/// The value of a blob, `gone_value` where its bytes are gone; nothing where the store never had it. A view of the map,
/// valid until `txn` ends, or of `room`.
[[nodiscard]] Result<std::optional<std::span<std::byte const>>> find_blob(Environment const& environment,
                                                                          Transaction const& txn,
                                                                          schema::Digest const& digest, Bytes& room);
/// The same of the blob with this number: 0, 1, 2, ... in order of arrival.
[[nodiscard]] Result<std::optional<std::span<std::byte const>>> find_blob_at(Environment const& environment,
                                                                             Transaction const& txn,
                                                                             std::uint64_t number, Bytes& room);
/// Puts the value of a blob under the number that its digest has, or under the next one; LMDB's code. In order of
/// arrival blobs fill their pages, under their digests half of each would be empty.
[[nodiscard]] int put_blob(Environment const& environment, Transaction const& txn, schema::Digest const& digest,
                           std::span<std::byte const> value);
/// Puts the value of a new blob with this number; LMDB's code.
[[nodiscard]] int append_blob(Environment const& environment, Transaction const& txn, std::uint64_t number,
                              std::span<std::byte const> value);
/// Adds to `puts` what `put_blob` puts of a blob whose digest has no number yet: `number` is how many have one.
void put_new_blob(PutList& puts, std::uint64_t number, schema::Digest const& digest, std::span<std::byte const> value);

/// What is on disk of a blob.
enum class BlobState : std::uint8_t { missing, gone, kept };
[[nodiscard]] Result<BlobState> find_blob_state(Environment const& environment, Transaction const& txn,
                                                schema::Digest const& digest);

/// The head, in a reading transaction; `corrupt` where there is none, it does not hold, or it is not of the commit that
/// LMDB shows.
[[nodiscard]] Result<Head> read_head(Environment const& environment, Transaction const& txn);

/// As `read_head`, for a fresh copy by LMDB, which has numbers of its own.
[[nodiscard]] Result<Head> read_copied_head(Environment const& environment, Transaction const& txn);

/// Puts the head, numbered for `txn`; LMDB's code. Every transaction that writes anything ends with it.
[[nodiscard]] int write_head(Environment const& environment, Transaction const& txn, Head const& head);

}  // namespace whence::store
