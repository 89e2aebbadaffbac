// New rows are sorted by eight bytes of their ids behind what all of them begin with, and put between the others.
#include "graph/columns/id_order.hpp"

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace whence::graph::impl {
namespace {

constexpr std::uint32_t new_rows_min = 1024;
constexpr std::uint32_t rows_a_new_row = 64;
constexpr std::size_t key_bytes = 8;

class Ids {
 public:
  Ids(Storage const& storage, MonotoneList<std::uint32_t> const& vertices) : storage_{storage}, vertices_{vertices} {}
  [[nodiscard]] std::string_view of(std::uint32_t row) const { return storage_.id_at(vertices_.at(row)); }

 private:
  Storage const& storage_;
  MonotoneList<std::uint32_t> const& vertices_;
};

struct KeyedRow {
  std::uint64_t key;
  std::uint32_t row;
};

std::uint64_t key_of(std::string_view rest) {
  std::uint64_t key = 0;
  for (std::size_t i = 0; i < key_bytes; ++i) {
    key = key << 8U | (i < rest.size() ? static_cast<unsigned char>(rest[i]) : 0U);
  }
  return key;
}

std::size_t common_length(Ids const& ids, std::uint32_t begin, std::uint32_t end) {
  auto common = ids.of(begin);
  for (auto row = begin + 1; row < end; ++row) {
    auto const id = ids.of(row);
    auto const ends = std::mismatch(common.begin(), common.end(), id.begin(), id.end());
    common = common.substr(0, static_cast<std::size_t>(ends.first - common.begin()));
  }
  return common.size();
}

std::vector<KeyedRow> sorted_rows(Ids const& ids, std::uint32_t begin, std::uint32_t end) {
  auto const common = common_length(ids, begin, end);
  std::vector<KeyedRow> keyed;
  keyed.reserve(end - begin);
  for (auto row = begin; row < end; ++row) keyed.push_back({key_of(ids.of(row).substr(common)), row});
  std::sort(keyed.begin(), keyed.end(), [&](KeyedRow const& a, KeyedRow const& b) {
    if (a.key != b.key) return a.key < b.key;
    auto const id_a = ids.of(a.row);
    auto const id_b = ids.of(b.row);
    return id_a != id_b ? id_a < id_b : a.row < b.row;
  });
  return keyed;
}

}  // namespace

void IdOrder::extend(Storage const& storage, MonotoneList<std::uint32_t> const& vertices, std::uint32_t end) {
  auto const before = rows();
  auto const begin = static_cast<std::uint32_t>(before->size());
  if (end - begin < new_rows_min || end - begin < begin / rows_a_new_row) return;
  Ids const ids{storage, vertices};
  auto merged = std::make_shared<Rows>();
  merged->reserve(end);
  auto place = before->begin();
  for (KeyedRow const& each : sorted_rows(ids, begin, end)) {
    auto const id = ids.of(each.row);
    auto const behind =
        std::partition_point(place, before->end(), [&](std::uint32_t row) { return ids.of(row) <= id; });
    merged->insert(merged->end(), place, behind);
    merged->push_back(each.row);
    place = behind;
  }
  merged->insert(merged->end(), place, before->end());
  std::scoped_lock const lock{mutex_};
  rows_ = std::move(merged);
}

}  // namespace whence::graph::impl
