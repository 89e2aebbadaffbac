// Sorting by ref with short keys: the type's place among type names, then the first bytes of the id after what all ids
// of that type in the list have in common (generated ids share long prefixes).

#include "queries/view/order.hpp"

#include "schema/types/record_type.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

namespace whence::queries {
namespace {

using graph::Snapshot;
using graph::VertexId;

constexpr std::size_t key_bytes = 7;

struct Key {
  std::uint64_t prefix;  ///< type's place in the top byte, then `key_bytes` of the id, zero-filled
  std::uint32_t place;
};

struct CommonPrefix {
  std::string_view text = {};
  bool is_set = false;
};

// Places of the types among their names. ':' sorts below every letter, so names compare as refs do.
std::array<std::uint8_t, schema::record_type_count> places_by_name() {
  std::array<std::uint8_t, schema::record_type_count> places{};
  for (schema::RecordTypeInfo const& one : schema::record_types()) {
    for (schema::RecordTypeInfo const& other : schema::record_types()) {
      if (other.name < one.name) ++places[static_cast<std::size_t>(one.type)];
    }
  }
  return places;
}

std::array<CommonPrefix, schema::record_type_count> common_prefixes(Snapshot const& snapshot,
                                                                    std::span<VertexId const> vertices) {
  std::array<CommonPrefix, schema::record_type_count> prefixes{};
  for (VertexId const vertex : vertices) {
    std::string_view const id = snapshot.id(vertex);
    CommonPrefix& common = prefixes[static_cast<std::size_t>(snapshot.type(vertex))];
    if (!common.is_set) {
      common = {id, true};
    } else {
      auto const ends = std::mismatch(common.text.begin(), common.text.end(), id.begin(), id.end());
      common.text = common.text.substr(0, static_cast<std::size_t>(ends.first - common.text.begin()));
    }
  }
  return prefixes;
}

std::uint64_t key_of(std::string_view rest, std::uint8_t type_place) {
  std::uint64_t key = type_place;
  for (std::size_t i = 0; i < key_bytes; ++i) {
    key = (key << 8U) | (i < rest.size() ? static_cast<unsigned char>(rest[i]) : 0U);
  }
  return key;
}

/// Moves `first`, which is at `places`, to the front. What is there and is none of them goes where they come from.
void put_at_front(std::span<VertexId> vertices, std::span<VertexId const> first, std::vector<std::size_t> places) {
  std::ranges::sort(places);
  auto stays = places.begin();
  auto leaves = std::ranges::lower_bound(places, first.size());
  for (std::size_t place = 0; place < first.size(); ++place) {
    if (stays != places.end() && *stays == place) {
      ++stays;
    } else {
      vertices[*leaves++] = vertices[place];
    }
  }
  std::ranges::copy(first, vertices.begin());
}

}  // namespace

std::strong_ordering compare_refs(Snapshot const& snapshot, VertexId a, VertexId b) {
  auto const type_a = snapshot.type(a);
  auto const type_b = snapshot.type(b);
  if (type_a != type_b) return schema::name_of(type_a) <=> schema::name_of(type_b);
  return snapshot.id(a) <=> snapshot.id(b);
}

void sort_first_by_id(Snapshot const& snapshot, std::span<VertexId> vertices, std::size_t count, bool is_descending) {
  count = std::min(count, vertices.size());
  if (count == 0) return;
  struct Candidate {
    std::string_view id;
    std::size_t place;
  };
  auto const precedes = [is_descending](Candidate const& a, Candidate const& b) {
    return is_descending ? b.id < a.id : a.id < b.id;
  };
  // The best so far, up to twice as many as are wanted. What does not precede the last of `count` known ones is none of
  // the first.
  std::vector<Candidate> best;
  best.reserve(2 * count);
  std::optional<Candidate> bound;
  for (std::size_t place = 0; place < vertices.size(); ++place) {
    Candidate const candidate{snapshot.id(vertices[place]), place};
    if (bound && !precedes(candidate, *bound)) continue;
    best.push_back(candidate);
    if (best.size() < 2 * count) continue;
    auto const last = best.begin() + static_cast<std::ptrdiff_t>(count - 1);
    std::nth_element(best.begin(), last, best.end(), precedes);
    bound = *last;
    best.resize(count);
  }
  std::sort(best.begin(), best.end(), precedes);
  best.resize(count);

  std::vector<VertexId> first;
  std::vector<std::size_t> places;
  for (Candidate const& each : best) {
    first.push_back(vertices[each.place]);
    places.push_back(each.place);
  }
  put_at_front(vertices, first, std::move(places));
}

void bring_to_front(std::span<VertexId> vertices, std::span<VertexId const> first) {
  std::vector<std::size_t> places;
  for (VertexId const vertex : first) {
    places.push_back(static_cast<std::size_t>(std::ranges::lower_bound(vertices, vertex) - vertices.begin()));
  }
  put_at_front(vertices, first, std::move(places));
}

std::vector<std::uint32_t> ref_order(Snapshot const& snapshot, std::span<VertexId const> vertices) {
  static std::array<std::uint8_t, schema::record_type_count> const type_places = places_by_name();
  auto const prefixes = common_prefixes(snapshot, vertices);
  std::vector<Key> keys;
  keys.reserve(vertices.size());
  for (VertexId const vertex : vertices) {
    auto const type = static_cast<std::size_t>(snapshot.type(vertex));
    std::string_view const rest = snapshot.id(vertex).substr(prefixes[type].text.size());
    keys.push_back({key_of(rest, type_places[type]), static_cast<std::uint32_t>(keys.size())});
  }
  std::sort(keys.begin(), keys.end(), [&](Key const& a, Key const& b) {
    if (a.prefix != b.prefix) return a.prefix < b.prefix;
    auto const order = compare_refs(snapshot, vertices[a.place], vertices[b.place]);
    return order != 0 ? order < 0 : a.place < b.place;
  });
  std::vector<std::uint32_t> places;
  places.reserve(keys.size());
  for (Key const& key : keys) places.push_back(key.place);
  return places;
}

}  // namespace whence::queries
