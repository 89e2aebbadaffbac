#include "tests/engine/writer/history_oracle.hpp"

#include <cmath>
#include <cstdio>
#include <functional>
#include <optional>

namespace whence::test {
namespace {

using graph::UnitStatus;
using schema::ContextUnit;
using schema::NodeRef;
using schema::RecordType;
using schema::Response;

/// An edge that a reference of a record adds, written by hand for each type.
struct ExpectedEdge {
  std::string from;
  std::string type;
  std::string to;
  std::optional<double> value;
  NodeRef other;
  bool is_cause;  ///< `other` influences the record
};

void add_unit_edges(ContextUnit const& unit, std::vector<ExpectedEdge>& edges) {
  auto const add = [&](std::string type, std::string const& to, std::optional<double> value, RecordType other) {
    edges.push_back({unit.id, std::move(type), to, value, {other, to}, true});
  };
  if (unit.previous_version_id) {
    add("DERIVED_FROM", *unit.previous_version_id, static_cast<double>(unit.version), RecordType::context_unit);
  }
  if (unit.updated_by_response_id) add("UPDATED_BY", *unit.updated_by_response_id, {}, RecordType::response);
  for (auto const& source : unit.derived_from.value_or(std::vector<std::string>{})) {
    if (source != unit.previous_version_id) add("DERIVED_FROM", source, {}, RecordType::context_unit);
  }
}

std::vector<ExpectedEdge> expected_edges_of(schema::Record const& record) {
  std::vector<ExpectedEdge> edges;
  if (auto const* unit = std::get_if<ContextUnit>(&record)) add_unit_edges(*unit, edges);
  if (auto const* response = std::get_if<Response>(&record)) {
    for (auto const& use : response->context_units) {
      edges.push_back({use.context_unit_id,
                       "USED_IN",
                       response->id,
                       use.weight,
                       {RecordType::context_unit, use.context_unit_id},
                       true});
    }
  }
  if (auto const* feedback = std::get_if<schema::FeedbackRecord>(&record)) {
    edges.push_back({feedback->id,
                     "EVALUATES",
                     feedback->response_id,
                     feedback->score,
                     {RecordType::response, feedback->response_id},
                     false});
  }
  if (auto const* message = std::get_if<schema::Message>(&record)) {
    edges.push_back({message->id, "PART_OF", message->topic_id, {}, {RecordType::topic, message->topic_id}, false});
  }
  return edges;
}

NodeRef ref_of(schema::Record const& record) {
  return {schema::type_of(record), schema::node_id_of(record)};
}

bool has_good_fields(schema::Record const& record) {
  if (auto const* feedback = std::get_if<schema::FeedbackRecord>(&record))
    return std::abs(feedback->score.value()) <= 1;
  auto const* response = std::get_if<Response>(&record);
  if (response == nullptr) return true;
  double sum = 0;
  for (auto const& use : response->context_units) sum += use.weight;
  return std::abs(sum - 1) <= 0.01 + 1e-9;
}

template <class Record>
Record const& get(Model const& model, RecordType type, std::string const& id) {
  return std::get<Record>(model.records.at({type, id}).record);
}

bool is_state_fine(Model const& model, schema::Record const& record) {
  if (auto const* feedback = std::get_if<schema::FeedbackRecord>(&record)) {
    return feedback->timestamp >= get<Response>(model, RecordType::response, feedback->response_id).timestamp;
  }
  auto const* unit = std::get_if<ContextUnit>(&record);
  if (unit == nullptr || !unit->previous_version_id) return unit == nullptr || unit->version == 1;
  if (unit->version != get<ContextUnit>(model, RecordType::context_unit, *unit->previous_version_id).version + 1) {
    return false;
  }
  int successors = 0;
  for (auto const& [ref, kept] : model.records) {
    auto const* other = std::get_if<ContextUnit>(&kept.record);
    successors += other != nullptr && other->previous_version_id == unit->previous_version_id;
  }
  return successors == 1;
}

/// Whether walking causes from any record leads back to it.
bool has_cycle(Model const& model) {
  std::map<NodeRef, int> seen;  // 1: on the way, 2: done
  std::function<bool(NodeRef const&)> const visit = [&](NodeRef const& ref) {
    if (seen[ref] != 0) return seen[ref] == 1;
    seen[ref] = 1;
    for (auto const& each : expected_edges_of(model.records.at(ref).record)) {
      if (each.is_cause && visit(each.other)) return true;
    }
    seen[ref] = 2;
    return false;
  };
  for (auto const& [ref, kept] : model.records) {
    if (visit(ref)) return true;
  }
  return false;
}

/// The changes of state that `fresh` bring, in order.
void follow(Model& model, std::vector<schema::Record> const& fresh, double deprecate_below) {
  std::set<std::string> fallen;
  for (auto const& record : fresh) {
    if (auto const* unit = std::get_if<ContextUnit>(&record); unit != nullptr && unit->previous_version_id) {
      auto& status = model.states[*unit->previous_version_id].status;
      if (status != UnitStatus::deprecated) status = UnitStatus::updated;
    }
    auto const* feedback = std::get_if<schema::FeedbackRecord>(&record);
    if (feedback == nullptr) continue;
    for (auto const& use : get<Response>(model, RecordType::response, feedback->response_id).context_units) {
      auto& state = model.states[use.context_unit_id];
      state.score = (state.score * state.count + feedback->score.value() * use.weight) / (state.count + 1);
      ++state.count;
      if (state.score < deprecate_below) fallen.insert(use.context_unit_id);
    }
  }
  for (auto const& id : fallen) model.states[id].status = UnitStatus::deprecated;
}

}  // namespace

std::string edge_text(std::string_view from, std::string_view type, std::string_view to, std::optional<double> value) {
  char number[40] = "-";
  if (value) std::snprintf(number, sizeof number, "%.17g", *value);
  return std::string(from) + ' ' + std::string(type) + ' ' + std::string(to) + ' ' + number;
}

std::set<std::string> Model::edges() const {
  std::set<std::string> texts;
  for (auto const& [ref, kept] : records) {
    for (auto const& each : expected_edges_of(kept.record))
      texts.insert(edge_text(each.from, each.type, each.to, each.value));
  }
  return texts;
}

std::string HistoryOracle::write(std::vector<schema::Record> const& batch) {
  auto model = versions_.back();
  std::vector<schema::Record> fresh;
  for (auto const& record : batch) {
    if (!has_good_fields(record)) return "refused";
    auto const [place, is_new] = model.records.try_emplace(ref_of(record), Model::Kept{record, head() + 1});
    if (!is_new && place->second.record != record) return "refused";
    if (is_new) fresh.push_back(record);
  }
  for (auto const& record : fresh) {
    for (auto const& each : expected_edges_of(record)) {
      if (!model.records.contains(each.other)) return "refused";
    }
    if (!is_state_fine(model, record)) return "refused";
  }
  if (has_cycle(model)) return "refused";
  if (fresh.empty()) return "unchanged " + std::to_string(head());
  follow(model, fresh, deprecate_below_);
  versions_.push_back(std::move(model));
  return "ok " + std::to_string(head());
}

}  // namespace whence::test
