// The table of ids: hashing, insertion, and its larger successor.
#include "graph/storage/id_table.hpp"

#include <algorithm>
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
    : bits_{bits}, mask_{(std::uint64_t{1} << bits) - 1}, slots_{zeroed_array<Slot>(std::size_t{1} << bits)} {}

std::uint64_t IdTable::insert(std::uint64_t hash, schema::VertexId vertex) noexcept {
  assert(used_ <= mask_);
  for (auto at = hash & mask_;; at = (at + 1) & mask_) {
    auto const slot = slots_[at].load(std::memory_order_relaxed);
    if (slot != 0 && slot != tombstone) continue;
    slots_[at].store(slot_of(hash, vertex), std::memory_order_relaxed);
    used_ += slot == 0 ? 1 : 0;
    return at;
  }
}

std::uint64_t IdTable::erase(std::uint64_t hash, schema::VertexId vertex) noexcept {
  auto const wanted = slot_of(hash, vertex);
  auto at = hash & mask_;
  while (slots_[at].load(std::memory_order_relaxed) != wanted) at = (at + 1) & mask_;
  slots_[at].store(tombstone, std::memory_order_relaxed);
  return at;
}

void NextIdTable::inserted(std::uint64_t slot, std::uint64_t hash, schema::VertexId vertex) noexcept {
  if (slot < copied_) larger_->insert(hash, vertex);
}

void NextIdTable::erased(std::uint64_t slot, std::uint64_t hash, schema::VertexId vertex) noexcept {
  if (slot < copied_) larger_->erase(hash, vertex);
}

bool NextIdTable::copy_some() noexcept {
  // From six to seven tenths a table takes a vertex for every tenth of its slots: sixteen at a time is soon enough.
  constexpr std::uint64_t slots_at_a_time = 16;
  auto const end = std::min(copied_ + slots_at_a_time, old_.mask_ + 1);
  for (; copied_ < end; ++copied_) {
    auto const slot = old_.slots_[copied_].load(std::memory_order_relaxed);
    // The half of the hash kept in a slot places it in any table of at most 2^32 slots: no id is hashed again.
    if (slot > IdTable::tombstone) larger_->insert(slot >> 32, IdTable::vertex_in(slot));
  }
  return copied_ > old_.mask_;
}

}  // namespace whence::graph::impl
