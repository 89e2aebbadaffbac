#include "graph/removal/log_records.hpp"

#include "graph/removal/copies.hpp"
#include "schema/json/json.hpp"
#include "schema/json/members.hpp"
#include "schema/types/edge_type.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace whence::graph {
namespace {

using schema::EdgeType;
using schema::RecordType;
using schema::VertexId;

// The names that telemetry has (net/capture/trace/refs).
constexpr std::string_view log_prefix = "urn:otel:log:";
constexpr std::string_view trace_prefix = "urn:otel:trace:";
constexpr std::string_view span_prefix = "urn:otel:span:";
constexpr std::string_view named_response_prefix = "urn:otel:response:";

bool is_log(Snapshot const& known, VertexId vertex) {
  return known.type(vertex) == RecordType::prov_entity && known.id(vertex).starts_with(log_prefix);
}

/// What a log record says of its place.
struct LogFacts {
  std::string span = {};  ///< empty where it names none
  bool is_answer = false;
};

LogFacts facts_in(schema::Record const& record) {
  auto const* const entity = std::get_if<schema::ProvEntity>(&record);
  if (entity == nullptr || !entity->attributes) return {};
  auto const attributes = schema::json::parse(entity->attributes->json);
  if (!attributes || !attributes->value.is_object()) return {};
  auto const parsed = schema::json::parse(schema::json::text_at(attributes->value.get_object(), "otel:facts"));
  if (!parsed || !parsed->value.is_object()) return {};
  auto const& facts = parsed->value.get_object();
  return {.span = std::string{schema::json::text_at(facts, "span")},
          .is_answer = facts.contains("output") || facts.contains("name") || facts.contains("score")};
}

std::string begin_of_spans(Snapshot const& known, VertexId trace) {
  return std::string{span_prefix} + std::string{known.id(trace).substr(trace_prefix.size())} + ':';
}

}  // namespace

void LogRecords::note_span(VertexId span) {
  for_each_neighbour(known_, known_.relations_from_ever(span), [&](VertexId named, EdgeType edge) {
    bool const is_named = edge == EdgeType::prov_alternate_of && known_.id(named).starts_with(named_response_prefix);
    if (is_named && is_noted_.insert(schema::number(named)).second) named_.push_back(named);
  });
}

Result<void> LogRecords::note_shared(VertexId trace) {
  if (!is_noted_.insert(schema::number(trace)).second) return {};
  std::vector<VertexId> logs;
  for_each_neighbour(known_, known_.effects_ever(trace), [&](VertexId log, EdgeType) {
    if (is_log(known_, log)) logs.push_back(log);
  });
  auto const begin = begin_of_spans(known_, trace);
  for (auto const log : logs) {
    auto const record = read_(log);
    if (!record) return record.error();
    auto const facts = *record ? facts_in(**record) : LogFacts{};
    if (facts.span.empty()) continue;
    for (auto const span : known_.find_all_ever(RecordType::prov_activity, begin + facts.span))
      of_spans_.push_back({log, span, facts.is_answer});
  }
  return {};
}

std::vector<VertexId> LogRecords::find(Which which, std::function<bool(VertexId)> const& is_own) const {
  std::vector<VertexId> found;
  for (auto const& each : of_spans_) {
    if ((which == Which::all || each.is_answer) && is_own(each.span)) found.push_back(each.log);
  }
  for (auto const named : named_) {
    bool is_theirs = true;
    for_each_neighbour(known_, known_.relations_to_ever(named), [&](VertexId span, EdgeType edge) {
      if (edge != EdgeType::prov_alternate_of) return;
      for_each_neighbour(known_, known_.relations_from_ever(span), [&](VertexId answer, EdgeType member) {
        is_theirs = is_theirs && (member != EdgeType::prov_had_member || is_own(answer));
      });
    });
    if (!is_theirs) continue;
    for_each_neighbour(known_, known_.effects_ever(named), [&](VertexId log, EdgeType) {
      if (is_log(known_, log)) found.push_back(log);
    });
  }
  return found;
}

Result<void> add_log_records(Snapshot const& known, ReadRecord const& read, std::vector<VertexId>& named) {
  LogRecords logs{known, read};
  std::unordered_set<std::uint32_t> own;
  std::vector<VertexId> traces;
  for (auto const answer : named) {
    if (known.type(answer) != RecordType::response) continue;
    own.insert(schema::number(answer));
    for_each_neighbour(known, known.relations_to_ever(answer), [&](VertexId span, EdgeType edge) {
      if (edge != EdgeType::prov_had_member || !known.id(span).starts_with(span_prefix)) return;
      own.insert(schema::number(span));
      logs.note_span(span);
      for_each_neighbour(known, known.causes_ever(span), [&](VertexId trace, EdgeType) {
        if (known.id(trace).starts_with(trace_prefix)) traces.push_back(trace);
      });
    });
  }
  for (auto const trace : traces) {
    if (auto const noted = logs.note_shared(trace); !noted) return noted;
  }
  auto const is_own = [&](VertexId each) {
    return own.contains(schema::number(each)) || known.gone(each) == GoneWhy::purged;
  };
  auto const found = logs.find(LogRecords::Which::answers, is_own);
  named.insert(named.end(), found.begin(), found.end());
  return {};
}

Result<std::vector<VertexId>> find_told(Snapshot const& known, ReadRecord const& read, VertexId log) {
  std::vector<VertexId> told;
  if (!is_log(known, log)) return told;
  auto const record = read(log);
  if (!record) return record.error();
  auto const facts = *record ? facts_in(**record) : LogFacts{};
  if (!facts.is_answer) return told;
  std::vector<VertexId> spans;
  for_each_neighbour(known, known.causes_ever(log), [&](VertexId cause, EdgeType) {
    auto const id = known.id(cause);
    if (id.starts_with(trace_prefix) && !facts.span.empty()) {
      auto const named = known.find_all_ever(RecordType::prov_activity, begin_of_spans(known, cause) + facts.span);
      spans.insert(spans.end(), named.begin(), named.end());
    }
    if (!id.starts_with(named_response_prefix)) return;
    for_each_neighbour(known, known.relations_to_ever(cause), [&](VertexId span, EdgeType edge) {
      if (edge == EdgeType::prov_alternate_of) spans.push_back(span);
    });
  });
  for (auto const span : spans) {
    for_each_neighbour(known, known.relations_from_ever(span), [&](VertexId answer, EdgeType edge) {
      if (edge == EdgeType::prov_had_member && known.type(answer) == RecordType::response) told.push_back(answer);
    });
  }
  return told;
}

}  // namespace whence::graph
