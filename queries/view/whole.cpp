// Summaries: each increment trimmed of XML white space, joined by one newline. Long texts: read from their blobs.
#include "queries/view/whole.hpp"

#include "graph/snapshot/records.hpp"
#include "graph/snapshot/summaries.hpp"
#include "queries/view/gone.hpp"
#include "queries/view/summary_parts.hpp"
#include "schema/base/text.hpp"
#include "schema/records/long_texts.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace whence::queries {
namespace {

using graph::VertexId;
using schema::Summary;

Result<void> accumulate(View const& view, Summary& summary) {
  if (!summary.increment) return {};
  // Deleted ones too: their increments are still part of the text.
  auto const before = graph::summaries_before(view.snapshot, summary.topic, summary.version);
  std::vector<std::string> parts{std::string(schema::trim_xml(*summary.increment))};  // last first
  auto read = graph::read_records(view.snapshot, *view.records, before, [&](std::size_t i, graph::Said&& said) {
    auto* const record = said.find();
    if (record == nullptr) {
      note_gone_part(view.snapshot, before[i], *said.gone(), summary);
      return adds_to_summary(view.snapshot, before[i]);
    }
    auto& earlier = std::get<Summary>(*record);
    parts.emplace_back(earlier.increment ? std::string(schema::trim_xml(*earlier.increment))
                                         : std::move(earlier.content));
    return earlier.increment.has_value();
  });
  if (!read) return read;
  for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
    if (!summary.content.empty() && !part->empty()) summary.content.push_back('\n');
    summary.content.append(*part);
  }
  return {};
}

}  // namespace

Result<void> read_whole(View const& view, std::span<VertexId const> vertices, graph::SaidVisit const& visit) {
  Result<void> made;
  auto const read = graph::read_records(view.snapshot, *view.records, vertices, [&](std::size_t i, graph::Said&& said) {
    if (auto* const record = said.find()) {
      if (auto* summary = std::get_if<Summary>(record)) made = accumulate(view, *summary);
      if (made) made = schema::put_long_texts(*record, *view.records);
    }
    return made && visit(i, std::move(said));
  });
  return made ? read : made;
}

Result<void> read_those_there(View const& view, std::span<VertexId const> vertices,
                              std::function<bool(std::size_t, schema::Record&&)> const& visit) {
  return read_whole(view, vertices, [&](std::size_t i, graph::Said&& said) {
    auto* const record = said.find();
    return record == nullptr || visit(i, std::move(*record));
  });
}

Result<graph::Said> read_one(View const& view, VertexId vertex) {
  std::optional<graph::Said> found;
  auto const read = read_whole(view, {&vertex, 1}, [&](std::size_t, graph::Said&& said) {
    found = std::move(said);
    return false;
  });
  if (!read) return read.error();
  return *std::move(found);
}

Result<schema::Record> read_required(View const& view, VertexId vertex, std::string_view path) {
  auto said = read_one(view, vertex);
  if (!said) return said.error();
  if (auto const why = said->gone()) return gone_error(view.snapshot, vertex, *why, path);
  return std::move(*said->find());
}

}  // namespace whence::queries
