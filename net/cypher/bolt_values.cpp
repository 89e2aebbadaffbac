// From values of Bolt to values of openCypher and back.

#include "net/cypher/bolt_values.hpp"

#include "queries/cypher/values/property_graph.hpp"
#include "schema/base/text.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <variant>

namespace whence::net {

namespace {

namespace cypher = queries::cypher;

/// Makes a value of openCypher from what a value of Bolt holds; the first failure stays.
class ParameterReader {
 public:
  explicit ParameterReader(cypher::Zones const& zones) : zones_{zones} {}

  [[nodiscard]] cypher::Value read(bolt::Value const& value) { return std::visit(*this, value.data); }
  [[nodiscard]] cypher::Map read_map(bolt::Map const& map) {
    cypher::Map result;
    for (auto const& entry : map) result.emplace(entry.key, read(entry.value));
    return result;
  }
  [[nodiscard]] std::optional<bolt::Failure> const& failure() const noexcept { return failure_; }

  cypher::Value operator()(std::monostate) { return {}; }
  cypher::Value operator()(bool value) { return value; }
  cypher::Value operator()(std::int64_t value) { return value; }
  cypher::Value operator()(double value) { return value; }
  cypher::Value operator()(std::string const& value) { return value; }
  cypher::Value operator()(bolt::Bytes const&) {
    return fail(bolt::FailureKind::type_error, "a parameter is bytes: texts, numbers, lists and maps are known");
  }
  cypher::Value operator()(bolt::List const& list) {
    cypher::List result;
    result.reserve(list.size());
    for (auto const& item : list) result.push_back(read(item));
    return result;
  }
  cypher::Value operator()(bolt::Map const& map) { return read_map(map); }
  cypher::Value operator()(cypher::Date value) { return value; }
  cypher::Value operator()(cypher::Time value) { return value; }
  cypher::Value operator()(cypher::LocalTime value) { return value; }
  cypher::Value operator()(cypher::LocalDateTime value) { return value; }
  cypher::Value operator()(cypher::DateTime value) {
    if (value.zone.empty()) return value;
    auto const* const rules = zones_.find(value.zone);
    if (rules == nullptr) return fail(bolt::FailureKind::argument_error, "this zone is not known: " + value.zone);
    value.offset = rules->offset_at(value.seconds);
    return value;
  }
  cypher::Value operator()(cypher::Duration value) {
    if (value.nanos >= 0) return value;
    --value.seconds;
    value.nanos += static_cast<std::int32_t>(cypher::nanos_per_second);
    return value;
  }

 private:
  cypher::Value fail(bolt::FailureKind kind, std::string message) {
    if (!failure_) failure_ = bolt::Failure{.kind = kind, .message = std::move(message)};
    return {};
  }

  cypher::Zones const& zones_;
  std::optional<bolt::Failure> failure_;
};

/// Ids of openCypher are below 2^63.
std::int64_t number_of(std::uint64_t id) {
  return static_cast<std::int64_t>(id);
}

/// Writes a value of openCypher.
class RowWriter {
 public:
  RowWriter(bolt::PackWriter& out, RowBound& bound) : out_{out}, bound_{bound} {}

  void write(cypher::Value const& value) {
    switch (value.type()) {
      case cypher::ValueType::null:
        return out_.null();
      case cypher::ValueType::boolean:
        return out_.boolean(*value.find_bool());
      case cypher::ValueType::integer:
        return out_.integer(*value.find_integer());
      case cypher::ValueType::floating:
        return out_.real(*value.find_double());
      case cypher::ValueType::text:
        return write_text(*value.find_text());
      case cypher::ValueType::list:
        out_.begin_list(value.find_list()->size());
        for (auto const& item : *value.find_list()) {
          if (!bound_.may_go_on()) return;
          write(item);
        }
        return;
      case cypher::ValueType::map:
        return write_map(*value.find_map());
      case cypher::ValueType::node:
        return write_node(*value.find_node());
      case cypher::ValueType::relation:
        return write_relation(*value.find_relation());
      case cypher::ValueType::path:
        return write_path(*value.find_path());
      case cypher::ValueType::date:
        return out_.date(*value.find<cypher::Date>());
      case cypher::ValueType::local_time:
        return out_.local_time(*value.find<cypher::LocalTime>());
      case cypher::ValueType::time:
        return out_.time(*value.find<cypher::Time>());
      case cypher::ValueType::local_date_time:
        return out_.local_date_time(*value.find<cypher::LocalDateTime>());
      case cypher::ValueType::date_time:
        return out_.date_time(*value.find_date_time());
      case cypher::ValueType::duration:
        return out_.duration(*value.find_duration());
    }
  }

