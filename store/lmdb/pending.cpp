// Lists of puts are searched one after the other, from the newest: they are few.

#include "store/lmdb/pending.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

namespace whence::store {
namespace {

constexpr std::size_t key_bytes_max = 511;  ///< of LMDB

std::uint64_t as_number(std::span<std::byte const> key) noexcept {
  std::uint64_t number = 0;
  std::memcpy(&number, key.data(), std::min(key.size(), sizeof number));
  return number;
}

bool has_numbers(Table table) noexcept {
  return (tables[static_cast<std::size_t>(table)].flags & MDB_INTEGERKEY) != 0;
}

bool is_put(std::uint8_t table, std::uint8_t kind, std::size_t key_bytes) noexcept {
  if (table >= tables.size() || kind > static_cast<std::uint8_t>(PutKind::add)) return false;
  if (has_numbers(static_cast<Table>(table))) return key_bytes == sizeof(std::uint64_t);
  return key_bytes > 0 && key_bytes <= key_bytes_max;
}

}  // namespace

bool is_before(Table table, std::span<std::byte const> one, std::span<std::byte const> other) noexcept {
  if (has_numbers(table)) return as_number(one) < as_number(other);
  return std::ranges::lexicographical_compare(one, other);
}

Result<PutList> PutList::decode(Bytes bytes) {
  PutList puts;
  puts.bytes_ = std::move(bytes);
  ByteReader in{puts.bytes_};
  while (in.left() > 0) {
    std::uint8_t table = 0;
    std::uint8_t kind = 0;
    std::uint16_t key_bytes = 0;
    std::uint32_t value_bytes = 0;
    std::span<std::byte const> key;
    std::span<std::byte const> value;
    bool const is_read = in.fixed(table) && in.fixed(kind) && in.fixed(key_bytes) && in.fixed(value_bytes) &&
                         is_put(table, kind, key_bytes) && in.bytes(key_bytes, key) && in.bytes(value_bytes, value);
    if (!is_read) return Error{Errc::corrupt, "a group of the journal does not decode"};
    auto const begin = static_cast<std::uint32_t>(key.data() - puts.bytes_.data());
    puts.places_.push_back({static_cast<Table>(table), static_cast<PutKind>(kind), begin, key_bytes, value_bytes});
  }
  return puts;
}

void PutList::add(Table table, PutKind kind, std::span<std::byte const> key, std::span<std::byte const> value) {
  auto const value_bytes = static_cast<std::uint32_t>(value.size());
  put_fixed(bytes_, static_cast<std::uint8_t>(table));
  put_fixed(bytes_, static_cast<std::uint8_t>(kind));
  put_fixed(bytes_, static_cast<std::uint16_t>(key.size()));
  put_fixed(bytes_, value_bytes);
  auto const begin = static_cast<std::uint32_t>(bytes_.size());
  put_bytes(bytes_, key);
  put_bytes(bytes_, value);
  places_.push_back({table, kind, begin, static_cast<std::uint32_t>(key.size()), value_bytes});
}

PutList::Put PutList::operator[](std::size_t at) const {
  Place const& place = places_[at];
  std::span const all{bytes_};
  return {place.table, place.kind, all.subspan(place.begin, place.key_bytes),
          all.subspan(place.begin + place.key_bytes, place.value_bytes)};
}

void PutList::sort() {
  sorted_.resize(places_.size());
  std::iota(sorted_.begin(), sorted_.end(), 0U);
  auto const comes_before = [&](std::uint32_t one, std::uint32_t other) {
    if (places_[one].table != places_[other].table) return places_[one].table < places_[other].table;
    return is_before(places_[one].table, (*this)[one].key, (*this)[other].key);
  };
  std::ranges::stable_sort(sorted_, comes_before);
  auto const is_replaced = [&](std::size_t at) {
    return at + 1 < sorted_.size() && !comes_before(sorted_[at], sorted_[at + 1]);
  };
  std::size_t kept = 0;
  for (std::size_t at = 0; at < sorted_.size(); ++at) {
    if (!is_replaced(at)) sorted_[kept++] = sorted_[at];
  }
  sorted_.resize(kept);
}

std::optional<Entry> PutList::entry_at(std::size_t at, Table table) const {
  if (at == sorted_.size() || places_[sorted_[at]].table != table) return std::nullopt;
  auto const put = (*this)[sorted_[at]];
  return Entry{put.key, put.value};
}

std::optional<Entry> PutList::seek(Table table, std::span<std::byte const> key) const {
  auto const at = std::ranges::partition_point(sorted_, [&](std::uint32_t each) {
    if (places_[each].table != table) return places_[each].table < table;
    return is_before(table, (*this)[each].key, key);
  });
  return entry_at(static_cast<std::size_t>(at - sorted_.begin()), table);
}

std::optional<Entry> PutList::after(Table table, std::span<std::byte const> key) const {
  auto const at = std::ranges::partition_point(sorted_, [&](std::uint32_t each) {
    if (places_[each].table != table) return places_[each].table < table;
    return !key.empty() && !is_before(table, key, (*this)[each].key);
  });
  return entry_at(static_cast<std::size_t>(at - sorted_.begin()), table);
}

Pending::Pending(Pending const& before, std::shared_ptr<PutList const> group)
    : base_{before.base_}, least_{before.least_} {
  groups_.reserve(before.groups_.size() + 1);
  groups_ = before.groups_;
  for (std::size_t at = 0; at < group->size(); ++at) {
    auto const put = (*group)[at];
    auto& least = least_[static_cast<std::size_t>(put.table)];
    if (least.empty() || is_before(put.table, put.key, least)) least = put.key;
  }
  groups_.push_back(std::move(group));
}

bool Pending::reaches(Table table, std::span<std::byte const> key) const noexcept {
  auto const& least = least_[static_cast<std::size_t>(table)];
  return !least.empty() && !is_before(table, key, least);
}

std::optional<std::span<std::byte const>> Pending::find(Table table, std::span<std::byte const> key) const {
  if (!reaches(table, key)) return std::nullopt;
  for (auto group = groups_.rbegin(); group != groups_.rend(); ++group) {
    auto const found = (*group)->seek(table, key);
    if (found && std::ranges::equal(found->key, key)) return found->value;
  }
  return std::nullopt;
}

namespace {

/// The least of what `next` finds in each group; of equal keys the newest group's.
template <class Next>
std::optional<Entry> least_of(std::span<std::shared_ptr<PutList const> const> groups, Table table, Next const& next) {
  std::optional<Entry> least;
  for (std::size_t at = groups.size(); at-- > 0;) {
    auto const found = next(*groups[at]);
    if (found && (!least || is_before(table, found->key, least->key))) least = found;
  }
  return least;
}

}  // namespace

std::optional<Entry> Pending::seek(Table table, std::span<std::byte const> key) const {
  return least_of(groups_, table, [&](PutList const& group) { return group.seek(table, key); });
}

std::optional<Entry> Pending::after(Table table, std::span<std::byte const> key) const {
  return least_of(groups_, table, [&](PutList const& group) { return group.after(table, key); });
}

}  // namespace whence::store
