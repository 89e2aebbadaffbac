#pragma once
// The stored form: records and log entries as canonical Cap'n Proto, whole words.

#include "schema/base/digest.hpp"
#include "schema/base/error.hpp"
#include "schema/base/ids.hpp"
#include "schema/base/time.hpp"
#include "schema/records/records.hpp"

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <span>
#include <string>
#include <vector>

namespace whence::schema::stored {

using Words =
    std::vector<std::uint64_t>;  ///< word-aligned bytes of one canonical message (a single segment, no header)

/// The content of a record: without the members that make up its id and without a response's `context_units`, which are
/// in its graph row, and without members for input or answers alone (`manifest_json`, an attachment's `xml`,
/// `dangling`). Equal records give equal words (Cap'n Proto canonical form). A manifest has none: it is expanded
/// before.
[[nodiscard]] Words encode(Record const& record);

/// The digest of the whole record as given, with its identity, references, manifest and XML text. An idempotency key is
/// bound to it.
[[nodiscard]] Digest fingerprint(Record const& record);

/// Reads content back. `bytes` need not be aligned (copied where not). Fails with `corrupt` on anything but a
/// canonical message whose texts are UTF-8 and whose numbers are in range; whether it is the right message follows from
/// its digest. Never reads out of bounds, bounded in time by the size of `bytes`.
[[nodiscard]] Result<Record> decode(RecordType type, std::span<std::byte const> bytes);

/// The kind of change of a vertex in a transaction. Numbers are stored.
enum class ChangeKind : std::uint8_t { put = 0, deprecate = 1, revise = 2, hide = 3, expire = 4, purge = 5 };

std::ostream& operator<<(std::ostream& out, ChangeKind kind);

/// The place of a kind among the changes of an entry, from 0: put, revise, hide, deprecate, expire, purge. It differs
/// from the kind's number because kinds were added over time.
[[nodiscard]] unsigned rank(ChangeKind kind) noexcept;

struct Change {
  VertexId vertex;
  ChangeKind kind;
  Digest digest;  ///< put, revise: the commitment to the content; else all zero

  friend bool operator==(Change const&, Change const&) = default;
};

/// One transaction in the commit log.
struct LogEntry {
  TxId tx;
  Time at;                      ///< when it was committed, server clock, never earlier than the entry before
  std::string actor;            ///< its writer's role and what the client calls itself, which is not checked
  std::string who = {};         ///< name of the token, certificate or person that wrote it; empty: none
  std::string reason = {};      ///< why something was removed, where somebody said so
  std::string idempotency_key;  ///< empty: none
  Digest previous;              ///< leaf hash of the entry before; of the first the log's key of made ids
  Digest rows = {};             ///< SHA-256 of the transaction's block in the graph table
  std::vector<Change> changes;  ///< in the order of their kinds' ranks; those of one kind in the order of applying

  friend bool operator==(LogEntry const&, LogEntry const&) = default;
};

/// The changes of one kind. O(log changes).
[[nodiscard]] std::span<Change const> changes_of(LogEntry const& entry, ChangeKind kind);
[[nodiscard]] std::span<Change> changes_of(LogEntry& entry, ChangeKind kind);

[[nodiscard]] Words encode(LogEntry const& entry);

/// Fails with `corrupt` also on kinds it does not know, changes out of order, and a digest where none belongs.
[[nodiscard]] Result<LogEntry> decode_log_entry(std::span<std::byte const> bytes);

/// RFC 6962 leaf hash: SHA-256 of a zero byte and the entry's words.
[[nodiscard]] Digest leaf_hash(std::span<std::byte const> entry_bytes);

/// The answer to a batch, kept under its idempotency key.
struct KeptAnswer {
  Digest batch;  ///< over the records as given
  TxId tx;
  std::vector<std::string> refs;
  std::vector<Violation> warnings;  ///< code is meaningless here
  bool is_unchanged = false;        ///< the batch changed nothing and has no transaction of its own

  friend bool operator==(KeptAnswer const&, KeptAnswer const&) = default;
};

[[nodiscard]] Words encode(KeptAnswer const& answer);
[[nodiscard]] Result<KeptAnswer> decode_kept_answer(std::span<std::byte const> bytes);

[[nodiscard]] inline std::span<std::byte const> bytes_of(Words const& words) noexcept {
  return std::as_bytes(std::span{words});
}

}  // namespace whence::schema::stored
