#include "schema/stored/blobs.hpp"

#include <optional>
#include <type_traits>
#include <variant>

namespace whence::schema::stored {
namespace {

template <class T>
void append_blobs_of(T const& record, std::vector<Digest>& into) {
  auto const add = [&](std::optional<Digest> const& digest) {
    if (digest) into.push_back(*digest);
  };
  if constexpr (std::is_same_v<T, XmlMessageAttachment>) {
    if (record.xml_blob) add(blob_digest(*record.xml_blob));
  }
  if constexpr (requires { record.content_blob; }) add(record.content_blob);
  if constexpr (requires { record.prompt_blob; }) add(record.prompt_blob);
}

template <class... Records>
std::vector<RecordType> list_types_with_blobs(std::variant<Records...> const*) {
  std::vector<RecordType> types;
  auto const check = [&]<class T>(std::type_identity<T>) {
    constexpr bool has_texts = requires(T const& record) {
      record.content_blob;
    };
    if (has_texts || std::is_same_v<T, XmlMessageAttachment>) types.push_back(type_of(Record{T{}}));
  };
  (check(std::type_identity<Records>{}), ...);
  return types;
}

}  // namespace

std::vector<Digest> blobs_of(Record const& content) {
  std::vector<Digest> found;
  std::visit([&](auto const& each) { append_blobs_of(each, found); }, content);
  return found;
}

std::span<RecordType const> types_with_blobs() {
  static std::vector<RecordType> const types = list_types_with_blobs(static_cast<Record const*>(nullptr));
  return types;
}

}  // namespace whence::schema::stored
