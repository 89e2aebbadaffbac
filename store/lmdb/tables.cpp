// The values of `keys`, `blobs` and `meta`.

#include "store/lmdb/tables.hpp"

#include "store/lmdb/gone.hpp"

#include <algorithm>

namespace whence::store {
namespace {

using schema::Digest;
using schema::stored::KeptAnswer;

Digest checksum(std::span<std::byte const> key, std::span<std::byte const> answer) {
  return schema::sha256({key, answer});
}

}  // namespace

Bytes encode_answer(Digest const& key, KeptAnswer const& answer) {
  schema::stored::Words const words = schema::stored::encode(answer);
  Digest const sum = checksum(std::as_bytes(std::span{key.bytes}), schema::stored::bytes_of(words));
  Bytes value;
  value.reserve(sum.bytes.size() + words.size() * sizeof(words[0]));
  put_bytes(value, std::as_bytes(std::span{sum.bytes}));
  put_bytes(value, schema::stored::bytes_of(words));
  return value;
}

Result<KeptAnswer> decode_answer(std::span<std::byte const> key, std::span<std::byte const> value) {
  ByteReader in{value};
  std::span<std::byte const> sum;
  if (in.bytes(Digest{}.bytes.size(), sum)) {
    Digest const expected = checksum(key, in.rest());
    if (std::ranges::equal(sum, std::as_bytes(std::span{expected.bytes})))
      return schema::stored::decode_kept_answer(in.rest());
  }
  return Error{Errc::corrupt, "a kept answer does not match its checksum"};
}

std::string name_of(schema::ContentId content) {
  std::string name = "record " + std::to_string(schema::number(content.vertex));
  if (content.revision > 0) name += " revision " + std::to_string(content.revision);
  return name;
}

Result<BlobState> find_blob_state(Environment const& environment, Transaction const& txn, Digest const& digest) {
  auto const found = find(environment, txn, Table::blobs, std::as_bytes(std::span{digest.bytes}));
  if (!found) return found.error();
  if (!*found) return BlobState::missing;
  return is_gone(**found) ? BlobState::gone : BlobState::kept;
}

Result<void> check_format(Environment const& environment, Transaction const& txn) {
  auto const found = find(environment, txn, Table::meta, head_key);
  if (!found) return found.error();
  std::optional<unsigned> const version = *found ? find_format_version(**found) : std::nullopt;
  if (!version || (*version >= format_version_oldest && *version <= format_version)) return {};
  return refused_format(*version);
}

Error refused_format(unsigned format) {
  std::string message = "the store is of format " + std::to_string(format) + ", this program reads format " +
                        std::to_string(format_version) + ": ";
  message +=
      format > format_version
          ? "a newer program wrote it. Serve it with that one, or restore a backup from before the upgrade; "
            "nothing turns a store back, but `whence export --format jsonl` of the newer program makes a file that "
            "`whence import` of this one reads"
          : "an older program wrote it, whose `whence export --format jsonl` makes a file that `whence import` reads";
  return {Errc::invalid_request, std::move(message)};
}

Result<Head> read_copied_head(Environment const& environment, Transaction const& txn) {
  auto const found = find(environment, txn, Table::meta, head_key);
  if (!found) return found.error();
  std::optional<Head> const head = *found ? decode_head(**found) : std::nullopt;
  if (!head) return Error{Errc::corrupt, "the head of the store does not read"};
  return *head;
}

Result<Head> read_head(Environment const& environment, Transaction const& txn) {
  Result<Head> head = read_copied_head(environment, txn);
  if (!head || head->written_in == mdb_txn_id(txn.get())) return head;
  return Error{Errc::corrupt, "the head of the store is not that of its last commit"};
}

int write_head(Environment const& environment, Transaction const& txn, Head const& head) {
  Head written = head;
  written.written_in = mdb_txn_id(txn.get());
  return put(environment, txn, Table::meta, head_key, encode(written), 0);
}

}  // namespace whence::store
