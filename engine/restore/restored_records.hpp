#pragma once
// Reads records of restored transactions that are not in the store yet.

#include "schema/base/digest.hpp"
#include "schema/records/record_reader.hpp"
#include "schema/stored/codec.hpp"
#include "store/log/store.hpp"

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>

namespace whence::engine {

/// The records of restored transactions that are not durable yet, and those of the store.
class RestoredRecords final : public schema::RecordReader {
 public:
  explicit RestoredRecords(store::Store const& store) : store_(store) {}

  void add(schema::ContentId content, schema::RecordType type, schema::stored::Words words);
  void add(store::Blob const& blob);

  [[nodiscard]] Result<void> read(
      std::span<schema::ContentId const> contents,
      std::function<bool(std::size_t, schema::StoredContent&&)> const& visit) const override;
  [[nodiscard]] Result<std::optional<std::string>> read_blob(schema::Digest const& digest) const override;

 private:
  struct Kept {
    schema::RecordType type;
    schema::stored::Words words;
  };
  store::Store const& store_;
  std::map<schema::ContentId, Kept> kept_ = {};
  std::map<schema::Digest, std::string> blobs_ = {};
};

}  // namespace whence::engine