 private:
  void write_text(std::string const& text) {
    if (bound_.may_go_on(text.size())) out_.text(text);
  }

  void write_map(cypher::Map const& map) {
    out_.begin_map(map.size());
    for (auto const& [key, value] : map) {
      if (!bound_.may_go_on()) return;
      out_.text(key);
      write(value);
    }
  }

  void write_node(cypher::Node const& node) {
    out_.begin_node(number_of(node.id), node.graph->labels_of(node.id));
    write_map(node.graph->node_properties(node.id));
    out_.end_node(cypher::element_id_of(*node.graph, node.id));
  }

  void write_relation(cypher::Relation const& relation) {
    auto const& graph = *relation.graph;
    out_.begin_relationship(number_of(relation.id), {.start = number_of(relation.from), .end = number_of(relation.to)},
                            graph.type_name(graph.type_of(relation)));
    write_map(graph.relation_properties(relation));
    auto const own = std::to_string(relation.id);
    auto const start = cypher::element_id_of(graph, relation.from);
    auto const end = cypher::element_id_of(graph, relation.to);
    out_.end_relationship({.own = own, .start = start, .end = end});
  }

  /// The place of `id` among those seen, from 0; the next one where it is new.
  static std::int64_t place_of(std::vector<std::uint64_t>& seen, std::uint64_t id) {
    auto const found = std::ranges::find(seen, id);
    auto const place = found - seen.begin();
    if (found == seen.end()) seen.push_back(id);
    return place;
  }

  void write_path(cypher::Path const& path) {
    std::vector<std::uint64_t> nodes;
    std::vector<std::uint64_t> relations;
    std::vector<cypher::Relation> first;  // of each of `relations`
    std::vector<std::int64_t> steps;
    auto const* const graph = path.nodes.front().graph;
    static_cast<void>(place_of(nodes, path.nodes.front().id));
    for (std::size_t i = 0; i < path.relations.size(); ++i) {
      auto const& relation = path.relations[i];
      bool const is_along = relation.from == path.nodes[i].id;
      auto const place = place_of(relations, relation.id) + 1;
      if (relations.size() > first.size()) first.push_back(relation);
      steps.push_back(is_along ? place : -place);
      steps.push_back(place_of(nodes, path.nodes[i + 1].id));
    }
    out_.begin_path();
    out_.begin_list(nodes.size());
    for (auto const id : nodes) write_node({.graph = graph, .id = id});
    out_.begin_list(first.size());
    for (auto const& relation : first) {
      out_.begin_unbound(number_of(relation.id), graph->type_name(graph->type_of(relation)));
      write_map(graph->relation_properties(relation));
      out_.end_unbound(std::to_string(relation.id));
    }
    out_.begin_list(steps.size());
    for (auto const step : steps) out_.integer(step);
  }

