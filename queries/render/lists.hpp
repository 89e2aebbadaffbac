#pragma once
// Lists of a page source over the values of a result. `owner` keeps the result alive; no item is copied.

#include "queries/render/forms.hpp"
#include "queries/render/page_source.hpp"

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace whence::queries {

using Owner = std::shared_ptr<void const>;

/// The list `name` of `items`; `write(out, page)` writes the items of one page, a span.
template <class Item, class Write>
[[nodiscard]] List list_of(std::string_view name, Owner owner, std::vector<Item> const& items, Write write) {
  std::span<Item const> const all(items);
  // Moved, not copied: what it captures holds a snapshot, whose count of owners all threads share.
  auto write_page = [owner = std::move(owner), all, write = std::move(write)](Writer& out, std::size_t begin,
                                                                              std::size_t end) -> Result<void> {
    return write(out, all.subspan(begin, end - begin));
  };
  return {name, items.size(), std::move(write_page)};
}

/// The same where each item is written by itself and reads no record: `write_one(out, item)`.
template <class Item, class WriteOne>
[[nodiscard]] List list_of_each(std::string_view name, Owner owner, std::vector<Item> const& items,
                                WriteOne write_one) {
  auto write = [write_one = std::move(write_one)](Writer& out, std::span<Item const> page) -> Result<void> {
    for (Item const& item : page) write_one(out, item);
    return {};
  };
  return list_of(name, std::move(owner), items, std::move(write));
}

/// Items in node form, with what `write_members(out, item)` adds.
template <class Item, class WriteMembers>
[[nodiscard]] List node_list(std::string_view name, Owner owner, View const& view, std::vector<Item> const& items,
                             std::vector<Include> const& include, WriteMembers write_members) {
  auto write = [view, includes = includes_of(include), write_members = std::move(write_members)](
                   Writer& out, std::span<Item const> page) {
    return write_nodes(out, view, includes, page, write_members);
  };
  return list_of(name, std::move(owner), items, std::move(write));
}

/// Vertices in plain node form.
[[nodiscard]] inline List node_list(std::string_view name, Owner owner, View const& view,
                                    std::vector<VertexId> const& vertices, std::vector<Include> const& include) {
  return node_list(name, std::move(owner), view, vertices, include, [](Writer&, VertexId) {});
}

/// The whole records of vertices; of one whose content is gone its ref and that.
[[nodiscard]] inline List record_list(std::string_view name, Owner owner, View const& view,
                                      std::vector<VertexId> const& vertices) {
  auto const write = [view](Writer& out, std::span<VertexId const> page) {
    return read_whole(view, page, [&](std::size_t i, graph::Said&& said) {
      if (auto* const record = said.find()) {
        write_record(out, std::move(*record), view.snapshot);
        return true;
      }
      out.begin_object();
      write_identity(out, view.snapshot, page[i]);
      write_gone(out, *said.gone());
      out.end_object();
      return true;
    });
  };
  return list_of(name, std::move(owner), vertices, write);
}

}  // namespace whence::queries
