// summary.get: a topic's summary with its accumulated text.

#include "queries/queries.hpp"
#include "queries/render/forms.hpp"
#include "queries/resolve.hpp"
#include "schema/base/report.hpp"
#include "schema/base/versions.hpp"

#include <utility>

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
                              .message = "this topic has no summary"});
}

}  // namespace

Result<PageSource> summary_get(View const& view, SummaryGetParams const& params, Budget const& /*budget*/) {
  auto const& snapshot = view.snapshot;
  Result<VertexId> const vertex =
      params.version
          ? resolve(snapshot,
                    {RecordType::summary, schema::summary_id(params.topic, static_cast<std::int64_t>(*params.version))},
                    "/version")
          : latest_of(snapshot, params.topic);
  if (!vertex) return vertex.error();
  auto read = read_one(view, *vertex);
  if (!read) return read.error();
  PageSource answer;
  answer.write_members = [view, record = std::move(*read)](Writer& out) {
    out.key("summary");
    write_record(out, schema::Record(record), view.snapshot);
  };
  return answer;
}

}  // namespace whence::queries
