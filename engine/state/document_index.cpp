#include "engine/state/document_index.hpp"

#include "schema/records/prov/relations.hpp"

#include <algorithm>
#include <cstddef>

namespace whence::engine {

using schema::RecordType;
using schema::VertexId;

namespace {

/// How many documents are in memory at once while the index is made.
constexpr std::size_t documents_at_once = 10'000;

}  // namespace

Result<std::vector<VertexId>> DocumentIndex::find(std::string_view id, Source const& source) {
  if (!is_made_) {
    if (auto const made = make(source); !made) {
      clear();
      return made.error();
    }
  }
  std::vector<VertexId> found;
  if (auto const named = documents_.find(std::string(id)); named != documents_.end()) found = named->second;
  std::erase_if(found, [&](VertexId each) { return source.known.is_deleted(each); });
  return found;
}

Result<void> DocumentIndex::make(Source const& source) {
  is_made_ = true;
  auto const all = source.known.vertices(RecordType::document);
  for (std::size_t begin = 0; begin < all.size(); begin += documents_at_once) {
    auto const end = std::min(all.size(), begin + documents_at_once);
    std::vector<VertexId> const part(all.begin() + static_cast<std::ptrdiff_t>(begin),
                                     all.begin() + static_cast<std::ptrdiff_t>(end));
    Contents contents(source.store, source.memory, source.known);
    if (auto const fetched = contents.fetch(part); !fetched) return fetched.error();
    for (auto const vertex : part) {
      if (auto const* const record = contents.find(vertex)) take(vertex, *record);
    }
  }
  return {};
}

void DocumentIndex::take(VertexId vertex, schema::Record const& record) {
  auto const* const document = std::get_if<schema::Document>(&record);
  if (!is_made_ || document == nullptr || !document->uri) return;
  auto& named = documents_[schema::prov_id(*document->uri)];
  if (std::ranges::find(named, vertex) == named.end()) named.push_back(vertex);
}

void DocumentIndex::clear() {
  is_made_ = false;
  documents_.clear();
}

}  // namespace whence::engine
