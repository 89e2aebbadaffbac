// The table of ids: hashing, insertion, growth.
#include "graph/storage/id_table.hpp"

#include <bit>
#include <cassert>
#include <cstring>
#include <random>

namespace whence::graph::impl {

namespace {

struct SipState {
  std::uint64_t a;
  std::uint64_t b;
  std::uint64_t c;
  std::uint64_t d;

  void round() noexcept {
    a += b;
    b = std::rotl(b, 13) ^ a;
    a = std::rotl(a, 32);
    c += d;
    d = std::rotl(d, 16) ^ c;
    a += d;
    d = std::rotl(d, 21) ^ a;
    c += b;
    b = std::rotl(b, 17) ^ c;
    c = std::rotl(c, 32);
  }
  void take(std::uint64_t word) noexcept {
    d ^= word;
    round();
    a ^= word;
  }
};

}  // namespace

HashKey random_hash_key() {
  std::random_device entropy;
  auto const word = [&entropy] { return std::uint64_t{entropy()} << 32 | entropy(); };
  return {word(), word()};
}

std::uint64_t hash_of(HashKey const& key, schema::RecordType type, std::string_view id) noexcept {
  auto const second = key[1] ^ static_cast<std::uint64_t>(type);
  SipState state{key[0] ^ 0x736f6d6570736575, second ^ 0x646f72616e646f6d, key[0] ^ 0x6c7967656e657261,
                 second ^ 0x7465646279746573};
  auto rest = id;
  for (; rest.size() >= 8; rest.remove_prefix(8)) {
    std::uint64_t word;
    std::memcpy(&word, rest.data(), 8);
    state.take(word);
  }
  std::uint64_t last = static_cast<std::uint64_t>(id.size()) << 56;
  for (std::size_t i = 0; i < rest.size(); ++i) last |= std::uint64_t{static_cast<unsigned char>(rest[i])} << (8 * i);
  state.take(last);
  state.c ^= 0xff;
  for (int i = 0; i < 3; ++i) state.round();
  return state.a ^ state.b ^ state.c ^ state.d;
}

IdTable::IdTable(unsigned bits)
    : bits_{bits},
      mask_{(std::uint64_t{1} << bits) - 1},
      slots_{std::make_unique<Slot[]>(std::size_t{1} << bits).release()} {}

void IdTable::insert(std::uint64_t hash, schema::VertexId vertex) noexcept {
  assert(used_ <= mask_);
  for (auto at = hash & mask_;; at = (at + 1) & mask_) {
    auto const slot = slots_[at].load(std::memory_order_relaxed);
    if (slot != 0 && slot != tombstone) continue;
    slots_[at].store(slot_of(hash, vertex), std::memory_order_relaxed);
    used_ += slot == 0 ? 1 : 0;
    return;
  }
}

void IdTable::erase(std::uint64_t hash, schema::VertexId vertex) noexcept {
  auto const wanted = slot_of(hash, vertex);
  auto at = hash & mask_;
  while (slots_[at].load(std::memory_order_relaxed) != wanted) at = (at + 1) & mask_;
  slots_[at].store(tombstone, std::memory_order_relaxed);
}

std::unique_ptr<IdTable> IdTable::grown() const {
  // The half of the hash kept in a slot places it in any table of at most 2^32 slots: no id is hashed again.
  assert(bits_ < 32);
  auto table = std::make_unique<IdTable>(bits_ + 1);
  for (std::uint64_t at = 0; at <= mask_; ++at) {
    auto const slot = slots_[at].load(std::memory_order_relaxed);
    if (slot > tombstone) table->insert(slot >> 32, vertex_in(slot));
  }
  return table;
}

}  // namespace whence::graph::impl
