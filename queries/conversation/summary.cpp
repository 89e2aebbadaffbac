// Evaluating summary.get.

#include "queries/conversation/summary.hpp"

#include "graph/snapshot/summaries.hpp"
#include "graph/snapshot/unknown.hpp"
#include "queries/view/gone.hpp"
#include "queries/view/resolve.hpp"
#include "queries/view/summary_parts.hpp"
#include "queries/view/whole.hpp"
#include "schema/base/report.hpp"
#include "schema/base/versions.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace whence::queries {
namespace {

using schema::RecordType;

std::optional<VertexId> find_version(Snapshot const& snapshot, std::string const& topic, std::int64_t version) {
  return snapshot.find(RecordType::summary, schema::summary_id(topic, version));
}

bool was_version(Snapshot const& snapshot, std::string const& topic, std::int64_t version) {
  return find_version(snapshot, topic, version) ||
         snapshot.find_deleted(RecordType::summary, schema::summary_id(topic, version));
}

/// The highest version; 0 where there is none. Versions have no gaps but where one was deleted, or is not in a copy.
std::int64_t latest_of(Snapshot const& snapshot, std::string const& topic) {
  auto const ever = [&](std::int64_t version) { return was_version(snapshot, topic, version); };
  auto counted = schema::latest_version(ever);
  while (counted > 0 && !find_version(snapshot, topic, counted)) {
    if (!ever(--counted)) counted = 0;  // a gap may be as long as a number
  }
  return std::max(counted, graph::newest_summary_of(snapshot, topic));
}

Error no_summary(Snapshot const& snapshot, std::string const& topic) {
  auto const known = resolve(snapshot, {RecordType::topic, topic}, "/topic");
  if (!known) return known.error();
  return error_from(Violation{.code = Errc::not_found,
                              .rule = "no_summary",
                              .path = "/topic",
                              .seen = schema::shown(topic),
                              .message = "this topic has no summary" + graph::at_its_moment(snapshot)});
}

/// The newest version that is there. It names those after it that are gone: these added to its text. One that replaced
/// it whole and is gone leaves nothing.
Result<schema::Summary> read_newest(View const& view, std::string const& topic) {
  auto const& snapshot = view.snapshot;
  auto const latest = latest_of(snapshot, topic);
  if (latest == 0) return no_summary(snapshot, topic);
  std::vector<VertexId> after;
  for (auto version = latest; version > 0 && was_version(snapshot, topic, version); --version) {
    auto const vertex = find_version(snapshot, topic, version);
    if (!vertex) continue;
    if (!snapshot.gone(*vertex)) {
      auto read = read_required(view, *vertex, "/topic");
      if (!read) return read.error();
      auto summary = std::get<schema::Summary>(std::move(*read));
      for (auto const gone : after) note_gone_part(snapshot, gone, *snapshot.gone(gone), summary);
      return summary;
    }
    after.push_back(*vertex);
    if (!adds_to_summary(snapshot, *vertex)) break;
  }
  return gone_error(snapshot, after.front(), *snapshot.gone(after.front()), "/topic");
}

}  // namespace

Result<schema::Summary> summary_get(View const& view, SummaryGetParams const& params, Budget const& /*budget*/) {
  if (!params.version) return read_newest(view, params.topic);
  auto const id = schema::summary_id(params.topic, static_cast<std::int64_t>(*params.version));
  auto const vertex = resolve(view.snapshot, {RecordType::summary, id}, "/version");
  if (!vertex) return vertex.error();
  auto read = read_required(view, *vertex, "/version");
  if (!read) return read.error();
  return std::get<schema::Summary>(std::move(*read));
}

}  // namespace whence::queries
