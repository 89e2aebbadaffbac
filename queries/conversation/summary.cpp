// Evaluating summary.get.

#include "queries/conversation/summary.hpp"

#include "graph/snapshot/unknown.hpp"
#include "queries/view/resolve.hpp"
#include "queries/view/whole.hpp"
#include "schema/base/report.hpp"
#include "schema/base/versions.hpp"

#include <utility>
#include <variant>

namespace whence::queries {
namespace {

using schema::RecordType;

/// The summary of the highest version. Versions have no gaps but where one was deleted.
Result<VertexId> latest_of(Snapshot const& snapshot, std::string const& topic) {
  auto const version = [&](std::int64_t n) { return snapshot.find(RecordType::summary, schema::summary_id(topic, n)); };
  auto const ever = [&](std::int64_t n) {
    return version(n) || snapshot.find_deleted(RecordType::summary, schema::summary_id(topic, n));
  };
  auto newest = schema::latest_version(ever);
  for (; newest > 0; --newest) {
    if (auto const found = version(newest)) return *found;
  }
  auto const known = resolve(snapshot, {RecordType::topic, topic}, "/topic");
  if (!known) return known.error();
  return error_from(Violation{.code = Errc::not_found,
                              .rule = "no_summary",
                              .path = "/topic",
                              .seen = schema::shown(topic),
                              .message = "this topic has no summary" + graph::at_its_moment(snapshot)});
}

}  // namespace

Result<schema::Summary> summary_get(View const& view, SummaryGetParams const& params, Budget const& /*budget*/) {
  auto const& snapshot = view.snapshot;
  Result<VertexId> const vertex =
      params.version
          ? resolve(snapshot,
                    {RecordType::summary, schema::summary_id(params.topic, static_cast<std::int64_t>(*params.version))},
                    "/version")
          : latest_of(snapshot, params.topic);
  if (!vertex) return vertex.error();
  auto read = read_required(view, *vertex, params.version ? "/version" : "/topic");
  if (!read) return read.error();
  return std::get<schema::Summary>(std::move(*read));
}

}  // namespace whence::queries
