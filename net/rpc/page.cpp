// Writing ranges of an answer.

#include "net/rpc/page.hpp"

#include <algorithm>
#include <numeric>

namespace whence::net {

namespace {

// Records are read once per piece, so a piece is not small; the clock is asked, and memory counted, once per piece, so
// it is not large. The first ones are smaller: items may be long.
constexpr std::size_t piece_items_first = 32;
constexpr std::size_t piece_items_max = 256;

// The part of `range` that falls on the list whose items begin at `first`, counted from the list's own begin.
ItemRange part_of(ItemRange range, std::size_t first, std::size_t size) {
  auto const within = [&](std::size_t place) { return std::clamp(place, first, first + size) - first; };
  return {within(range.begin), within(range.end)};
}

}  // namespace

PagedAnswer::PagedAnswer(queries::PageSource answer, schema::TxId tx) : answer_(std::move(answer)), tx_(tx) {
  for (queries::List const& list : answer_.lists) size_ += list.size;
  for (queries::Attached const& attached : answer_.attached) {
    Order order;
    if (!std::is_sorted(attached.anchors.begin(), attached.anchors.end())) {
      order.resize(attached.anchors.size());
      std::iota(order.begin(), order.end(), 0U);
      std::stable_sort(order.begin(), order.end(),
                       [&](std::uint32_t a, std::uint32_t b) { return attached.anchors[a] < attached.anchors[b]; });
    }
    orders_.push_back(std::move(order));
  }
}

std::size_t PagedAnswer::weight() const noexcept {
  // Queries keep a few numbers per item; text is made when it is written.
  constexpr std::size_t bytes_fixed = 512;
  constexpr std::size_t bytes_per_item = 32;
  std::size_t items = size_;
  for (queries::Attached const& attached : answer_.attached) items += 2 * attached.anchors.size();
  return bytes_fixed + items * bytes_per_item;
}

std::vector<std::size_t> PagedAnswer::attached_to(std::size_t list, ItemRange anchors) const {
  std::vector<std::size_t> const& all = answer_.attached[list].anchors;
  Order const& order = orders_[list];
  auto const place_of = [&](std::size_t anchor) {
    std::size_t first = 0;
    for (std::size_t count = all.size(); count > 0;) {
      std::size_t const half = count / 2;
      std::size_t const middle = first + half;
      if (all[order.empty() ? middle : order[middle]] < anchor) {
        first = middle + 1;
        count -= half + 1;
      } else {
        count = half;
      }
    }
    return first;
  };
  std::vector<std::size_t> items;
  std::size_t const end = place_of(anchors.end);
  for (std::size_t place = place_of(anchors.begin); place < end; ++place) {
    items.push_back(order.empty() ? place : order[place]);
  }
  // Inside a page they keep the order of the whole answer.
  std::sort(items.begin(), items.end());
  return items;
}

std::size_t PagedAnswer::size_with_attached(ItemRange range) const {
  std::size_t count = range.end - range.begin;
  if (answer_.lists.empty()) return count;
  ItemRange const anchors = part_of(range, 0, answer_.lists.front().size);
  for (std::size_t list = 0; list < answer_.attached.size(); ++list) count += attached_to(list, anchors).size();
  return count;
}

Result<void> PagedAnswer::write_attached(schema::json::Writer& out, std::size_t list, ItemRange anchors,
                                         Check const& check) const {
  std::size_t written_items = 0;
  for (std::size_t const item : attached_to(list, anchors)) {
    if (auto const written = answer_.attached[list].write(out, item); !written) return written.error();
    if (++written_items % piece_items_max != 0) continue;
    if (auto const checked = check(); !checked) return checked.error();
  }
  return check();
}

Result<std::size_t> PagedAnswer::write_page(schema::json::Writer& out, ItemRange range, ShouldStop const& should_stop,
                                            Check const& check) const {
  std::size_t first = 0;
  std::size_t end = range.end;
  std::size_t piece_items = piece_items_first;
  for (queries::List const& list : answer_.lists) {
    ItemRange part = part_of({range.begin, end}, first, list.size);
    out.key(list.name).begin_array();
    while (part.begin < part.end) {
      if (should_stop()) {
        end = first + part.begin;
        break;
      }
      std::size_t const piece_end = std::min(part.end, part.begin + piece_items);
      if (auto const written = list.write(out, part.begin, piece_end); !written) return written.error();
      if (auto const checked = check(); !checked) return checked.error();
      part.begin = piece_end;
      piece_items = std::min(2 * piece_items, piece_items_max);
    }
    out.end_array();
    first += list.size;
  }
  for (std::size_t list = 0; list < answer_.attached.size(); ++list) {
    out.key(answer_.attached[list].name).begin_array();
    ItemRange const anchors = part_of({range.begin, end}, 0, answer_.lists.front().size);
    if (auto const written = write_attached(out, list, anchors, check); !written) return written.error();
    out.end_array();
  }
  return end;
}

Result<void> PagedAnswer::write_items(schema::json::Writer& out, ItemRange range) const {
  std::size_t first = 0;
  for (queries::List const& list : answer_.lists) {
    ItemRange const part = part_of(range, first, list.size);
    if (part.begin < part.end) {
      if (auto const written = list.write(out, part.begin, part.end); !written) return written.error();
    }
    first += list.size;
  }
  if (answer_.lists.empty()) return {};
  ItemRange const anchors = part_of(range, 0, answer_.lists.front().size);
  for (std::size_t list = 0; list < answer_.attached.size(); ++list) {
    if (auto const written = write_attached(out, list, anchors, [] { return Result<void>{}; }); !written) {
      return written.error();
    }
  }
  return {};
}

}  // namespace whence::net
