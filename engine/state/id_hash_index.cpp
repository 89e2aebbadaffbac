#include "engine/state/id_hash_index.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace whence::engine {

using schema::RecordType;
using schema::VertexId;

namespace {

/// Records held at a time while the index is made.
constexpr std::size_t slice_records_max = 1000;

}  // namespace

Result<std::optional<VertexId>> IdHashIndex::find(RecordType type, std::string_view hash, Source const& source) {
  if (!is_made_) {
    if (auto const made = make(source); !made) {
      clear();
      return made.error();
    }
  }
  auto const& vertices = type == RecordType::subject ? subjects_ : attachments_;
  auto const found = vertices.find(std::string(hash));
  if (found == vertices.end() || source.known.is_deleted(found->second)) return std::optional<VertexId>{};
  return std::optional{found->second};
}

void IdHashIndex::take(VertexId vertex, schema::Record const& record) {
  if (!is_made_) return;
  if (auto const* subject = std::get_if<schema::Subject>(&record); subject != nullptr && subject->id_hash) {
    subjects_.insert_or_assign(*subject->id_hash, vertex);
  }
  if (auto const* attachment = std::get_if<schema::XmlMessageAttachment>(&record);
      attachment != nullptr && attachment->id_hash) {
    attachments_.insert_or_assign(*attachment->id_hash, vertex);
  }
}

void IdHashIndex::clear() {
  is_made_ = false;
  subjects_.clear();
  attachments_.clear();
}

Result<void> IdHashIndex::make(Source const& source) {
  is_made_ = true;
  for (auto const type : {RecordType::subject, RecordType::xml_message_attachment}) {
    auto const vertices = source.known.vertices(type);
    for (std::size_t begin = 0; begin < vertices.size(); begin += slice_records_max) {
      auto const end = std::min(vertices.size(), begin + slice_records_max);
      std::vector<VertexId> const slice(vertices.begin() + static_cast<std::ptrdiff_t>(begin),
                                        vertices.begin() + static_cast<std::ptrdiff_t>(end));
      Contents contents(source.store, source.memory, source.known);
      if (auto fetched = contents.fetch(slice); !fetched) return fetched;
      for (auto const vertex : slice) {
        if (auto const* const record = contents.find(vertex)) take(vertex, *record);
      }
    }
  }
  return {};
}

}  // namespace whence::engine
