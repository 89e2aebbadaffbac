#include "engine/state/request_index.hpp"

#include "graph/snapshot/acts.hpp"

#include <algorithm>

namespace whence::engine {

using schema::RecordType;
using schema::VertexId;

namespace {

/// How many responses are in memory at once while the index is made.
constexpr std::size_t read_at_once = 10'000;

bool is_open(graph::Snapshot const& known, VertexId response) {
  return !known.is_deleted(response) && !graph::other_half(known, response);
}

}  // namespace

Result<std::optional<VertexId>> RequestIndex::find_response(std::string_view request_id, Source const& source) {
  if (!is_made_) {
    if (auto const made = make(source); !made) return made.error();
  }
  using Found = std::optional<VertexId>;
  auto const found = responses_.find(std::string(request_id));
  if (found == responses_.end()) return Found{};
  auto& responses = found->second;
  std::erase_if(responses, [&](VertexId each) { return !is_open(source.known, each); });
  return responses.empty() ? Found{} : Found{responses.back()};
}

Result<void> RequestIndex::make(Source const& source) {
  std::vector<VertexId> open;
  for (auto const response : source.known.vertices(RecordType::response)) {
    if (is_open(source.known, response)) open.push_back(response);
  }
  for (std::size_t begin = 0; begin < open.size(); begin += read_at_once) {
    auto const end = std::min(open.size(), begin + read_at_once);
    std::vector<VertexId> const part(open.begin() + static_cast<std::ptrdiff_t>(begin),
                                     open.begin() + static_cast<std::ptrdiff_t>(end));
    Contents contents(source.store, source.memory, source.known);
    if (auto fetched = contents.fetch(part); !fetched) {
      clear();
      return fetched;
    }
    for (auto const vertex : part) {
      auto const* const record = contents.find(vertex);
      if (record == nullptr) continue;
      auto const& response = std::get<schema::Response>(*record);
      if (response.request_id) add(*response.request_id, vertex);
    }
  }
  is_made_ = true;
  return {};
}

void RequestIndex::take(VertexId vertex, schema::Record const& record, graph::Snapshot const& known) {
  auto const* response = std::get_if<schema::Response>(&record);
  if (!is_made_ || response == nullptr || !response->request_id || !is_open(known, vertex)) return;
  add(*response->request_id, vertex);
}

void RequestIndex::drop(VertexId vertex, graph::Snapshot const& known) {
  if (!is_made_ || known.type(vertex) != RecordType::answer) return;
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

void RequestIndex::clear() {
  is_made_ = false;
  responses_.clear();
}

}  // namespace whence::engine