  bolt::PackWriter& out_;
  RowBound& bound_;
};

bolt::FailureKind kind_of(cypher::ErrorKind kind) noexcept {
  using bolt::FailureKind;
  switch (kind) {
    case cypher::ErrorKind::syntax_error:
      return FailureKind::syntax_error;
    case cypher::ErrorKind::semantic_error:
      return FailureKind::semantic_error;
    case cypher::ErrorKind::parameter_missing:
      return FailureKind::parameter_missing;
    case cypher::ErrorKind::type_error:
      return FailureKind::type_error;
    case cypher::ErrorKind::argument_error:
      return FailureKind::argument_error;
    case cypher::ErrorKind::arithmetic_error:
      return FailureKind::arithmetic_error;
    case cypher::ErrorKind::entity_not_found:
      return FailureKind::entity_not_found;
    case cypher::ErrorKind::procedure_error:
      return FailureKind::procedure_failed;
    case cypher::ErrorKind::writing_refused:
      return FailureKind::access_mode;
    case cypher::ErrorKind::limit_exceeded:
      return FailureKind::resource_exhausted;
    case cypher::ErrorKind::timeout:
      return FailureKind::transaction_timed_out;
    case cypher::ErrorKind::cancelled:
      return FailureKind::transaction_terminated;
    case cypher::ErrorKind::out_of_memory:
      return FailureKind::out_of_memory;
  }
  return FailureKind::execution_failed;
}

bool is_profiled(std::vector<cypher::PlanLine> const& plan) {
  return std::ranges::any_of(plan, [](cypher::PlanLine const& line) { return line.rows.has_value(); });
}

/// The operator at `at` with its sources; `at` is the one after them afterwards.
bolt::Map plan_from(std::vector<cypher::PlanLine> const& plan, std::size_t& at, bool is_profile) {
  auto const& line = plan[at++];
  bolt::List sources;
  while (at < plan.size() && plan[at].depth > line.depth) sources.push_back({plan_from(plan, at, is_profile)});
  bolt::Map arguments;
  arguments.push_back(bolt::entry_of("Details", line.detail));
  arguments.push_back(bolt::entry_of("EstimatedRows", line.estimate));
  bolt::Map made;
  made.push_back(bolt::entry_of("operatorType", line.name));
  made.push_back(bolt::entry_of("args", std::move(arguments)));
  made.push_back(bolt::entry_of("identifiers", bolt::List{}));
  if (is_profile) {
    made.push_back(bolt::entry_of("rows", number_of(line.rows.value_or(0))));
    made.push_back(bolt::entry_of("dbHits", number_of(line.steps.value_or(0))));
  }
  made.push_back(bolt::entry_of("children", std::move(sources)));
  return made;
}

/// What Neo4j calls a notice, in the order of `NameKind`.
struct NotificationRow {
  std::string_view code;
  std::string_view title;
};

constexpr NotificationRow notification_rows[] = {
    {"Neo.ClientNotification.Statement.UnknownLabelWarning", "The provided label is not in the schema."},
    {"Neo.ClientNotification.Statement.UnknownRelationshipTypeWarning",
     "The provided relationship type is not in the schema."},
    {"Neo.ClientNotification.Statement.UnknownPropertyKeyWarning", "The provided property key is not in the schema."},
    {"Neo.ClientNotification.Statement.NotComparable", "A comparison is null."},
    {"Neo.ClientNotification.Statement.CycleCut", "Paths do not follow every relation."},
};

/// Characters (code points) in front of a place.
std::int64_t offset_of(cypher::Place place, std::string_view text) {
  std::size_t begin = 0;
  for (std::uint32_t line = 1; line < place.line; ++line) begin = text.find('\n', begin) + 1;
  return static_cast<std::int64_t>(schema::code_points(text.substr(0, begin))) + place.column - 1;
}

bolt::Map notification_from(cypher::Notice const& notice, std::string_view text) {
  auto const& row = notification_rows[static_cast<std::size_t>(notice.kind)];
  bolt::Map position;
  position.push_back(bolt::entry_of("offset", offset_of(notice.place, text)));
  position.push_back(bolt::entry_of("line", std::int64_t{notice.place.line}));
  position.push_back(bolt::entry_of("column", std::int64_t{notice.place.column}));
  bolt::Map made;
  made.push_back(bolt::entry_of("code", std::string{row.code}));
  made.push_back(bolt::entry_of("title", std::string{row.title}));
  made.push_back(bolt::entry_of("description", notice.message));
  made.push_back(bolt::entry_of("severity", std::string{"WARNING"}));
  bool const is_of_name = notice.kind < cypher::NameKind::none;
  made.push_back(bolt::entry_of("category", std::string{is_of_name ? "UNRECOGNIZED" : "GENERIC"}));
  made.push_back(bolt::entry_of("position", std::move(position)));
  return made;
}

}  // namespace

bolt::Outcome<cypher::Map> cypher_parameters(bolt::Map const& parameters, cypher::Zones const& zones) {
  ParameterReader reader{zones};
  auto read = reader.read_map(parameters);
  if (reader.failure()) return *reader.failure();
  return read;
}

void write_bolt(bolt::PackWriter& out, cypher::Value const& value, RowBound& bound) {
  RowWriter{out, bound}.write(value);
}

bolt::Failure bolt_failure(cypher::QueryError const& error) {
  bolt::Failure failure{.kind = kind_of(error.kind), .message = error.message};
  if (error.place.line != 0) {
    failure.message +=
        " (line " + std::to_string(error.place.line) + ", column " + std::to_string(error.place.column) + ")";
  }
  if (!error.excerpt.empty()) failure.message += "\n" + error.excerpt;
  return failure;
}

bolt::List bolt_notifications(std::vector<cypher::Notice> const& notices, std::string_view text) {
  bolt::List made;
  for (auto const& notice : notices) made.push_back({notification_from(notice, text)});
  return made;
}

bolt::Value bolt_plan(std::vector<cypher::PlanLine> const& plan) {
  if (plan.empty()) return {};
  std::size_t at = 0;
  return {plan_from(plan, at, is_profiled(plan))};
}

}  // namespace whence::net
