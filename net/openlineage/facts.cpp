#include "net/openlineage/facts.hpp"

#include "schema/base/digest.hpp"
#include "schema/json/json.hpp"
#include "schema/records/prov/relations.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

namespace whence::net::openlineage {

namespace {

namespace json = boost::json;
using schema::NodeRef;
using schema::RecordType;

constexpr std::string_view vocabulary = "https://openlineage.io/spec/";
constexpr std::string_view facts_member = "openlineage:facts";
constexpr std::string_view facets_member = "openlineage:facets";
constexpr std::string_view job_namespace = "urn:openlineage:job:";
constexpr std::string_view run_namespace = "urn:uuid:";

/// A name as PROV writes it: a prefix, the IRI that it stands for, and the rest.
struct QName {
  std::string prefix;
  std::string iri;
  std::string local;

  [[nodiscard]] std::string text() const { return prefix + ":" + local; }
  [[nodiscard]] std::string id() const { return schema::prov_id(iri + local); }
};

/// Every namespace has a prefix of its own, whose number is made of the namespace.
QName qname(Name const& dataset, std::string const& rest = {}) {
  auto const number = schema::to_hex(schema::sha256(dataset.space)).substr(0, 8);
  return {"ds" + number, dataset.space + "/", dataset.name + rest};
}

QName job_qname(Name const& job, std::string const& rest = {}) {
  return {"job", std::string(job_namespace), job.space + "/" + job.name + rest};
}

QName run_qname(RunKey const& run) {
  if (run.uuid.empty()) return job_qname(run.job, "#declared");
  return {"run", std::string(run_namespace), run.uuid};
}

std::string text_of(RunKey const& run) {
  return run.uuid.empty() ? "job=" + run.job.space + "/" + run.job.name : "run=" + run.uuid;
}

QName version_qname(Name const& dataset, RunKey const& run) {
  return qname(dataset, "#" + text_of(run));
}

QName reading_qname(Name const& dataset, ReadingFacts const& reading) {
  auto const of = reading.of ? "&of:" + text_of(*reading.of) : std::string{};
  return qname(dataset, "#read-by:" + text_of(reading.run) + of);
}

/// A record while it is made: its node, with the prefixes of all the names in it.
class Making {
 public:
  Making(QName name, std::string_view type, std::string_view label) : name_(std::move(name)) {
    node.id = name_.id();
    node.qname = name_.text();
    node.relations.emplace();
    use(name_);
    use({"openlineage", std::string(vocabulary), {}});
    attributes["prov:label"] = label;
    attributes["prov:type"] = json::object{{"$", "openlineage:" + std::string(type)}, {"type", "prov:QUALIFIED_NAME"}};
  }

  void relate(std::string_view relation, QName const& other, RecordType type, std::string_view time = {}) {
    auto const* const info = schema::find_prov_relation(relation);
    use(other);
    json::object arguments{{info->subject, node.qname}, {info->object, other.text()}};
    if (!time.empty()) arguments["prov:time"] = time;
    node.relations->push_back({.relation = std::string(relation),
                               .other = schema::format_ref({type, other.id()}),
                               .attributes = {schema::json::to_sorted_text(json::value(arguments))}});
  }

  /// What other records depend on, and what the facets say.
  void tell(json::object facts, Facets const& facets) {
    json::object bodies;
    json::object times;
    for (auto const& [name, facet] : facets) {
      times[name] = schema::format_rfc3339(facet.time);
      if (facet.json.empty()) continue;
      auto const body = schema::json::parse(facet.json);
      if (body) bodies[name] = body->value;
    }
    facts["times"] = std::move(times);
    attributes[facts_member] = schema::json::to_sorted_text(json::value(std::move(facts)));
    attributes[facets_member] = schema::json::to_sorted_text(json::value(std::move(bodies)));
  }

  [[nodiscard]] schema::ProvNode take() {
    if (node.relations->empty()) node.relations.reset();
    std::ranges::sort(prefixes_.entries);
    node.prefixes = std::move(prefixes_);
    node.attributes = schema::ProvAttributes{schema::json::to_sorted_text(json::value(std::move(attributes)))};
    return std::move(node);
  }

