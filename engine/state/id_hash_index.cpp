#include "engine/state/id_hash_index.hpp"

namespace whence::engine {

using schema::RecordType;
using schema::VertexId;

Result<std::optional<VertexId>> IdHashIndex::find(RecordType type, std::string_view hash, Source const& source) {
  if (auto const made = make_once(source); !made) return made.error();
  auto const& vertices = type == RecordType::subject ? subjects_ : attachments_;
  auto const found = vertices.find(std::string(hash));
  if (found == vertices.end() || source.known.is_deleted(found->second)) return std::optional<VertexId>{};
  return std::optional{found->second};
}

Result<void> IdHashIndex::make(Source const& source) {
  for (auto const type : {RecordType::subject, RecordType::xml_message_attachment}) {
    auto read = for_each_record(source.known.vertices(type), source,
                                [this](VertexId vertex, schema::Record const& record) { add(vertex, record); });
    if (!read) return read;
  }
  return {};
}

void IdHashIndex::take(Written const& written) {
  if (is_made()) add(written.vertex, written.record);
}

/// What it was found by is not known any more.
void IdHashIndex::drop_gone(VertexId /*vertex*/) {
  clear();
}

void IdHashIndex::add(VertexId vertex, schema::Record const& record) {
  if (auto const* subject = std::get_if<schema::Subject>(&record); subject != nullptr && subject->id_hash) {
    subjects_.insert_or_assign(*subject->id_hash, vertex);
  }
  if (auto const* attachment = std::get_if<schema::XmlMessageAttachment>(&record);
      attachment != nullptr && attachment->id_hash) {
    attachments_.insert_or_assign(*attachment->id_hash, vertex);
  }
}

void IdHashIndex::forget() {
  subjects_.clear();
  attachments_.clear();
}

}  // namespace whence::engine
