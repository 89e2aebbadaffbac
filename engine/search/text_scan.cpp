// Newest first, as an index gives them.
#include "engine/search/text_scan.hpp"

namespace whence::engine {

void TextScan::split(std::string_view text, std::function<bool(schema::Word const&)> const& visit) const {
  splitters_.split(text, visit);
}

Result<schema::WordsFound> TextScan::find(schema::WordQuery const& query,
                                          schema::Interrupt const& /*interrupt*/) const {
  schema::WordsFound found;
  found.unread.reserve(query.vertices);
  for (auto vertex = query.vertices; vertex > 0; --vertex) found.unread.push_back(schema::VertexId{vertex - 1});
  return found;
}

}  // namespace whence::engine
