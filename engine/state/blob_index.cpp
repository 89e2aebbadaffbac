#include "engine/state/blob_index.hpp"

#include "schema/base/ids.hpp"

#include <optional>
#include <span>
#include <type_traits>
#include <variant>

namespace whence::engine {

using schema::Digest;
using schema::RecordType;

namespace {

template <class T>
void append_blobs_of(T const& record, std::vector<Digest>& into) {
  auto const add = [&](std::optional<Digest> const& digest) {
    if (digest) into.push_back(*digest);
  };
  if constexpr (std::is_same_v<T, schema::XmlMessageAttachment>) {
    if (record.xml_blob) add(schema::blob_digest(*record.xml_blob));
  }
  if constexpr (requires { record.content_blob; }) add(record.content_blob);
  if constexpr (requires { record.prompt_blob; }) add(record.prompt_blob);
}

/// Whether records of a type may name blobs.
template <class... Records>
std::vector<RecordType> types_with_blobs(std::variant<Records...> const*) {
  std::vector<RecordType> types;
  auto const check = [&]<class T>(std::type_identity<T>) {
    constexpr bool has_texts = requires(T const& record) {
      record.content_blob;
    };
    if (has_texts || std::is_same_v<T, schema::XmlMessageAttachment>)
      types.push_back(schema::type_of(schema::Record{T{}}));
  };
  (check(std::type_identity<Records>{}), ...);
  return types;
}

}  // namespace

std::vector<Digest> blobs_of(schema::Record const& content) {
  std::vector<Digest> found;
  std::visit([&](auto const& each) { append_blobs_of(each, found); }, content);
  return found;
}

Result<void> BlobIndex::make(graph::Snapshot const& known, schema::RecordReader const& store) {
  if (is_made_) return {};
  std::vector<schema::ContentId> contents;
  auto const add = [&](std::vector<schema::VertexId> const& vertices) {
    for (auto const vertex : vertices) {
      contents.push_back({vertex, 0});
      for (auto const& revision : known.revisions(vertex)) contents.push_back({vertex, revision.number});
    }
  };
  for (auto const type : types_with_blobs(static_cast<schema::Record const*>(nullptr))) {
    add(known.vertices(type));
    add(known.deleted_vertices(type));
  }
  auto const read = store.read(contents, [&](std::size_t, schema::Record&& content) {
    for (auto const& digest : blobs_of(content)) ++counts_[digest];
    return true;
  });
  is_made_ = read.has_value();
  if (!is_made_) counts_.clear();
  return read;
}

std::uint32_t BlobIndex::count(Digest const& digest) const {
  auto const found = counts_.find(digest);
  return found == counts_.end() ? 0 : found->second;
}

void BlobIndex::take(schema::Record const& content) {
  if (!is_made_) return;  // making it reads this content too
  for (auto const& digest : blobs_of(content)) ++counts_[digest];
}

void BlobIndex::drop(Digest const& digest) {
  auto const found = counts_.find(digest);
  if (found != counts_.end() && --found->second == 0) counts_.erase(found);
}

void BlobIndex::clear() {
  is_made_ = false;
  counts_.clear();
}

}  // namespace whence::engine
