// The world of the query tests. Running scores and statuses follow the same rules as the engine's, written again, so
// that these tests need no engine.

#include "tests/queries/fixture.hpp"

#include "schema/json/json.hpp"
#include "schema/records/links.hpp"
#include "schema/types/ref.hpp"

namespace whence::test {
namespace {

constexpr double deprecate_below = -0.5;

std::string id_part(std::string_view ref_text) {
  return std::string(ref_text.substr(ref_text.find(':') + 1));
}

std::string joined(std::string const& all, std::string const& next) {
  return all.empty() ? next : all + " " + next;
}

}  // namespace

void RecordsInMemory::put(schema::VertexId vertex, schema::Record record) {
  if (auto* response = std::get_if<schema::Response>(&record)) response->context_units.clear();
  if (auto* chunk = std::get_if<schema::RetrievedChunk>(&record)) {
    chunk->request_id.reset();
    chunk->rank.reset();
    chunk->similarity_score.reset();
  }
  records_.emplace(vertex, std::move(record));
}

Result<void> RecordsInMemory::read(std::span<schema::ContentId const> contents,
                                   std::function<bool(std::size_t, schema::StoredContent&&)> const& visit) const {
  for (std::size_t i = 0; i < contents.size(); ++i) {
    auto const found = records_.find(contents[i].vertex);
    if (found == records_.end()) return Error{.code = Errc::corrupt, .message = "no content"};
    if (!visit(i, schema::Record(found->second))) break;
  }
  return {};
}

schema::VertexId RecordWorld::find(schema::RecordType type, std::string_view id) const {
  return graph_.pending().find(type, id).value();
}

void RecordWorld::begin() {
  graph_.begin(schema::TxId{batches_.size()}, committed_at(batches_.size()));
}

void RecordWorld::end() {
  graph_.end();
  vectors_.publish();
  graph_.publish();
}

void RecordWorld::add_vertex(schema::Record const& record) {
  auto const id = schema::node_id_of(record);
  auto const* const chunk = std::get_if<schema::RetrievedChunk>(&record);
  if (chunk != nullptr && graph_.pending().find(schema::RecordType::retrieved_chunk, id)) return;
  auto const vertex = graph_.add_vertex(schema::type_of(record), id, schema::time_of(record));
  records_.put(vertex, record);
  if (chunk != nullptr && chunk->embedding) {
    vectors_.append(vertex, schema::TxId{batches_.size()}, *chunk->embedding,
                    chunk->embedding_model.value_or(std::string(schema::default_embedding_model)));
  }
}

void RecordWorld::commit(std::vector<schema::Record> const& records) {
  batches_.push_back(records);
  begin();
  for (auto const& record : records) add_vertex(record);
  for (auto const& record : records) add_edges(record);
  for (auto const& record : records) {
    if (auto const* unit = std::get_if<schema::ContextUnit>(&record)) add_version(*unit);
    if (auto const* feedback = std::get_if<schema::FeedbackRecord>(&record)) add_feedback(*feedback);
  }
  end();
}

void RecordWorld::remove(std::initializer_list<std::string_view> refs) {
  batches_.emplace_back();
  begin();
  for (auto const each : refs) {
    auto const name = schema::parse_ref(each).value();
    graph_.hide(find(name.type, name.id));
  }
  end();
}

void RecordWorld::add_edges(schema::Record const& record) {
  auto const owner = find(schema::type_of(record), schema::node_id_of(record));
  bool const is_retrieval =
      std::holds_alternative<schema::RetrievedChunk>(record) && std::get<schema::RetrievedChunk>(record).request_id;
  for (auto const& link : schema::links_of(record)) {
    if (is_retrieval && link.type == graph::EdgeType::part_of) continue;
    auto const other = graph_.pending().find(link.other_type, link.other_id());
    if (!other && !link.is_enforced) continue;
    auto const from = link.owner_is_from ? owner : other.value();
    auto const to = link.owner_is_from ? other.value() : owner;
    if (link.type == graph::EdgeType::included_in && !inclusions_.emplace(link.type, from, to).second) continue;
    graph_.add_edge(link.type, from, to, link.value, link.rank);
  }
}

void RecordWorld::add_version(schema::ContextUnit const& unit) {
  if (!unit.previous_version_id) return;
  auto const previous = find(schema::RecordType::context_unit, *unit.previous_version_id);
  auto state = graph_.pending().state(previous);
  if (state.status == graph::UnitStatus::deprecated) return;
  state.status = graph::UnitStatus::updated;
  graph_.set_state(previous, graph::StateCause::updated, state);
}

void RecordWorld::add_feedback(schema::FeedbackRecord const& feedback) {
  auto const snapshot = graph_.pending();
  auto const response = find(schema::RecordType::response, feedback.response_id);
  auto const causes = snapshot.causes(response);
  for (std::size_t i = 0; i < causes.size(); ++i) {
    if (snapshot.type(causes.edges[i]) != graph::EdgeType::used_in) continue;
    auto state = graph_.pending().state(causes.vertices[i]);
    double const weight = snapshot.value(causes.edges[i]).value();
    state.score = (state.score * state.count + feedback.score.value() * weight) / (state.count + 1);
    ++state.count;
    graph_.set_state(causes.vertices[i], graph::StateCause::feedback, state);
    if (state.score >= deprecate_below || state.status == graph::UnitStatus::deprecated) continue;
    state.status = graph::UnitStatus::deprecated;
    graph_.set_state(causes.vertices[i], graph::StateCause::deprecated, state);
  }
}

schema::Time committed_at(std::uint64_t tx) {
  return at_second(static_cast<std::int64_t>(tx) * 60);
}

queries::Budget unlimited() {
  static schema::NoInterrupt const never;
  return {never, 1'000'000};
}

queries::NodeRef ref(std::string_view text) {
  return schema::parse_ref(text).value();
}

std::vector<queries::NodeRef> refs(std::initializer_list<std::string_view> texts) {
  std::vector<queries::NodeRef> result;
  for (auto const text : texts) result.push_back(ref(text));
  return result;
}

std::string text_of(Result<queries::PageSource> const& answer) {
  auto const& content = answer.value();
  std::string written;
  schema::json::Writer out(written);
  out.begin_object();
  if (content.write_members) content.write_members(out);
  for (auto const& list : content.lists) {
    out.key(list.name).begin_array();
    list.write(out, 0, list.size).value();
    out.end_array();
  }
  for (auto const& attached : content.attached) {
    out.key(attached.name).begin_array();
    for (std::size_t i = 0; i < attached.anchors.size(); ++i) attached.write(out, i).value();
    out.end_array();
  }
  out.end_object();
  return written;
}

boost::json::object json_of(Result<queries::PageSource> const& answer) {
  return schema::json::parse(text_of(answer)).value().value.as_object();
}

std::string refs_of(boost::json::object const& answer, std::string_view list) {
  std::string all;
  for (auto const& node : answer.at(list).as_array()) all = joined(all, std::string(node.at("ref").as_string()));
  return all;
}

std::string edges_of(boost::json::object const& answer) {
  std::string all;
  for (auto const& edge : answer.at("edges").as_array()) {
    all = joined(all, id_part(edge.at("from").as_string()) + ">" + id_part(edge.at("to").as_string()));
  }
  return all;
}

std::string text(boost::json::value const& value) {
  return schema::json::to_text(value);
}

}  // namespace whence::test
