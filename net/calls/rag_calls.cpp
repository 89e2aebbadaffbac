// Searching before writing: what is recorded is what was answered.

#include "net/calls/rag_calls.hpp"

#include "net/params/params.hpp"
#include "net/state/service_state.hpp"
#include "queries/render/retrieval.hpp"
#include "queries/retrieval/retrieval.hpp"
#include "schema/base/text.hpp"
#include "schema/json/writer.hpp"

#include <utility>
#include <vector>

namespace whence::net {

namespace {

using schema::Retrieval;

engine::RetrievalRecording recording_of(queries::View const& view, queries::RagRetrieveParams const& asked,
                                        std::vector<Retrieval> const& found, schema::Time now) {
  engine::RetrievalRecording step;
  step.query = {.request_id = asked.request_id.value_or(""),
                .question = std::string(schema::trim_white_space(*asked.question)),
                .filters = asked.filters,
                .timestamp = now};
  step.embedding = {.vector = asked.vector,
                    .model_name = queries::model_of(view, asked),
                    .dimension = static_cast<std::int64_t>(asked.vector.size())};
  for (Retrieval const& each : found) {
    step.chunks.push_back({.rank = each.rank,
                           .chunk_id = each.chunk_id,
                           .content = each.content,
                           .metadata = each.metadata,
                           .similarity_score = each.similarity});
  }
  return step;
}

/// `timeout_ms` and `min_tx` mean nothing to a write, which is made from the newest state.
boost::json::object without_waiting(boost::json::object params) {
  params.erase("timeout_ms");
  params.erase("min_tx");
  return params;
}

}  // namespace

Result<std::string> record_retrieval(ServiceState& service, boost::json::object const& params,
                                     Progress const& progress) {
  auto const asked = parse_params<queries::RagRetrieveParams>(without_waiting(params));
  if (!asked) return asked.error();
  auto const view = service.view();
  if (auto const checked = queries::check_retrieve(view, *asked); !checked) return checked.error();
  auto const found = queries::retrieve(view, *asked, *progress.interrupt);
  if (!found) return found.error();
  engine::WriteBatch batch;
  batch.step = recording_of(view, *asked, *found, service.clock.now());
  batch.actor = progress.author.actor;
  batch.who = progress.author.who;
  auto const written = service.engine.write(std::move(batch));
  if (!written) return written.error();
  auto const& request_id = std::get<schema::Query>(written->made.value()).request_id;
  std::string text;
  schema::json::Writer out(text);
  out.begin_object().member("tx", number(written->tx)).member("complete", true);
  out.member("request_id", request_id).key("chunks").begin_array();
  for (Retrieval const& each : *found) queries::write_chunk(out, each);
  out.end_array().end_object();
  return text;
}

bool asks_to_record(boost::json::object const& params) {
  auto const* record = params.if_contains("record");
  return record != nullptr && record->is_bool() && record->get_bool();
}

}  // namespace whence::net
