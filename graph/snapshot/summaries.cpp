#include "graph/snapshot/summaries.hpp"

#include "schema/records/records.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <functional>
#include <limits>
#include <optional>
#include <set>
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

std::optional<VertexId> find_ever(Snapshot const& snapshot, std::string_view topic, std::int64_t version) {
  auto const id = schema::summary_id(topic, version);
  auto const vertex = snapshot.find(schema::RecordType::summary, id);
  return vertex ? vertex : snapshot.find_deleted(schema::RecordType::summary, id);
}

/// The versions below one that parts of the topic have or had, the highest first.
std::set<std::int64_t, std::greater<>> versions_below(Snapshot const& snapshot, std::string_view topic,
                                                      std::int64_t end) {
  std::set<std::int64_t, std::greater<>> versions;
  for (auto const vertex : snapshot.find_all_ever(schema::RecordType::topic, topic)) {
    for (auto const part : snapshot.relations_to_ever(vertex).vertices) {
      if (snapshot.type(part) != schema::RecordType::summary) continue;
      auto const version = version_in(snapshot.id(part), topic);
      if (version > 0 && version < end) versions.insert(version);
    }
  }
  return versions;
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

std::vector<VertexId> summaries_before(Snapshot const& snapshot, std::string_view topic, std::int64_t version) {
  std::vector<VertexId> before;
  for (--version; version > 0; --version) {
    auto const vertex = find_ever(snapshot, topic, version);
    if (!vertex) break;
    before.push_back(*vertex);
  }
  if (version <= 0) return before;
  for (auto const below : versions_below(snapshot, topic, version)) {
    if (auto const vertex = find_ever(snapshot, topic, below)) before.push_back(*vertex);
  }
  return before;
}

}  // namespace whence::graph
