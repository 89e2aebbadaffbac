#include "engine/impl/contents.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace whence::engine {
namespace {

using schema::VertexId;

/// What a response used, in the order in which it named it.
std::vector<schema::ContextReference> uses_of(graph::Snapshot const& known, VertexId response) {
  std::vector<schema::ContextReference> uses;
  auto const causes = known.causes(response);
  uses.reserve(causes.size());
  for (std::size_t i = 0; i < causes.size(); ++i) {
    auto const edge = causes.edges[i];
    if (known.type(edge) != schema::EdgeType::used_in) continue;
    uses.push_back({std::string(known.id(causes.vertices[i])), known.value(edge).value()});
  }
  return uses;
}

}  // namespace

Result<void> Contents::fetch(std::vector<VertexId> wanted) {
  std::erase_if(wanted, [this](VertexId vertex) { return is_in_group(vertex); });
  std::sort(wanted.begin(), wanted.end());
  wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
  if (wanted.empty()) return {};
  return store_.read(wanted, [&](std::size_t position, schema::Record&& record) {
    keep(wanted[position], std::move(record));
    return true;
  });
}

void Contents::keep(VertexId vertex, schema::Record&& record) {
  bool const is_response = schema::type_of(record) == schema::RecordType::response;
  schema::complete(record, std::string(known_.id(vertex)),
                   is_response ? uses_of(known_, vertex) : std::vector<schema::ContextReference>{});
  fetched_.insert_or_assign(schema::number(vertex), std::move(record));
}

schema::Record const& Contents::at(VertexId vertex) const {
  if (is_in_group(vertex)) return group_.records[schema::number(vertex) - schema::number(group_.first)];
  return fetched_.at(schema::number(vertex));
}

}  // namespace whence::engine
