#include "tests/cypher/histories.hpp"

#include "queries/cypher/whence/json_value.hpp"
#include "queries/view/whole.hpp"
#include "schema/json/json.hpp"
#include "schema/types/edge_type.hpp"
#include "schema/types/ref.hpp"
#include "schema/wire/codec.hpp"

#include <algorithm>

#include <boost/json/object.hpp>

namespace whence::tests {
namespace {

constexpr int transactions = 9;
/// The id of the virtual relation of an edge, as the engine has it.
constexpr std::uint64_t virtual_bit = std::uint64_t{1} << 40;

schema::Time committed_at(std::uint64_t tx) {
  return test::at_second(3600 + static_cast<std::int64_t>(tx) * 60);
}

std::string name_of_number(schema::Carries carries) {
  if (carries == schema::Carries::weight) return "weight";
  if (carries == schema::Carries::version) return "version";
  if (carries == schema::Carries::score) return "score";
  if (carries == schema::Carries::confidence) return "confidence";
  return carries == schema::Carries::similarity ? "similarity" : "";
}

}  // namespace

EngineHistory::EngineHistory(std::uint64_t seed) : random_(seed) {
  moments_.push_back(read());
  times_.push_back(committed_at(0));
  while (moments_.size() <= transactions) take(next_batch());
}

queries::View EngineHistory::view() const {
  auto const& engine = *asked_.engine;
  return {.snapshot = engine.snapshot(),
          .records = &engine.records(),
          .vectors = &engine.vectors(),
          .columns = engine.columns()};
}

NaiveGraph const* EngineHistory::at(Moment const& moment) const {
  if (!moment.is_time) {
    auto const tx = static_cast<std::size_t>(moment.tx);
    return tx < moments_.size() ? &moments_[tx] : nullptr;
  }
  std::size_t last = 0;
  for (std::size_t tx = 1; tx < times_.size(); ++tx) {
    if (times_[tx] <= moment.time) last = tx;
  }
  return &moments_[last];
}

Vocabulary EngineHistory::words() const {
  Vocabulary words{.labels = {"ContextUnit", "Response", "FeedbackRecord", "Node", "ContextUnit"},
                   .types = {"USED_IN", "DERIVED_FROM", "UPDATED_BY", "EVALUATES", "INFLUENCES", "INFLUENCES"},
                   .node_integers = {"tx", "version", "feedbacks"},
                   .node_reals = {"score"},
                   .node_texts = {"id", "source", "status", "ref", "agent"},
                   .node_booleans = {},
                   .node_lists = {},
                   .relation_integers = {"tx"},
                   .relation_reals = {"weight", "score"},
                   .texts = {"active", "updated", "deprecated", "file:a", "agent", ""},
                   .newest = moments_.size() - 1,
                   .times = {}};
  for (std::size_t i = 0; i < units_.size() && i < 4; ++i) words.texts.push_back(units_[i]);
  if (!responses_.empty()) words.texts.push_back("Response:" + responses_[0]);
  for (auto const& time : times_) words.times.push_back(schema::format_rfc3339(time));
  words.times.push_back(schema::format_rfc3339(schema::plus_seconds(times_.back(), 30)));
  return words;
}

schema::ContextUnit EngineHistory::next_unit() {
  auto made = test::unit("cu_" + std::to_string(next_++), below(2) == 0 ? "file:a" : "tool:b");
  if (!newest_.empty() && below(3) == 0) {
    auto const index = below(newest_.size());
    made.previous_version_id = newest_[index];
    made.version = 2;
    newest_.erase(newest_.begin() + static_cast<std::ptrdiff_t>(index));
    if (!responses_.empty() && below(2) == 0) made.updated_by_response_id = pick(responses_);
  } else {
    newest_.push_back(made.id);
  }
  if (!units_.empty() && below(3) == 0 && made.previous_version_id != units_.back())
    made.derived_from = std::vector{units_.back()};
  return made;
}

/// A few records; now and then the deletion of a node. Some batches are refused, alike by both engines.
engine::WriteBatch EngineHistory::next_batch() {
  if (units_.size() > 3 && below(5) == 0) {
    engine::WriteBatch removal{.force = true};
    auto const text = "ContextUnit:" + pick(units_);
    removal.deletes.push_back(schema::parse_ref(text).value());
    return removal;
  }
  std::vector<schema::Record> records;
  for (auto count = 1 + below(2); count > 0; --count) {
    auto unit = next_unit();
    records.emplace_back(std::move(unit));
  }
  if (!units_.empty() && below(3) != 0) {
    std::vector<std::string> used{pick(units_)};
    if (auto const& other = pick(units_); other != used[0]) used.push_back(other);
    test::Uses uses;
    for (auto const& id : used) uses.push_back({id, 1.0 / static_cast<double>(used.size())});
    records.emplace_back(test::response("resp_" + std::to_string(next_++), std::move(uses)));
  }
  if (!responses_.empty() && below(2) == 0) {
    constexpr double scores[] = {-1, -0.75, 0.5, 1};
    auto made = test::feedback("fb_" + std::to_string(next_++), pick(responses_), scores[below(4)]);
    made.timestamp = test::at_second(10);
    records.emplace_back(std::move(made));
  }
  return test::batch(std::move(records));
}

void EngineHistory::take(engine::WriteBatch const& batch) {
  auto const time = committed_at(moments_.size());
  asked_.clock.set(time);
  replayed_.clock.set(time);
  auto const answer = asked_.write_batch(batch);
  auto const again = replayed_.write_batch(batch);
  if (answer.has_value() != again.has_value()) throw std::runtime_error("two engines differ on one batch");
  if (!answer || answer->is_unchanged) return;
  for (auto const& each : batch.records) {
    auto const id = schema::node_id_of(each.record);
    if (schema::type_of(each.record) == schema::RecordType::context_unit) units_.push_back(id);
    if (schema::type_of(each.record) == schema::RecordType::response) responses_.push_back(id);
  }
  for (auto const& each : batch.deletes) {
    std::erase(units_, each.id);
    std::erase(newest_, each.id);
  }
  moments_.push_back(read());
  times_.push_back(time);
}

NaiveGraph EngineHistory::read() const {
  auto const& engine = *replayed_.engine;
  auto const snapshot = engine.snapshot();
  queries::View const view{.snapshot = snapshot, .records = &engine.records(), .vectors = &engine.vectors()};
  NaiveGraph made;
  std::vector<graph::VertexId> vertices;
  for (std::uint32_t i = 0; i < snapshot.vertex_count(); ++i) {
    graph::VertexId const vertex{i};
    if (snapshot.is_deleted(vertex)) continue;
    vertices.push_back(vertex);
    auto const type = snapshot.type(vertex);
    NaiveNode node{.id = i, .labels = {std::string{schema::name_of(type)}, "Node"}, .properties = {}};
    node.properties["ref"] = schema::format_ref(type, snapshot.id(vertex));
    node.properties["id"] = std::string{snapshot.id(vertex)};
    node.properties["tx"] = static_cast<std::int64_t>(schema::number(snapshot.created(vertex)));
    if (type == schema::RecordType::context_unit) {
      auto const state = snapshot.state(vertex);
      node.properties["status"] = std::string{schema::name_of(state.status)};
      node.properties["score"] = state.score;
      node.properties["feedbacks"] = static_cast<std::int64_t>(state.count);
    }
    made.all_nodes.push_back(std::move(node));
    auto const add = [&](graph::EdgeId edge, graph::EdgeView const& ends, bool influences) {
      NaiveRelation relation{.id = schema::number(edge),
                             .from = schema::number(ends.from),
                             .to = schema::number(ends.to),
                             .type = std::string{schema::name_of(ends.type)},
                             .properties = {{"tx", static_cast<std::int64_t>(schema::number(ends.tx))}}};
      auto const name = name_of_number(schema::carried_by(ends.type));
      if (!name.empty() && ends.value) relation.properties[name] = *ends.value;
      if (auto const rank = snapshot.rank(edge)) relation.properties["rank"] = static_cast<std::int64_t>(rank);
      made.all_relations.push_back(relation);
      if (!influences) return;
      // From the cause, whichever end of the edge that is.
      bool const is_along = schema::influence_of(ends.type, snapshot.type(ends.from)) == schema::Influence::along;
      relation.properties["type"] = relation.type;
      relation.id |= virtual_bit;
      relation.type = "INFLUENCES";
      relation.is_virtual = true;
      if (!is_along) std::swap(relation.from, relation.to);
      made.all_relations.push_back(std::move(relation));
    };
    auto const causes = snapshot.causes(vertex);
    for (std::size_t k = 0; k < causes.size(); ++k)
      add(causes.edges[k], snapshot.edge(causes.vertices[k], vertex, causes.edges[k]), true);
    auto const relations = snapshot.relations_from(vertex);
    for (std::size_t k = 0; k < relations.size(); ++k)
      add(relations.edges[k], snapshot.edge(vertex, relations.vertices[k], relations.edges[k]), false);
  }
  queries::read_those_there(view, vertices, [&](std::size_t i, schema::Record&& record) {
    auto const parsed = schema::json::parse(schema::json::to_text(record));
    for (auto const& member : parsed->value.get_object()) {
      if (std::string_view{member.key()} == schema::json::type_member) continue;
      // The one member that is a time, and the one that is a float, also where it is whole.
      std::string_view const name = member.key();
      auto const time =
          name == "timestamp" ? schema::parse_rfc3339(std::string_view{member.value().get_string()}) : std::nullopt;
      auto value = name == "score" ? Value{member.value().to_number<double>()} : from_json(member.value());
      made.all_nodes[i].properties.emplace(std::string{name}, time ? from_time(*time) : std::move(value));
    }
    return true;
  }).value();
  return made;
}

}  // namespace whence::tests
