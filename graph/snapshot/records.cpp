// Which contents to read, and what to make of them.
#include "graph/snapshot/records.hpp"

#include "graph/snapshot/access.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace whence::graph {

using schema::ContentId;
using schema::number;
using schema::Record;
using schema::StoredContent;

namespace {

/// The contents of many vertices in one row.
struct Contents {
  std::vector<ContentId> ids;
  std::vector<std::size_t> positions;  ///< whose content each is; empty where each vertex has exactly one
};

/// Calls `take` for each content of `v`. Nearly every vertex has one, and is not asked for a list of its own.
template <class Take>
void for_each_content(Snapshot const& snapshot, VertexId v, Take const& take) {
  auto const tx = static_cast<std::uint32_t>(number(snapshot.tx()));
  if (impl::Access::storage(snapshot).revision_at(number(v), tx) == impl::no_revision) {
    take(ContentId{v, 0});
    return;
  }
  for (auto const revision : snapshot.contents(v)) take(ContentId{v, revision});
}

Contents contents_of(Snapshot const& snapshot, std::span<VertexId const> vertices) {
  Contents contents;
  contents.ids.reserve(vertices.size());
  for (auto const v : vertices) {
    for_each_content(snapshot, v, [&](ContentId id) { contents.ids.push_back(id); });
  }
  if (contents.ids.size() == vertices.size()) return contents;
  contents.positions.reserve(contents.ids.size());
  for (std::size_t position = 0; position < vertices.size(); ++position) {
    for_each_content(snapshot, vertices[position], [&](ContentId) { contents.positions.push_back(position); });
  }
  return contents;
}

void complete_from_graph(Record& record, Snapshot const& snapshot, VertexId v) {
  std::vector<schema::ContextReference> uses;
  if (snapshot.type(v) == RecordType::response) uses = uses_of(snapshot, v);
  schema::complete(record, snapshot.id(v), std::move(uses));
}

/// Joins contents that come one after the other into records.
class Folding {
 public:
  explicit Folding(std::span<std::size_t const> positions) : positions_{positions} {}

  /// Whether `content`, the one numbered `at`, was the last of its record; then that is in `record`. What is added to a
  /// content that is gone begins the record.
  [[nodiscard]] bool completes(std::size_t at, StoredContent&& content, StoredContent& record) {
    if (begun_ && content) {
      schema::fold(*begun_, *std::move(content));
    } else if (content) {
      begun_ = std::move(content);
    }
    if (at + 1 < positions_.size() && positions_[at + 1] == positions_[at]) return false;
    record = std::exchange(begun_, std::nullopt);
    return true;
  }

 private:
  std::span<std::size_t const> positions_;
  StoredContent begun_;
};

}  // namespace

std::vector<schema::ContextReference> uses_of(Snapshot const& snapshot, VertexId response) {
  std::vector<schema::ContextReference> uses;
  auto const causes = snapshot.causes_ever(response);
  uses.reserve(causes.size());
  for (std::size_t i = 0; i < causes.size(); ++i) {
    if (snapshot.type(causes.edges[i]) != EdgeType::used_in) continue;
    auto const used = causes.vertices[i];
    uses.push_back(schema::use_of(snapshot.type(used), snapshot.id(used), snapshot.value(causes.edges[i]).value()));
  }
  return uses;
}

Result<void> read_records(Snapshot const& snapshot, schema::RecordReader const& reader,
                          std::span<VertexId const> vertices, SaidVisit const& visit) {
  auto const contents = contents_of(snapshot, vertices);
  auto const finish = [&](std::size_t position, StoredContent&& content) {
    auto const vertex = vertices[position];
    // A content is gone on disk before the graph says why; until then no answer has said that it was asked for.
    auto const why = snapshot.gone(vertex);
    if (why || !content) return visit(position, Said{why.value_or(GoneWhy::expired)});
    complete_from_graph(*content, snapshot, vertex);
    return visit(position, Said{*std::move(content)});
  };
  if (contents.positions.empty()) return reader.read(contents.ids, finish);
  Folding folding{contents.positions};
  return reader.read(contents.ids, [&](std::size_t at, StoredContent&& content) {
    StoredContent record;
    return !folding.completes(at, std::move(content), record) || finish(contents.positions[at], std::move(record));
  });
}

Result<void> read_those_there(Snapshot const& snapshot, schema::RecordReader const& reader,
                              std::span<VertexId const> vertices,
                              std::function<bool(std::size_t, schema::Record&&)> const& visit) {
  return read_records(snapshot, reader, vertices, [&](std::size_t i, Said&& said) {
    auto* const record = said.find();
    return record == nullptr || visit(i, std::move(*record));
  });
}

}  // namespace whence::graph
