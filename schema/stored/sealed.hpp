#pragma once
// The content of a record as it is kept: a salt, then its stored form; and the digest that commits to both.

#include "schema/base/digest.hpp"
#include "schema/base/error.hpp"
#include "schema/base/ids.hpp"
#include "schema/records/records.hpp"
#include "schema/stored/codec.hpp"

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace whence::schema::stored {

/// Random bytes in front of a content, which go with it: who has neither cannot test a guess of the content.
/// 128 bits: too many to try, and no more, since each content has its own.
using Salt = std::array<std::byte, 16>;

/// A content, and what the log says of it: SHA-256 over the SHA-256 of the salt and the stored form's digest, then the
/// text.
struct Sealed {
  Words words;  ///< the salt, then the words of `encode`
  Digest commitment;
};

/// A content as somebody without this program holds it against its commitment, the SHA-256 of both members together.
struct Opening {
  Digest salt;  ///< SHA-256 of the salt and of the stored form's SHA-256: to others as good as random
  std::string
      text;  ///< the wire form without what the graph's row says: the members of the id, a response's `context_units`
};

/// The names of the members of a record that the text of its content lacks, since the graph's row says them.
[[nodiscard]] std::vector<std::string_view> const& members_in_row(RecordType type);

/// A new one. Callable from any thread. Throws std::runtime_error where the system gives no random
/// bytes.
[[nodiscard]] Salt fresh_salt();

/// `kind` is that of a further content of a record.
[[nodiscard]] Sealed seal(Record const& record, Salt const& salt, RevisionKind kind = RevisionKind::whole);

/// `decode` of a content as it is kept. Fails with `corrupt`, as all below.
[[nodiscard]] Result<Record> unseal(RecordType type, std::span<std::byte const> content);

[[nodiscard]] Result<Opening> open(RecordType type, std::span<std::byte const> content,
                                   RevisionKind kind = RevisionKind::whole);

/// The commitment to a content as it is kept.
[[nodiscard]] Result<Digest> commitment_of(RecordType type, std::span<std::byte const> content,
                                           RevisionKind kind = RevisionKind::whole);

}  // namespace whence::schema::stored
