#include "net/capture/trace/trace_state.hpp"

#include "graph/snapshot/records.hpp"
#include "net/capture/trace/facts_json.hpp"
#include "net/capture/trace/refs.hpp"
#include "schema/records/prov/records.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace whence::net::capture {

Result<TraceState> read_trace(std::string_view trace, graph::Snapshot const& snapshot,
                              schema::RecordReader const& reader) {
  TraceState state;
  auto const ref = trace_ref(trace);
  auto const vertex = snapshot.find(ref.type, ref.id);
  if (!vertex) return state;
  auto const around = snapshot.effects(*vertex);
  auto const read =
      graph::read_those_there(snapshot, reader, around.vertices, [&](std::size_t, schema::Record&& record) {
        if (auto const* const activity = std::get_if<schema::ProvActivity>(&record)) {
          auto const name = span_of_ref(activity->id);
          auto facts = span_facts(*activity);
          if (name && facts) state.spans.emplace(name->span, std::move(*facts));
        } else if (auto const* const entity = std::get_if<schema::ProvEntity>(&record)) {
          auto facts = log_facts(*entity);
          if (facts) state.logs.emplace(facts->id, std::move(*facts));
        }
        return true;
      });
  if (!read) return read.error();
  return state;
}

Result<NamedResponse> read_named_response(schema::SecretKey const& key, std::string_view response_id,
                                          graph::Snapshot const& snapshot, schema::RecordReader const& reader) {
  NamedResponse response;
  auto const ref = named_response_ref(key, response_id);
  auto const vertex = snapshot.find(ref.type, ref.id);
  if (!vertex) return response;
  auto const around = snapshot.relations_to(*vertex);
  for (std::size_t i = 0; i < around.size(); ++i) {
    if (snapshot.type(around.edges[i]) != schema::EdgeType::prov_alternate_of) continue;
    if (response.calls.size() == calls_of_response_max) break;
    if (auto const call = span_of_ref(snapshot.id(around.vertices[i]))) response.calls.insert(*call);
  }
  constexpr std::size_t looked_at_max = 8192;  // calls that go on from it are among them, as many as there are
  std::vector<schema::VertexId> logs;
  auto const effects = snapshot.effects(*vertex);
  for (std::size_t i = 0; i < std::min(effects.size(), looked_at_max); ++i) {
    if (is_log_ref(snapshot.id(effects.vertices[i]))) logs.push_back(effects.vertices[i]);
  }
  auto const read = graph::read_those_there(snapshot, reader, logs, [&](std::size_t, schema::Record&& record) {
    auto const* const entity = std::get_if<schema::ProvEntity>(&record);
    auto facts = entity == nullptr ? std::nullopt : log_facts(*entity);
    if (facts && facts->evaluation) response.ratings.emplace(facts->id, std::move(*facts));
    return true;
  });
  if (!read) return read.error();
  return response;
}

}  // namespace whence::net::capture