  schema::ProvNode node;
  json::object attributes;

 private:
  void use(QName const& name) {
    std::pair<std::string, std::string> const entry{name.prefix, name.iri};
    auto& known = prefixes_.entries;
    if (std::ranges::find(known, entry) == known.end()) known.push_back(entry);
  }

  QName name_;
  schema::PrefixMap prefixes_;
};

// --- facts as JSON ---

json::array json_of(Name const& name) {
  return {name.space, name.name};
}

template <class Names>
json::array json_of(Names const& names) {
  json::array list;
  for (auto const& each : names) list.push_back(json_of(each));
  return list;
}

json::value json_of(RunKey const& run) {
  return run.uuid.empty() ? json::value(json_of(run.job)) : json::value(run.uuid);
}

void put_span(json::object& to, Span const& span) {
  to["begin"] = schema::format_rfc3339(span.begin);
  to["end"] = schema::format_rfc3339(span.end);
}

std::string text_at(json::object const& from, std::string_view name) {
  auto const* const held = from.if_contains(name);
  return held != nullptr && held->is_string() ? std::string(held->get_string()) : std::string{};
}

std::optional<schema::Time> time_at(json::object const& from, std::string_view name) {
  return schema::parse_rfc3339(text_at(from, name));
}

std::optional<Name> name_from(json::value const* held) {
  auto const* const parts = held == nullptr ? nullptr : held->if_array();
  if (parts == nullptr || parts->size() != 2 || !(*parts)[0].is_string() || !(*parts)[1].is_string()) {
    return std::nullopt;
  }
  return Name{std::string((*parts)[0].get_string()), std::string((*parts)[1].get_string())};
}

std::set<Name> names_at(json::object const& from, std::string_view member) {
  std::set<Name> names;
  auto const* const held = from.if_contains(member);
  if (held == nullptr || !held->is_array()) return names;
  for (auto const& each : held->get_array()) {
    if (auto name = name_from(&each)) names.insert(std::move(*name));
  }
  return names;
}

std::optional<RunKey> run_at(json::object const& from, std::string_view member) {
  auto const* const held = from.if_contains(member);
  if (held != nullptr && held->is_string()) return RunKey{.uuid = std::string(held->get_string())};
  auto job = name_from(held);
  if (!job) return std::nullopt;
  return RunKey{.job = std::move(*job)};
}

Span span_in(json::object const& from) {
  return {time_at(from, "begin").value_or(schema::Time{}), time_at(from, "end").value_or(schema::Time{})};
}

/// The object that a text within `attributes` holds.
json::object object_at(json::object const& attributes, std::string_view member) {
  auto parsed = schema::json::parse(text_at(attributes, member));
  return parsed && parsed->value.is_object() ? std::move(parsed->value.get_object()) : json::object{};
}

/// What a record of ours says; nothing where it is somebody else's.
struct Told {
  json::object facts;
  Facets facets;
};

std::optional<Told> told_by(schema::ProvNode const& node) {
  if (!node.attributes) return std::nullopt;
  auto const attributes = schema::json::parse(node.attributes->json);
  if (!attributes || !attributes->value.is_object()) return std::nullopt;
  auto const& members = attributes->value.get_object();
  if (!members.contains(facts_member)) return std::nullopt;
  Told told{.facts = object_at(members, facts_member), .facets = {}};
  auto const bodies = object_at(members, facets_member);
  auto const* const times = told.facts.if_contains("times");
  if (times == nullptr || !times->is_object()) return std::nullopt;
  for (auto const& each : times->get_object()) {
    auto const* const body = bodies.if_contains(each.key());
    FacetState state{.time = time_at(times->get_object(), each.key()).value_or(schema::Time{})};
    if (body != nullptr) state.json = schema::json::to_canonical_text(*body);
    told.facets.emplace(each.key(), std::move(state));
  }
  return told;
}

}  // namespace

Span RunFacts::span() const {
  Span span{.begin = start.value_or(first)};
  span.end = std::max(end.value_or(span.begin), span.begin);
  return span;
}

bool is_before(VersionFacts const& writer, RunKey const& reader, Span const& reading) {
  if (writer.span.end != reading.begin) return writer.span.end < reading.begin;
  bool const are_moments = writer.span.begin == writer.span.end && reading.begin == reading.end;
  return !are_moments || writer.run < reader;
}

NodeRef dataset_ref(Name const& dataset) {
  return {RecordType::prov_entity, qname(dataset).id()};
}

NodeRef job_ref(Name const& job) {
  return {RecordType::prov_entity, job_qname(job).id()};
}

NodeRef run_ref(RunKey const& run) {
  return {RecordType::prov_activity, run_qname(run).id()};
}

NodeRef version_ref(Name const& dataset, RunKey const& run) {
  return {RecordType::prov_entity, version_qname(dataset, run).id()};
}

NodeRef reading_ref(Name const& dataset, ReadingFacts const& reading) {
  return {RecordType::prov_entity, reading_qname(dataset, reading).id()};
}

schema::ProvEntity dataset_record(Name const& dataset, ThingFacts const& facts) {
  Making making(qname(dataset), "Dataset", dataset.name);
  making.attributes["openlineage:namespace"] = dataset.space;
  making.attributes["openlineage:name"] = dataset.name;
  making.tell({}, facts.facets);
  return {making.take()};
}

schema::ProvEntity job_record(Name const& job, ThingFacts const& facts) {
  Making making(job_qname(job), "Job", job.name);
  making.attributes["openlineage:namespace"] = job.space;
  making.attributes["openlineage:name"] = job.name;
  making.tell({}, facts.facets);
  return {making.take()};
}

schema::ProvActivity run_record(RunKey const& run, RunFacts const& facts,
                                std::map<Name, ReadingFacts> const& readings) {
  Making making(run_qname(run), run.uuid.empty() ? "DeclaredRun" : "Run", facts.job.name);
  making.attributes["prov:startTime"] = schema::format_rfc3339(facts.span().begin);
  if (facts.end) making.attributes["prov:endTime"] = schema::format_rfc3339(facts.span().end);
  if (!facts.state.empty()) making.attributes["openlineage:eventType"] = facts.state;
  making.relate("wasInfluencedBy", job_qname(facts.job), RecordType::prov_entity);
  for (auto const& parent : facts.parents) {
    making.relate("specializationOf", run_qname({.uuid = parent.run}), RecordType::prov_activity);
    if (parent.job != facts.job) making.relate("wasInfluencedBy", job_qname(parent.job), RecordType::prov_entity);
  }
  for (auto const& [dataset, reading] : readings) {
    making.relate("used", reading_qname(dataset, reading), RecordType::prov_entity);
  }
  json::object held{{"job", json_of(facts.job)},
                    {"job_time", schema::format_rfc3339(facts.job_time)},
                    {"first", schema::format_rfc3339(facts.first)},
                    {"inputs", json_of(facts.inputs)},
                    {"outputs", json_of(facts.outputs)}};
  if (facts.start) held["start"] = schema::format_rfc3339(*facts.start);
  if (facts.end) held["end"] = schema::format_rfc3339(*facts.end);
  if (!facts.state.empty()) {
    held["state"] = facts.state;
    held["state_time"] = schema::format_rfc3339(facts.state_time);
  }
  json::array parents;
  for (auto const& parent : facts.parents) parents.push_back(json::array{parent.run, json_of(parent.job)});
  held["parents"] = std::move(parents);
  making.tell(std::move(held), facts.facets);
  return {making.take()};
}

schema::ProvEntity version_record(Name const& dataset, VersionFacts const& facts,
                                  std::map<Name, ReadingFacts> const& readings) {
  Making making(version_qname(dataset, facts.run), "DatasetVersion", dataset.name);
  making.relate("specializationOf", qname(dataset), RecordType::prov_entity);
  making.relate("wasGeneratedBy", run_qname(facts.run), RecordType::prov_activity,
                schema::format_rfc3339(facts.span.end));
  for (auto const& from : facts.from) {
    auto const reading = readings.find(from);
    if (reading == readings.end()) continue;
    making.relate("wasDerivedFrom", reading_qname(from, reading->second), RecordType::prov_entity);
  }
  json::object held{{"run", json_of(facts.run)}, {"from", json_of(facts.from)}};
  put_span(held, facts.span);
  if (facts.has_failed) held["has_failed"] = true;
  making.tell(std::move(held), facts.facets);
  return {making.take()};
}

schema::ProvEntity reading_record(Name const& dataset, ReadingFacts const& facts) {
  Making making(reading_qname(dataset, facts), "DatasetReading", dataset.name);
  making.relate("wasDerivedFrom", qname(dataset), RecordType::prov_entity);
  json::object held{{"reader", json_of(facts.run)}};
  if (facts.of) {
    making.relate("wasDerivedFrom", version_qname(dataset, *facts.of), RecordType::prov_entity);
    held["of"] = json_of(*facts.of);
  }
  put_span(held, facts.span);
  making.tell(std::move(held), facts.facets);
  return {making.take()};
}

schema::ProvActivity mentioned_run(RunKey const& run) {
  auto const name = run_qname(run);
  schema::ProvActivity record{
      {.id = name.id(), .qname = name.text(), .prefixes = schema::PrefixMap{{{name.prefix, name.iri}}}}};
  record.is_declared = false;
  return record;
}

std::optional<RunFacts> run_facts(schema::ProvNode const& node) {
  auto told = told_by(node);
  auto const job = told ? name_from(told->facts.if_contains("job")) : std::nullopt;
  if (!job) return std::nullopt;
  auto const& held = told->facts;
  RunFacts facts{.job = *job,
                 .job_time = time_at(held, "job_time").value_or(schema::Time{}),
                 .first = time_at(held, "first").value_or(schema::Time{}),
                 .start = time_at(held, "start"),
                 .end = time_at(held, "end"),
                 .state = text_at(held, "state"),
                 .state_time = time_at(held, "state_time").value_or(schema::Time{}),
                 .inputs = names_at(held, "inputs"),
                 .outputs = names_at(held, "outputs"),
                 .facets = std::move(told->facets)};
  auto const* const parents = held.if_contains("parents");
  if (parents == nullptr || !parents->is_array()) return facts;
  for (auto const& each : parents->get_array()) {
    auto const* const pair = each.if_array();
    auto parent_job = pair != nullptr && pair->size() == 2 ? name_from(&(*pair)[1]) : std::nullopt;
    if (!parent_job || !(*pair)[0].is_string()) continue;
    facts.parents.push_back({std::string((*pair)[0].get_string()), std::move(*parent_job)});
  }
  return facts;
}

std::optional<ThingFacts> thing_facts(schema::ProvNode const& node) {
  auto told = told_by(node);
  if (!told) return std::nullopt;
  return ThingFacts{std::move(told->facets)};
}

std::optional<VersionFacts> version_facts(schema::ProvNode const& node) {
  auto told = told_by(node);
  auto run = told ? run_at(told->facts, "run") : std::nullopt;
  if (!run) return std::nullopt;
  return VersionFacts{.run = std::move(*run),
                      .span = span_in(told->facts),
                      .has_failed = told->facts.contains("has_failed"),
                      .from = names_at(told->facts, "from"),
                      .facets = std::move(told->facets)};
}

std::optional<ReadingFacts> reading_facts(schema::ProvNode const& node) {
  auto told = told_by(node);
  auto run = told ? run_at(told->facts, "reader") : std::nullopt;
  if (!run) return std::nullopt;
  return ReadingFacts{.run = std::move(*run),
                      .span = span_in(told->facts),
                      .of = run_at(told->facts, "of"),
                      .facets = std::move(told->facets)};
}

}  // namespace whence::net::openlineage
