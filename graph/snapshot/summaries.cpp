#include "graph/snapshot/summaries.hpp"

#include "schema/records/records.hpp"

#include <charconv>
#include <cstddef>
#include <string>

namespace whence::graph {
namespace {

/// The number in the id of a topic's summary; 0 where it has none.
std::int64_t version_in(std::string_view id, std::string_view topic) {
  auto const stem = schema::summary_id(topic, 1).size() - 1;  // all but the digit
  std::int64_t version = 0;
  if (id.size() <= stem) return 0;
  auto const read = std::from_chars(id.data() + stem, id.data() + id.size(), version);
  return read.ec == std::errc{} && id == schema::summary_id(topic, version) ? version : 0;
}

}  // namespace

std::int64_t last_summary_of(Snapshot const& snapshot, std::string_view topic) {
  auto const vertex = snapshot.find(schema::RecordType::topic, topic);
  if (!vertex) return 0;
  auto const parts = snapshot.relations_to(*vertex);
  for (std::size_t i = parts.size(); i > 0; --i) {
    auto const part = parts.vertices[i - 1];
    if (snapshot.type(part) != schema::RecordType::summary) continue;
    if (auto const version = version_in(snapshot.id(part), topic); version > 0) return version;
  }
  return 0;
}

}  // namespace whence::graph
