#include "engine/state/index.hpp"

#include <algorithm>
#include <cstddef>

namespace whence::engine {
namespace {

/// How many records are in memory at once while an index is made.
constexpr std::size_t indexed_at_once = 1'000;

}  // namespace

void Index::clear() {
  is_made_ = false;
  forget();
}

Result<void> Index::make_once(Source const& source) {
  if (is_made_) return {};
  auto made = make(source);
  is_made_ = made.has_value();
  if (!is_made_) forget();
  return made;
}

Result<void> Index::for_each_record(std::vector<schema::VertexId> const& vertices, Source const& source,
                                    std::function<void(schema::VertexId, schema::Record const&)> const& visit) {
  for (std::size_t begin = 0; begin < vertices.size(); begin += indexed_at_once) {
    auto const end = std::min(vertices.size(), begin + indexed_at_once);
    std::vector<schema::VertexId> const part(vertices.begin() + static_cast<std::ptrdiff_t>(begin),
                                             vertices.begin() + static_cast<std::ptrdiff_t>(end));
    Contents contents(source.store, source.memory, source.known);
    if (auto fetched = contents.fetch(part); !fetched) return fetched;
    for (auto const vertex : part) {
      if (auto const* const record = contents.find(vertex)) visit(vertex, *record);
    }
  }
  return {};
}

}  // namespace whence::engine
