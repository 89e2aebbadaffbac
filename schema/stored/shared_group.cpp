// A message of Cap'n Proto with its SHA-256 behind it, which is checked before anything is read. What is read are views
// of the bytes, valid while they are visited.
#include "schema/stored/shared_group.hpp"

#include "schema/stored/message.hpp"
#include "schema/stored/shared_group.capnp.h"

#include <algorithm>

namespace whence::schema::stored {
namespace {

using Bytes = SharedGroup::Bytes;

constexpr std::size_t digest_words = sizeof(Digest) / sizeof(Words::value_type);

capnp::Data::Reader data(Bytes bytes) {
  return {reinterpret_cast<capnp::byte const*>(bytes.data()), bytes.size()};
}

template <std::size_t size>
capnp::Data::Reader data(std::array<std::uint8_t, size> const& bytes) {
  return {bytes.data(), bytes.size()};
}

Bytes read_bytes(capnp::Data::Reader in) {
  return std::as_bytes(std::span{in.begin(), in.size()});
}

template <std::size_t size>
std::array<std::uint8_t, size> read_array(capnp::Data::Reader in) {
  require(in.size() == size, "a name or digest of another length");
  std::array<std::uint8_t, size> bytes;
  std::copy(in.begin(), in.end(), bytes.begin());
  return bytes;
}

Digest read_hash(capnp::Data::Reader in) {
  return {read_array<sizeof(Digest)>(in)};
}

void fill_contents(capnp::List<wire::SharedGroup::Content>::Builder out,
                   std::span<SharedGroup::Content const> contents) {
  for (std::uint32_t i = 0; i < out.size(); ++i) {
    out[i].setKey(contents[i].key);
    out[i].setWords(data(contents[i].words));
  }
}

std::vector<SharedGroup::Content> read_contents(capnp::List<wire::SharedGroup::Content>::Reader in) {
  std::vector<SharedGroup::Content> contents;
  contents.reserve(in.size());
  for (auto const each : in) contents.push_back({each.getKey(), read_bytes(each.getWords())});
  return contents;
}

unsigned count_of(auto const& list) {
  return static_cast<unsigned>(list.size());
}

void fill(wire::SharedGroup::Builder out, SharedGroup const& group) {
  out.setEpoch(data(group.epoch));
  out.setBase(number(group.base));
  out.setPrevious(data(group.previous.bytes));
  auto transactions = out.initTransactions(count_of(group.transactions));
  for (std::uint32_t i = 0; i < transactions.size(); ++i) {
    transactions[i].setEntry(data(group.transactions[i].entry));
    transactions[i].setBlock(data(group.transactions[i].block));
  }
  fill_contents(out.initContents(count_of(group.contents)), group.contents);
  fill_contents(out.initRevised(count_of(group.revised)), group.revised);
  auto gone = out.initGone(count_of(group.gone));
  for (std::uint32_t i = 0; i < gone.size(); ++i) gone.set(i, group.gone[i]);
  auto removed = out.initRemovedBlobs(count_of(group.removed_blobs));
  for (std::uint32_t i = 0; i < removed.size(); ++i) removed.set(i, data(group.removed_blobs[i].bytes));
  auto blobs = out.initBlobs(count_of(group.blobs));
  for (std::uint32_t i = 0; i < blobs.size(); ++i) blobs.set(i, data(group.blobs[i]));
  auto answers = out.initAnswers(count_of(group.answers));
  for (std::uint32_t i = 0; i < answers.size(); ++i) {
    answers[i].setKey(data(group.answers[i].key.bytes));
    answers[i].setValue(data(group.answers[i].value));
  }
}

SharedGroup read_group(wire::SharedGroup::Reader in) {
  SharedGroup group{.epoch = read_array<16>(in.getEpoch()),
                    .base = TxId{in.getBase()},
                    .previous = read_hash(in.getPrevious()),
                    .contents = read_contents(in.getContents()),
                    .revised = read_contents(in.getRevised())};
  for (auto const each : in.getTransactions()) {
    group.transactions.push_back({read_bytes(each.getEntry()), read_bytes(each.getBlock())});
  }
  for (auto const key : in.getGone()) group.gone.push_back(key);
  for (auto const each : in.getRemovedBlobs()) group.removed_blobs.push_back(read_hash(each));
  for (auto const each : in.getBlobs()) group.blobs.push_back(read_bytes(each));
  for (auto const each : in.getAnswers()) {
    group.answers.push_back({read_hash(each.getKey()), read_bytes(each.getValue())});
  }
  return group;
}

}  // namespace

Words encode(SharedGroup const& group) {
  Words words = write_message<wire::SharedGroup>([&](wire::SharedGroup::Builder out) { fill(out, group); });
  Digest const sum = sha256(bytes_of(words));
  words.resize(words.size() + digest_words);
  std::memcpy(words.data() + words.size() - digest_words, sum.bytes.data(), sizeof sum.bytes);
  return words;
}

Result<void> decode_shared_group(std::span<std::byte const> bytes,
                                 std::function<Result<void>(SharedGroup const&)> const& visit) {
  if (bytes.size() < sizeof(Digest)) return corrupt("a group is cut short");
  auto const message = bytes.first(bytes.size() - sizeof(Digest));
  Digest const sum = sha256(message);
  if (!std::ranges::equal(std::as_bytes(std::span{sum.bytes}), bytes.last(sizeof(Digest)))) {
    return corrupt("a group has other bytes than were sent");
  }
  Result<void> visited;
  auto const read = read_message<wire::SharedGroup>(message, [&](wire::SharedGroup::Reader in) {
    visited = visit(read_group(in));
    return true;
  });
  if (!read) return read.error();
  return visited;
}

}  // namespace whence::schema::stored
