// The values of `keys`, `blobs`, `blob_numbers` and `meta`.

#include "store/lmdb/tables.hpp"

#include "store/lmdb/gone.hpp"

#include <algorithm>

namespace whence::store {
namespace {

using schema::Digest;
using schema::stored::KeptAnswer;

using View = std::optional<std::span<std::byte const>>;

Digest checksum(std::span<std::byte const> key, std::span<std::byte const> answer) {
  return schema::sha256({key, answer});
}

/// The number under which a blob is kept; nothing where its digest has none.
Result<std::optional<std::uint64_t>> find_blob_number(Environment const& environment, Transaction const& txn,
                                                      Digest const& digest) {
  using Number = std::optional<std::uint64_t>;
  auto const found = find(environment, txn, Table::blob_numbers, std::as_bytes(std::span{digest.bytes}));
  if (!found) return found.error();
  if (!*found) return Number{};
  std::uint64_t number = 0;
  if (ByteReader in{**found}; in.fixed(number) && in.rest().empty()) return Number{number};
  return Error{Errc::corrupt, "the number of the blob " + schema::to_hex(digest) + " does not read"};
}

/// Calls `put_piece(key, piece)` for each piece in which a blob's value is kept, until one returns another code than
/// success.
template <class PutPiece>
int put_each_piece(std::uint64_t number, std::span<std::byte const> value, PutPiece const& put_piece) {
  bool const is_split = value.size() <= blob_pieces_max * blob_piece_bytes;
  for (std::uint64_t piece = 0; piece == 0 || !value.empty(); ++piece) {
    std::size_t const size = is_split ? std::min(value.size(), blob_piece_bytes) : value.size();
    if (int const code = put_piece(blob_key(number, piece), value.first(size)); code != MDB_SUCCESS) return code;
    value = value.subspan(size);
  }
  return MDB_SUCCESS;
}

int put_pieces(Environment const& environment, Transaction const& txn, std::uint64_t number,
               std::span<std::byte const> value, unsigned flags) {
  return put_each_piece(number, value, [&](std::uint64_t key, std::span<std::byte const> piece) {
    return put(environment, txn, Table::blobs, key, piece, flags);
  });
}

int remove_blob(Environment const& environment, Transaction const& txn, std::uint64_t number) {
  for (std::uint64_t piece = 0; piece < blob_pieces_max; ++piece) {
    std::uint64_t key = blob_key(number, piece);
    MDB_val name{sizeof key, &key};
    int const code = mdb_del(txn.get(), environment.dbi(Table::blobs), &name, nullptr);
    if (code == MDB_NOTFOUND) break;
    if (code != MDB_SUCCESS) return code;
  }
  return MDB_SUCCESS;
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

Result<View> find_blob(Environment const& environment, Transaction const& txn, Digest const& digest, Bytes& room) {
  auto const number = find_blob_number(environment, txn, digest);
  if (!number) return number.error();
  if (!*number) return View{};
  auto found = find_blob_at(environment, txn, **number, room);
  if (found && !*found) return Error{Errc::corrupt, "the blob " + schema::to_hex(digest) + " is missing"};
  return found;
}

Result<View> find_blob_at(Environment const& environment, Transaction const& txn, std::uint64_t number, Bytes& room) {
  auto piece = find(environment, txn, Table::blobs, blob_key(number));
  if (!piece || !*piece || (*piece)->size() != blob_piece_bytes) return piece;
  room.clear();
  for (std::uint64_t next = 1;; ++next) {
    put_bytes(room, **piece);
    if ((*piece)->size() != blob_piece_bytes || next == blob_pieces_max) break;
    piece = find(environment, txn, Table::blobs, blob_key(number, next));
    if (!piece) return piece;
    if (!*piece) break;
  }
  return View{room};
}

int put_blob(Environment const& environment, Transaction const& txn, Digest const& digest,
             std::span<std::byte const> value) {
  auto const known = find_blob_number(environment, txn, digest);
  if (!known) return MDB_CORRUPTED;
  if (*known) {
    int const code = remove_blob(environment, txn, **known);
    return code == MDB_SUCCESS ? put_pieces(environment, txn, **known, value, 0) : code;
  }
  MDB_stat stat = {};
  if (int const code = mdb_stat(txn.get(), environment.dbi(Table::blob_numbers), &stat); code != MDB_SUCCESS)
    return code;
  std::uint64_t const number = stat.ms_entries;
  int const code = put(environment, txn, Table::blob_numbers, std::as_bytes(std::span{digest.bytes}),
                       std::as_bytes(std::span{&number, 1}), MDB_NOOVERWRITE);
  return code == MDB_SUCCESS ? append_blob(environment, txn, number, value) : code;
}

int append_blob(Environment const& environment, Transaction const& txn, std::uint64_t number,
                std::span<std::byte const> value) {
  return put_pieces(environment, txn, number, value, MDB_APPEND);
}

void put_new_blob(PutList& puts, std::uint64_t number, Digest const& digest, std::span<std::byte const> value) {
  puts.add(Table::blob_numbers, PutKind::add, std::as_bytes(std::span{digest.bytes}),
           std::as_bytes(std::span{&number, 1}));
  (void)put_each_piece(number, value, [&](std::uint64_t key, std::span<std::byte const> piece) {
    puts.add(Table::blobs, PutKind::append, std::as_bytes(std::span{&key, 1}), piece);
    return MDB_SUCCESS;
  });
}

Result<BlobState> find_blob_state(Environment const& environment, Transaction const& txn, Digest const& digest) {
  auto const number = find_blob_number(environment, txn, digest);
  if (!number) return number.error();
  if (!*number) return BlobState::missing;
  auto const first = find(environment, txn, Table::blobs, blob_key(**number));
  if (!first) return first.error();
  if (!*first) return Error{Errc::corrupt, "the blob " + schema::to_hex(digest) + " is missing"};
  return is_gone(**first) ? BlobState::gone : BlobState::kept;
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
  auto const written_in = txn.pending() != nullptr ? std::uint64_t{0} : std::uint64_t{mdb_txn_id(txn.get())};
  if (!head || head->written_in == written_in) return head;
  return Error{Errc::corrupt, "the head of the store is not that of its last commit"};
}

int write_head(Environment const& environment, Transaction const& txn, Head const& head) {
  Head written = head;
  written.written_in = mdb_txn_id(txn.get());
  return put(environment, txn, Table::meta, head_key, encode(written), 0);
}

}  // namespace whence::store
