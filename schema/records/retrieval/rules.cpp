// Made ids of chunks; revisions of chunks and answers.
#include "schema/records/retrieval/rules.hpp"

#include "schema/base/digest.hpp"
#include "schema/json/writer.hpp"

#include <string>
#include <utility>

namespace whence::schema {

std::string chunk_id_of(SecretKey const& key, RetrievedChunk const& chunk) {
  std::string text = "[";
  json::append_string(text, chunk.metadata.document_name);
  text.append(",")
      .append(chunk.metadata.page_number ? std::to_string(*chunk.metadata.page_number) : "null")
      .append(",");
  json::append_string(text, chunk.content);
  text.push_back(']');
  constexpr std::size_t digits = 32;
  return "chunk_" + to_hex(hmac_sha256(key, text)).substr(0, digits);
}

void fold_into(RetrievedChunk& into, RetrievedChunk&& later) {
  if (!later.embedding) return;
  into.embedding = std::move(later.embedding);
  into.embedding_model = std::move(later.embedding_model);
}

void fold_into(Answer& /*into*/, Answer&& /*later*/) {}

}  // namespace whence::schema
