#include "graph/snapshot/summaries.hpp"

#include "schema/records/records.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>

namespace whence::graph {
namespace {

enum class Look { at_all, while_in_doubt };

/// Others can be counted up from it.
constexpr auto highest_version = std::numeric_limits<std::int64_t>::max() / 4;

/// The number in the id of a topic's summary; 0 where it has none.
std::int64_t version_in(std::string_view id, std::string_view topic) {
  auto const stem = schema::summary_id(topic, 1).size() - 1;  // all but the digit
  std::int64_t version = 0;
  if (id.size() <= stem) return 0;
  auto const read = std::from_chars(id.data() + stem, id.data() + id.size(), version);
  bool const is_number = read.ec == std::errc{} && version > 0 && version <= highest_version;
  return is_number && id == schema::summary_id(topic, version) ? version : 0;
}

/// The highest of the summaries among the parts of a topic. One that was drawn from a response has the highest number
/// of its time: it follows the one that joined before it, in a transaction of its own. What came in one transaction may
/// be in any order.
std::int64_t highest_of(Snapshot const& snapshot, Neighbours const& parts, std::string_view topic, Look look) {
  std::int64_t highest = 0;
  std::optional<VertexId> last;
  bool is_second = false;
  for (std::size_t i = parts.size(); i > 0; --i) {
    auto const part = parts.vertices[i - 1];
    if (snapshot.type(part) != schema::RecordType::summary) continue;
    auto const version = version_in(snapshot.id(part), topic);
    if (version == 0) continue;
    bool const follows = is_second && version + 1 == highest && snapshot.created(part) < snapshot.created(*last);
    if (follows && look == Look::while_in_doubt) return highest;
    is_second = !last;
    last = part;
    highest = std::max(highest, version);
  }
  return highest;
}

}  // namespace

std::int64_t last_summary_of(Snapshot const& snapshot, std::string_view topic) {
  std::int64_t highest = 0;
  for (auto const vertex : snapshot.find_all_ever(schema::RecordType::topic, topic)) {
    auto const parts = snapshot.relations_to_ever(vertex);
    highest = std::max(highest, highest_of(snapshot, parts, topic, Look::while_in_doubt));
  }
  return highest;
}

std::int64_t newest_summary_of(Snapshot const& snapshot, std::string_view topic) {
  auto const vertex = snapshot.find(schema::RecordType::topic, topic);
  return vertex ? highest_of(snapshot, snapshot.relations_to(*vertex), topic, Look::at_all) : 0;
}

}  // namespace whence::graph
