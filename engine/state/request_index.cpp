#include "engine/state/request_index.hpp"

#include "graph/snapshot/acts.hpp"

#include <algorithm>

namespace whence::engine {

using schema::RecordType;
using schema::VertexId;

namespace {

bool is_open(graph::Snapshot const& known, VertexId response) {
  return !known.is_deleted(response) && !graph::other_half(known, response);
}

}  // namespace

Result<std::optional<VertexId>> RequestIndex::find_response(std::string_view request_id, Source const& source) {
  if (auto const made = make_once(source); !made) return made.error();
  using Found = std::optional<VertexId>;
  auto const found = responses_.find(std::string(request_id));
  if (found == responses_.end()) return Found{};
  auto& responses = found->second;
  std::erase_if(responses, [&](VertexId each) { return !is_open(source.known, each); });
  return responses.empty() ? Found{} : Found{responses.back()};
}

Result<void> RequestIndex::make(Source const& source) {
  auto open = source.known.vertices(RecordType::response);
  std::erase_if(open, [&](VertexId response) { return !is_open(source.known, response); });
  return for_each_record(open, source, [this](VertexId vertex, schema::Record const& record) {
    auto const& response = std::get<schema::Response>(record);
    if (response.request_id) add(*response.request_id, vertex);
  });
}

void RequestIndex::take(Written const& written) {
  auto const* response = std::get_if<schema::Response>(&written.record);
  if (!is_made() || !written.is_new || response == nullptr || !response->request_id) return;
  if (is_open(written.known, written.vertex)) add(*response->request_id, written.vertex);
}

void RequestIndex::drop_deleted(VertexId vertex, graph::Snapshot const& known) {
  if (!is_made() || known.type(vertex) != RecordType::answer) return;
  auto const relations = known.relations_to_ever(vertex);
  for (std::size_t i = 0; i < relations.size(); ++i) {
    if (known.type(relations.edges[i]) != schema::EdgeType::same_act) continue;
    if (is_open(known, relations.vertices[i])) add(std::string(known.id(vertex)), relations.vertices[i]);
  }
}

void RequestIndex::add(std::string const& request_id, VertexId response) {
  auto& responses = responses_[request_id];
  auto const place = std::ranges::lower_bound(responses, response);
  if (place == responses.end() || *place != response) responses.insert(place, response);
}

}  // namespace whence::engine
