#include "engine/state/document_index.hpp"

#include "schema/records/prov/dataset_name.hpp"
#include "schema/records/prov/relations.hpp"

#include <algorithm>

namespace whence::engine {

using schema::RecordType;
using schema::VertexId;

Result<std::vector<VertexId>> DocumentIndex::find(std::string_view id, Source const& source) {
  if (auto const made = make_once(source); !made) return made.error();
  std::vector<VertexId> found;
  if (auto const named = documents_.find(std::string(id)); named != documents_.end()) found = named->second;
  std::erase_if(found, [&](VertexId each) { return source.known.is_deleted(each); });
  return found;
}

Result<void> DocumentIndex::make(Source const& source) {
  return for_each_record(source.known.vertices(RecordType::document), source,
                         [this](VertexId vertex, schema::Record const& record) { add(vertex, record); });
}

void DocumentIndex::take(Written const& written) {
  if (is_made()) add(written.vertex, written.record);
}

/// What it was found by is not known any more.
void DocumentIndex::drop_gone(VertexId /*vertex*/) {
  clear();
}

void DocumentIndex::add(VertexId vertex, schema::Record const& record) {
  auto const* const document = std::get_if<schema::Document>(&record);
  if (document == nullptr || !document->uri) return;
  for (auto const& uri : schema::source_uris(*document->uri)) {
    auto& named = documents_[schema::prov_id(uri)];
    if (std::ranges::find(named, vertex) == named.end()) named.push_back(vertex);
  }
}

}  // namespace whence::engine
