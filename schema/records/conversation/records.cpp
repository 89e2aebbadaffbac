// Names of blobs, and ids made of several parts.
#include "schema/records/conversation/records.hpp"

#include "schema/types/ref.hpp"

namespace whence::schema {
namespace {

constexpr std::string_view blob_scheme = "sha256://";

}  // namespace

std::optional<Digest> blob_digest(std::string_view xml_blob) {
  if (!xml_blob.starts_with(blob_scheme)) return std::nullopt;
  return digest_from_hex(xml_blob.substr(blob_scheme.size()));
}

std::string blob_name(Digest const& digest) {
  return std::string(blob_scheme) + to_hex(digest);
}

std::string summary_id(std::string_view topic, std::int64_t version) {
  return std::string(topic).append("-v").append(std::to_string(version));
}

std::string template_id(std::string_view model_id, std::int64_t version) {
  return join_key({model_id, std::to_string(version)});
}

}  // namespace whence::schema
