// Contents of the open group first, then those of the store.

#include "engine/restore/restored_records.hpp"

#include "schema/stored/sealed.hpp"

#include <utility>

namespace whence::engine {

void RestoredRecords::add(schema::ContentId content, schema::RecordType type, schema::stored::Words words) {
  kept_.insert_or_assign(content, Kept{type, std::move(words)});
}

void RestoredRecords::add(store::Blob const& blob) {
  blobs_.insert_or_assign(blob.digest, blob.bytes);
}

Result<void> RestoredRecords::read(std::span<schema::ContentId const> contents,
                                   std::function<bool(std::size_t, schema::StoredContent&&)> const& visit) const {
  for (std::size_t i = 0; i < contents.size(); ++i) {
    bool goes_on = true;
    if (auto const kept = kept_.find(contents[i]); kept != kept_.end()) {
      auto record = schema::stored::unseal(kept->second.type, std::as_bytes(std::span(kept->second.words)));
      if (!record) return record.error();
      goes_on = visit(i, std::move(*record));
    } else {
      auto read = store_.read(contents.subspan(i, 1), [&](std::size_t, schema::StoredContent&& record) {
        goes_on = visit(i, std::move(record));
        return goes_on;
      });
      if (!read) return read;
    }
    if (!goes_on) return {};
  }
  return {};
}

Result<std::optional<std::string>> RestoredRecords::read_blob(schema::Digest const& digest) const {
  auto const kept = blobs_.find(digest);
  if (kept != blobs_.end()) return std::optional(kept->second);
  return store_.read_blob(digest);
}

}  // namespace whence::engine
