// Log entries and kept answers to and from their stored form.
#include "schema/stored/codec.hpp"
#include "schema/stored/log.capnp.h"
#include "schema/stored/message.hpp"

#include <algorithm>
#include <array>
#include <ostream>
#include <string_view>

#include <boost/assert.hpp>

namespace whence::schema::stored {
namespace {

using Quarters = std::array<std::uint64_t, 4>;

Quarters quarters_of(Digest const& digest) noexcept {
  Quarters quarters = {};
  for (std::size_t i = 0; i < digest.bytes.size(); ++i) {
    quarters[i / 8] |= std::uint64_t{digest.bytes[i]} << (8 * (i % 8));
  }
  return quarters;
}

Digest digest_of(Quarters const& quarters) noexcept {
  Digest digest;
  for (std::size_t i = 0; i < digest.bytes.size(); ++i) {
    digest.bytes[i] = static_cast<std::uint8_t>(quarters[i / 8] >> (8 * (i % 8)));
  }
  return digest;
}

/// The fixed facts of a kind of change; indexed by its number.
struct KindInfo {
  unsigned rank;  ///< its place in an entry
  bool has_digest;
  std::string_view name;
};
constexpr std::array<KindInfo, 6> kinds = {{{0, true, "put"},
                                            {3, false, "deprecate"},
                                            {1, true, "revise"},
                                            {2, false, "hide"},
                                            {4, false, "expire"},
                                            {5, false, "purge"}}};

KindInfo const& info(ChangeKind kind) noexcept {
  BOOST_ASSERT(static_cast<std::size_t>(kind) < kinds.size());
  return kinds[static_cast<std::size_t>(kind)];
}

bool are_in_order(std::span<Change const> changes) {
  return std::ranges::is_sorted(changes, {}, [](Change const& change) { return rank(change.kind); });
}

template <class Changes>
auto find_changes(Changes& changes, ChangeKind kind) {
  auto const rank_of = [](Change const& change) { return rank(change.kind); };
  auto const first = std::ranges::lower_bound(changes, rank(kind), {}, rank_of);
  return std::span{first, std::ranges::upper_bound(first, changes.end(), rank(kind), {}, rank_of)};
}

void fill_part(wire::Change::Builder out, Change const& change) {
  Quarters const digest = quarters_of(change.digest);
  out.setVertex(number(change.vertex));
  out.setKind(static_cast<std::uint8_t>(change.kind));
  out.setDigest0(digest[0]);
  out.setDigest1(digest[1]);
  out.setDigest2(digest[2]);
  out.setDigest3(digest[3]);
}

Change read_part(wire::Change::Reader in) {
  require(in.getKind() < kinds.size(), "unknown kind of change");
  Change const change{.vertex = VertexId{in.getVertex()},
                      .kind = static_cast<ChangeKind>(in.getKind()),
                      .digest = digest_of({in.getDigest0(), in.getDigest1(), in.getDigest2(), in.getDigest3()})};
  require(info(change.kind).has_digest || change.digest == Digest{}, "a digest of nothing");
  return change;
}

LogEntry read_part(wire::LogEntry::Reader in) {
  LogEntry entry{.tx = TxId{in.getTx()},
                 .at = read_time(in.getAtSeconds(), in.getAtNanos()),
                 .actor = read_text(in.getActor()),
                 .who = read_text(in.getWho()),
                 .reason = read_text(in.getReason()),
                 .idempotency_key = read_text(in.getIdempotencyKey()),
                 .previous = digest_of({in.getPrevious0(), in.getPrevious1(), in.getPrevious2(), in.getPrevious3()}),
                 .rows = digest_of({in.getRows0(), in.getRows1(), in.getRows2(), in.getRows3()}),
                 .changes = {}};
  entry.changes.reserve(in.getChanges().size());
  for (auto const change : in.getChanges()) entry.changes.push_back(read_part(change));
  require(are_in_order(entry.changes), "changes out of order");
  return entry;
}

void fill_part(wire::KeptAnswer::Warning::Builder out, Violation const& warning) {
  out.setRule(text(warning.rule));
  out.setPath(text(warning.path));
  out.setHasIndex(warning.index.has_value());
  out.setIndex(warning.index.value_or(0));
  out.setSeen(text(warning.seen));
  out.setMessage(text(warning.message));
  if (!warning.xml) return;
  out.setLine(warning.xml->line);
  out.setColumn(warning.xml->column);
}

Violation read_part(wire::KeptAnswer::Warning::Reader in) {
  Violation warning{.rule = read_text(in.getRule()),
                    .path = read_text(in.getPath()),
                    .seen = read_text(in.getSeen()),
                    .message = read_text(in.getMessage())};
  if (in.getHasIndex()) warning.index = in.getIndex();
  if (in.getLine() > 0) warning.xml = XmlPlace{.line = in.getLine(), .column = in.getColumn()};
  return warning;
}

KeptAnswer read_part(wire::KeptAnswer::Reader in) {
  KeptAnswer answer{.batch = digest_of({in.getBatch0(), in.getBatch1(), in.getBatch2(), in.getBatch3()}),
                    .tx = TxId{in.getTx()},
                    .refs = read_texts(in.getRefs()),
                    .warnings = {},
                    .is_unchanged = in.getIsUnchanged()};
  for (auto const warning : in.getWarnings()) answer.warnings.push_back(read_part(warning));
  return answer;
}

}  // namespace

std::ostream& operator<<(std::ostream& out, ChangeKind kind) {
  return out << info(kind).name;
}

unsigned rank(ChangeKind kind) noexcept {
  return info(kind).rank;
}

std::span<Change const> changes_of(LogEntry const& entry, ChangeKind kind) {
  return find_changes(entry.changes, kind);
}

std::span<Change> changes_of(LogEntry& entry, ChangeKind kind) {
  return find_changes(entry.changes, kind);
}

Words encode(LogEntry const& entry) {
  BOOST_ASSERT(are_in_order(entry.changes));
  return write_message<wire::LogEntry>([&](wire::LogEntry::Builder out) {
    Quarters const previous = quarters_of(entry.previous);
    Quarters const rows = quarters_of(entry.rows);
    out.setTx(number(entry.tx));
    out.setAtSeconds(entry.at.seconds);
    out.setAtNanos(entry.at.nanos);
    out.setActor(text(entry.actor));
    if (!entry.who.empty()) out.setWho(text(entry.who));
    if (!entry.reason.empty()) out.setReason(text(entry.reason));
    out.setIdempotencyKey(text(entry.idempotency_key));
    out.setPrevious0(previous[0]);
    out.setPrevious1(previous[1]);
    out.setPrevious2(previous[2]);
    out.setPrevious3(previous[3]);
    out.setRows0(rows[0]);
    out.setRows1(rows[1]);
    out.setRows2(rows[2]);
    out.setRows3(rows[3]);
    auto changes = out.initChanges(static_cast<unsigned>(entry.changes.size()));
    for (std::uint32_t i = 0; i < changes.size(); ++i) fill_part(changes[i], entry.changes[i]);
  });
}

Result<LogEntry> decode_log_entry(std::span<std::byte const> bytes) {
  return read_message<wire::LogEntry>(bytes, [](wire::LogEntry::Reader in) { return read_part(in); });
}

Digest leaf_hash(std::span<std::byte const> entry_bytes) {
  constexpr std::array<std::byte, 1> leaf_mark = {std::byte{0}};
  return sha256({leaf_mark, entry_bytes});
}

Words encode(KeptAnswer const& answer) {
  return write_message<wire::KeptAnswer>([&](wire::KeptAnswer::Builder out) {
    Quarters const batch = quarters_of(answer.batch);
    out.setBatch0(batch[0]);
    out.setBatch1(batch[1]);
    out.setBatch2(batch[2]);
    out.setBatch3(batch[3]);
    out.setTx(number(answer.tx));
    out.setIsUnchanged(answer.is_unchanged);
    fill_texts(out.initRefs(static_cast<unsigned>(answer.refs.size())), answer.refs);
    auto warnings = out.initWarnings(static_cast<unsigned>(answer.warnings.size()));
    for (std::uint32_t i = 0; i < warnings.size(); ++i) fill_part(warnings[i], answer.warnings[i]);
  });
}

Result<KeptAnswer> decode_kept_answer(std::span<std::byte const> bytes) {
  return read_message<wire::KeptAnswer>(bytes, [](wire::KeptAnswer::Reader in) { return read_part(in); });
}

}  // namespace whence::schema::stored
