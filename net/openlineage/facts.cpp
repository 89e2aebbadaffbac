// Records are named by what they are of, so that events in any order make the same ones. The name of a reading holds
// the version that was read: one that reads another is another record. `find_versions_read` says which version stood
// when a run began.

#include "net/openlineage/facts.hpp"

#include "schema/base/digest.hpp"
#include "schema/encoding/percent.hpp"
#include "schema/json/json.hpp"
#include "schema/json/members.hpp"
#include "schema/records/prov/dataset_name.hpp"
#include "schema/records/prov/relations.hpp"
#include "schema/types/basis.hpp"

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
constexpr std::string_view whence_namespace = "urn:whence:ns#";
constexpr std::string_view facts_member = "openlineage:facts";
constexpr std::string_view facets_member = "openlineage:facets";
constexpr std::string_view job_namespace = "urn:openlineage:job:";
constexpr std::string_view run_namespace = "urn:uuid:";

/// A name as PROV writes it: a prefix, its IRI, and the rest.
struct QName {
  std::string prefix;
  std::string iri;
  std::string local;

  [[nodiscard]] std::string text() const { return prefix + ":" + local; }
  [[nodiscard]] std::string id() const { return schema::prov_id(iri + local); }
};

/// `text` with `%`, `#` and `also` percent-encoded (RFC 3986, 2.1).
std::string escaped(std::string_view text, char also = '#') {
  return schema::percent_encoded(text, [also](char c) { return c != '%' && c != '#' && c != also; });
}

std::string uri_of(Name const& dataset) {
  return schema::dataset_uri(dataset.space, dataset.name);
}

/// Every namespace has a prefix of its own, whose number is made of the namespace.
QName qname(Name const& dataset, std::string const& rest = {}) {
  auto const number = schema::to_hex(schema::sha256(dataset.space)).substr(0, 8);
  return {"ds" + number, dataset.space + "/", uri_of(dataset).substr(dataset.space.size() + 1) + rest};
}

std::string job_text(Name const& job) {
  return escaped(job.space, '/') + "/" + escaped(job.name);
}

QName job_qname(Name const& job, std::string const& rest = {}) {
  return {"job", std::string(job_namespace), job_text(job) + rest};
}

QName run_qname(RunKey const& run) {
  if (!run.uuid.empty()) return {"run", std::string(run_namespace), run.uuid};
  return run.is_dataset ? qname(run.job, "#declared") : job_qname(run.job, "#declared");
}

std::string text_of(RunKey const& run) {
  if (!run.uuid.empty()) return "run=" + run.uuid;
  return run.is_dataset ? "declared" : "job=" + job_text(run.job);
}

QName version_qname(VersionKey const& version) {
  return qname(version.dataset, "#" + text_of(version.run));
}

QName reading_qname(ReadingFacts const& reading) {
  std::string of;
  if (reading.of) {
    of = (reading.through    ? "&through:"
          : reading.is_named ? "&named:"
                             : "&of:") +
         (reading.of->dataset == reading.dataset ? std::string{} : uri_of(reading.of->dataset) + "#") +
         text_of(reading.of->run);
  }
  if (reading.through) {
    std::string all;
    for (auto const& each : reading.through->versions) all += version_qname(each).id() + "\n";
    for (auto const& each : reading.through->declared) all += run_qname(each).id() + "\n";
    of += "&from:" + schema::to_hex(schema::sha256(all)).substr(0, 16);
  }
  auto const by = reading.run.is_dataset ? uri_of(reading.run.job) + "#" : std::string{};
  auto const apart = reading.apart.empty() ? std::string{} : "&" + reading.apart;
  return qname(reading.dataset, "#read-by:" + by + text_of(reading.run) + apart + of);
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

  void relate(std::string_view relation, QName const& other, RecordType type, std::string_view time = {},
              std::string_view basis = {}) {
    auto const* const info = schema::find_prov_relation(relation);
    use(other);
    json::object arguments{{info->subject, node.qname}, {info->object, other.text()}};
    if (!time.empty()) arguments["prov:time"] = time;
    if (!basis.empty()) {
      use({"whence", std::string(whence_namespace), {}});
      arguments["whence:basis"] = basis;
    }
    node.relations->push_back({.relation = std::string(relation),
                               .other = schema::format_ref({type, other.id()}),
                               .attributes = {schema::json::to_sorted_text(json::value(arguments))}});
  }

  /// What other records depend on, and what the facets say.
  void say(json::object facts, Facets const& facets) {
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

json::array json_of(SourceJob const& source) {
  return {source.run, json_of(source.job)};
}

template <class Names>
json::array json_of(Names const& names) {
  json::array list;
  for (auto const& each : names) list.push_back(json_of(each));
  return list;
}

json::value json_of(RunKey const& run) {
  if (!run.uuid.empty()) return json::value(run.uuid);
  auto parts = json_of(run.job);
  if (run.is_dataset) parts.push_back("dataset");
  return parts;
}

json::object json_of(Behind const& behind) {
  json::array versions;
  for (auto const& each : behind.versions) versions.push_back(json::array{json_of(each.dataset), json_of(each.run)});
  json::array declared;
  for (auto const& each : behind.declared) declared.push_back(json_of(each));
  return {{"versions", std::move(versions)}, {"declared", std::move(declared)}};
}

void put_label(json::object& to, Label const& label) {
  if (label.text.empty()) return;
  to["version"] = label.text;
  to["version_time"] = schema::format_rfc3339(label.time);
}

void put_span(json::object& to, Span const& span) {
  to["begin"] = schema::format_rfc3339(span.begin);
  to["end"] = schema::format_rfc3339(span.end);
}

std::optional<schema::Time> time_at(json::object const& from, std::string_view name) {
  return schema::parse_rfc3339(schema::json::text_at(from, name));
}

std::optional<Name> name_from(json::array const& parts) {
  if (parts.size() != 2 || !parts[0].is_string() || !parts[1].is_string()) return std::nullopt;
  return Name{std::string(parts[0].get_string()), std::string(parts[1].get_string())};
}

std::optional<Name> name_from(json::value const* held) {
  auto const* const parts = held == nullptr ? nullptr : held->if_array();
  return parts == nullptr ? std::nullopt : name_from(*parts);
}

std::set<Name> names_at(json::object const& from, std::string_view member) {
  std::set<Name> names;
  for (auto const& each : schema::json::list_at(from, member)) {
    if (auto name = name_from(&each)) names.insert(std::move(*name));
  }
  return names;
}

std::map<schema::Time, std::set<Name>> declarations_at(json::object const& from) {
  std::map<schema::Time, std::set<Name>> declared;
  for (auto const& each : schema::json::list_at(from, "declared")) {
    auto const* const pair = each.if_array();
    if (pair == nullptr || pair->size() != 2 || !(*pair)[0].is_string()) continue;
    auto const time = schema::parse_rfc3339(std::string_view((*pair)[0].get_string()));
    if (time) declared.emplace(*time, names_at(json::object{{"names", (*pair)[1]}}, "names"));
  }
  return declared;
}

std::set<SourceJob> sources_at(json::object const& from) {
  std::set<SourceJob> sources;
  for (auto const& each : schema::json::list_at(from, "sources")) {
    auto const* const pair = each.if_array();
    auto job = pair != nullptr && pair->size() == 2 ? name_from(&(*pair)[1]) : std::nullopt;
    if (job && (*pair)[0].is_string()) sources.insert({std::string((*pair)[0].get_string()), std::move(*job)});
  }
  return sources;
}

std::optional<RunKey> run_from(json::value const* held) {
  if (held != nullptr && held->is_string()) return RunKey{.uuid = std::string(held->get_string())};
  auto const* const parts = held == nullptr ? nullptr : held->if_array();
  bool const is_dataset = parts != nullptr && parts->size() == 3;
  auto job = is_dataset ? name_from(json::array{(*parts)[0], (*parts)[1]}) : name_from(held);
  if (!job) return std::nullopt;
  return RunKey{.job = std::move(*job), .is_dataset = is_dataset};
}

std::optional<RunKey> run_at(json::object const& from, std::string_view member) {
  return run_from(from.if_contains(member));
}

std::optional<Behind> behind_at(json::object const& from, std::string_view member) {
  auto const* const held = from.if_contains(member);
  auto const* const lists = held == nullptr ? nullptr : held->if_object();
  if (lists == nullptr) return std::nullopt;
  Behind behind;
  auto const each_of = [&](std::string_view name, auto const& take) {
    for (auto const& each : schema::json::list_at(*lists, name)) take(each);
  };
  each_of("versions", [&](json::value const& each) {
    auto const* const pair = each.if_array();
    auto dataset = pair != nullptr && pair->size() == 2 ? name_from(&(*pair)[0]) : std::nullopt;
    auto run = dataset ? run_from(&(*pair)[1]) : std::nullopt;
    if (run) behind.versions.insert({std::move(*dataset), std::move(*run)});
  });
  each_of("declared", [&](json::value const& each) {
    if (auto run = run_from(&each)) behind.declared.insert(std::move(*run));
  });
  return behind;
}

Label label_in(json::object const& from) {
  return {time_at(from, "version_time").value_or(schema::Time{}), std::string(schema::json::text_at(from, "version"))};
}

Span span_in(json::object const& from) {
  return {time_at(from, "begin").value_or(schema::Time{}), time_at(from, "end").value_or(schema::Time{})};
}

/// The object that a text within `attributes` holds.
json::object object_at(json::object const& attributes, std::string_view member) {
  auto parsed = schema::json::parse(schema::json::text_at(attributes, member));
  return parsed && parsed->value.is_object() ? std::move(parsed->value.get_object()) : json::object{};
}

/// What a record of ours says; nothing where it is somebody else's.
struct Said {
  json::object facts;
  Facets facets;
};

std::optional<Said> said_by(schema::ProvNode const& node) {
  if (!node.attributes) return std::nullopt;
  auto const attributes = schema::json::parse(node.attributes->json);
  if (!attributes || !attributes->value.is_object()) return std::nullopt;
  auto const& members = attributes->value.get_object();
  if (!members.contains(facts_member)) return std::nullopt;
  Said said{.facts = object_at(members, facts_member), .facets = {}};
  auto const bodies = object_at(members, facets_member);
  auto const* const times = said.facts.if_contains("times");
  if (times == nullptr || !times->is_object()) return std::nullopt;
  for (auto const& each : times->get_object()) {
    auto const* const body = bodies.if_contains(each.key());
    FacetState state{.time = time_at(times->get_object(), each.key()).value_or(schema::Time{})};
    if (body != nullptr) state.json = schema::json::to_canonical_text(*body);
    said.facets.emplace(each.key(), std::move(state));
  }
  return said;
}

}  // namespace

void RunFacts::declare(schema::Time time, std::set<Name> const& names) {
  declared[time].insert(names.begin(), names.end());
  declared_ever.insert(names.begin(), names.end());
  while (declared.size() > declarations_max) declared.erase(declared.begin());
}

bool RunFacts::stands(Name const& name, std::optional<schema::Time> const& time) const {
  if (!declared_ever.contains(name)) return true;
  auto at = time ? declared.upper_bound(*time) : declared.end();
  if (at != declared.begin()) --at;  // what was declared first stood before, too
  return at->second.contains(name);
}

Span RunFacts::span() const {
  Span span{.begin = start.value_or(first)};
  span.end = std::max(end.value_or(span.begin), span.begin);
  return span;
}

namespace {

/// Where a version is among those of its dataset, and a reading among them: it read nothing at or behind its place.
using Place = std::tuple<schema::Time, schema::Time, schema::Time, RunKey>;

Place place_of(VersionFacts const& each) {
  // An event may name the output before the one that tells the start: what a run reads is never its own.
  auto const written = std::max(each.written.value_or(each.span.end), each.span.begin);
  return {written, each.span.begin, each.span.end, each.run};
}
Place place_of(ReadingFacts const& each) {
  return {each.span.begin, each.span.begin, each.span.end, each.run};
}

/// What failed runs had written and is not known yet to be void, at a moment that only goes forward.
class Failing {
 public:
  explicit Failing(std::vector<VersionFacts const*> versions) : versions_(std::move(versions)) {}

  /// The last version before `place` whose run had not failed by then; null where there is none.
  VersionFacts const* last_before(Place const& place) {
    for (; next_ < versions_.size() && place_of(*versions_[next_]) < place; ++next_) {
      auto const* const version = versions_[next_];
      open_.emplace(place_of(*version), version);
      ends_.emplace(version->span.end, version);
    }
    while (!ends_.empty() && ends_.begin()->first <= std::get<0>(place)) {
      open_.erase(place_of(*ends_.begin()->second));
      ends_.erase(ends_.begin());
    }
    return open_.empty() ? nullptr : open_.rbegin()->second;
  }

 private:
  std::vector<VersionFacts const*> versions_;  // in their order
  std::size_t next_ = 0;
  std::map<Place, VersionFacts const*> open_;
  std::multimap<schema::Time, VersionFacts const*> ends_;
};

}  // namespace

void find_versions_read(std::vector<VersionFacts const*> versions, std::vector<ReadingFacts*> readings) {
  std::ranges::sort(versions, [](auto const* a, auto const* b) { return place_of(*a) < place_of(*b); });
  std::ranges::sort(readings, [](auto const* a, auto const* b) { return place_of(*a) < place_of(*b); });
  std::vector<VersionFacts const*> kept;
  std::vector<VersionFacts const*> failed;
  std::map<std::string_view, std::map<std::tuple<schema::Time, schema::Time, RunKey>, VersionFacts const*>> labelled;
  for (auto const* const each : versions) {
    (each->has_failed ? failed : kept).push_back(each);
    if (each->label.text.empty() || each->has_failed) continue;
    labelled[each->label.text].emplace(std::tuple{each->span.begin, each->span.end, each->run}, each);
  }
  Failing failing(std::move(failed));
  std::vector<VersionFacts const*> next_of_run(kept.size() + 1, nullptr);  // at each place, the first at or behind it
  for (auto i = kept.size(); i > 0; --i)
    next_of_run[i - 1] = kept[i - 1]->run.uuid.empty() ? next_of_run[i] : kept[i - 1];
  std::size_t before = 0;
  for (auto* const reading : readings) {
    auto const place = place_of(*reading);
    while (before < kept.size() && place_of(*kept[before]) < place) ++before;
    auto const* found = before == 0 ? nullptr : kept[before - 1];
    auto const* const open = failing.last_before(place);
    if (open != nullptr && (found == nullptr || place_of(*found) < place_of(*open))) found = open;
    if (found == nullptr && reading->stands()) found = next_of_run[before];
    auto const named = reading->label.text.empty() ? labelled.end() : labelled.find(reading->label.text);
    if (named != labelled.end()) {
      auto const after = named->second.lower_bound(std::tuple{reading->span.begin, reading->span.end, reading->run});
      found = after == named->second.begin() ? nullptr : std::prev(after)->second;
    } else if (found != nullptr && !reading->label.text.empty() && !found->label.text.empty()) {
      found = nullptr;  // another version than the one that it names
    }
    reading->of.reset();
    reading->is_named = found != nullptr && named != labelled.end();
    if (found != nullptr) reading->of = VersionKey{found->dataset, found->run};
  }
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

NodeRef version_ref(VersionKey const& version) {
  return {RecordType::prov_entity, version_qname(version).id()};
}

NodeRef reading_ref(ReadingFacts const& reading) {
  return {RecordType::prov_entity, reading_qname(reading).id()};
}

std::string apart_of(RunFacts const& facts, Name const& dataset) {
  if (!facts.stands(dataset)) return "former";
  if (facts.explicit_outputs.empty()) return {};
  std::string all;
  for (auto const& each : facts.explicit_outputs) all += uri_of(each) + "\n";
  return "for:" + schema::to_hex(schema::sha256(all)).substr(0, 16);
}

schema::ProvEntity dataset_record(Name const& dataset, ThingFacts const& facts) {
  Making making(qname(dataset), "Dataset", dataset.name);
  making.attributes["openlineage:namespace"] = dataset.space;
  making.attributes["openlineage:name"] = dataset.name;
  for (auto const& each : facts.same) making.relate("alternateOf", qname(each), RecordType::prov_entity);
  json::object held;
  if (!facts.same.empty()) held["same"] = json_of(facts.same);
  making.say(std::move(held), facts.facets);
  return {making.take()};
}

schema::ProvEntity job_record(Name const& job, ThingFacts const& facts) {
  Making making(job_qname(job), "Job", job.name);
  making.attributes["openlineage:namespace"] = job.space;
  making.attributes["openlineage:name"] = job.name;
  making.say({}, facts.facets);
  return {making.take()};
}

namespace {

/// The run of a job that a lineage facet names as a source, where it names one.
void relate_run(SourceJob const& source, Making& making) {
  if (source.run.empty()) return;
  making.relate("wasInfluencedBy", run_qname({.uuid = source.run}), RecordType::prov_activity);
}

}  // namespace

schema::ProvActivity run_record(RunKey const& run, RunFacts const& facts,
                                std::map<Name, ReadingFacts> const& readings) {
  Making making(run_qname(run), run.uuid.empty() ? "DeclaredRun" : "Run",
                run.is_dataset ? run.job.name : facts.job.name);
  making.attributes["prov:startTime"] = schema::format_rfc3339(facts.span().begin);
  if (facts.end) making.attributes["prov:endTime"] = schema::format_rfc3339(facts.span().end);
  if (!facts.state.empty()) making.attributes["openlineage:eventType"] = facts.state;
  auto jobs = run.is_dataset ? std::set<Name>{} : facts.jobs;
  for (auto const& parent : facts.parents) {
    making.relate("specializationOf", run_qname({.uuid = parent.run}), RecordType::prov_activity);
    jobs.insert(parent.job);
  }
  for (auto const& source : facts.sources) {
    jobs.insert(source.job);
    relate_run(source, making);
  }
  for (auto const& job : jobs) making.relate("wasInfluencedBy", job_qname(job), RecordType::prov_entity);
  for (auto const& [dataset, reading] : readings) {
    if (reading.apart.empty()) making.relate("used", reading_qname(reading), RecordType::prov_entity);
  }
  json::object held{{"job", json_of(facts.job)},
                    {"jobs", json_of(facts.jobs)},
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
  if (!facts.explicit_outputs.empty()) held["explicit"] = json_of(facts.explicit_outputs);
  if (!facts.declared.empty()) {
    json::array declared;
    for (auto const& [time, names] : facts.declared)
      declared.push_back(json::array{schema::format_rfc3339(time), json_of(names)});
    held["declared"] = std::move(declared);
    held["declared_ever"] = json_of(facts.declared_ever);
  }
  if (!facts.sources.empty()) held["sources"] = json_of(facts.sources);
  making.say(std::move(held), facts.facets);
  return {making.take()};
}

schema::ProvEntity version_record(VersionFacts const& facts, Names const& names,
                                  std::map<Name, ReadingFacts> const& readings) {
  Making making(version_qname({facts.dataset, facts.run}), "DatasetVersion", facts.dataset.name);
  for (auto const& each : names) making.relate("specializationOf", qname(each), RecordType::prov_entity);
  making.relate("wasGeneratedBy", run_qname(facts.run), RecordType::prov_activity,
                schema::format_rfc3339(facts.span.end));
  for (auto const& [dataset, reading] : readings) {
    bool const is_source =
        facts.lineage ? facts.lineage->contains(dataset) : facts.from.contains(dataset) || !reading.apart.empty();
    if (is_source) making.relate("wasDerivedFrom", reading_qname(reading), RecordType::prov_entity);
  }
  std::set<Name> jobs;
  for (auto const& source : facts.sources) {
    jobs.insert(source.job);
    relate_run(source, making);
  }
  for (auto const& job : jobs) making.relate("wasInfluencedBy", job_qname(job), RecordType::prov_entity);
  json::object held{{"dataset", json_of(facts.dataset)}, {"run", json_of(facts.run)}, {"from", json_of(facts.from)}};
  if (!facts.sources.empty()) held["sources"] = json_of(facts.sources);
  if (facts.lineage) held["lineage"] = json_of(*facts.lineage);
  put_span(held, facts.span);
  if (facts.written) held["written"] = schema::format_rfc3339(*facts.written);
  if (facts.has_failed) held["has_failed"] = true;
  put_label(held, facts.label);
  making.say(std::move(held), facts.facets);
  return {making.take()};
}

namespace {

void relate_behind(Behind const& behind, Making& making) {
  for (auto const& each : behind.declared) {
    if (!each.is_dataset) making.relate("wasInfluencedBy", job_qname(each.job), RecordType::prov_entity);
  }
  for (auto const& each : behind.versions) {
    making.relate("wasDerivedFrom", version_qname(each), RecordType::prov_entity, {}, name_of(schema::Basis::place));
  }
}

}  // namespace

schema::ProvEntity reading_record(ReadingFacts const& facts, Names const& names) {
  Making making(reading_qname(facts), "DatasetReading", facts.dataset.name);
  for (auto const& each : names) making.relate("wasDerivedFrom", qname(each), RecordType::prov_entity);
  json::object held{{"dataset", json_of(facts.dataset)}, {"reader", json_of(facts.run)}};
  if (facts.of) {
    if (facts.through) {
      relate_behind(*facts.through, making);
      held["through"] = json_of(*facts.through);
    } else {
      making.relate("wasDerivedFrom", version_qname(*facts.of), RecordType::prov_entity, {},
                    name_of(facts.is_named ? schema::Basis::id : schema::Basis::place));
    }
    if (facts.is_named) held["named"] = true;
    held["of"] = json_of(facts.of->run);
    held["of_dataset"] = json_of(facts.of->dataset);
  }
  if (facts.is_renaming) held["renaming"] = true;
  if (!facts.apart.empty()) held["apart"] = facts.apart;
  put_span(held, facts.span);
  put_label(held, facts.label);
  making.say(std::move(held), facts.facets);
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
  auto said = said_by(node);
  auto const job = said ? name_from(said->facts.if_contains("job")) : std::nullopt;
  if (!job) return std::nullopt;
  auto const& held = said->facts;
  RunFacts facts{.job = *job,
                 .jobs = names_at(held, "jobs"),
                 .job_time = time_at(held, "job_time").value_or(schema::Time{}),
                 .first = time_at(held, "first").value_or(schema::Time{}),
                 .start = time_at(held, "start"),
                 .end = time_at(held, "end"),
                 .state = std::string(schema::json::text_at(held, "state")),
                 .state_time = time_at(held, "state_time").value_or(schema::Time{}),
                 .inputs = names_at(held, "inputs"),
                 .outputs = names_at(held, "outputs"),
                 .sources = sources_at(held),
                 .declared = declarations_at(held),
                 .declared_ever = names_at(held, "declared_ever"),
                 .explicit_outputs = names_at(held, "explicit"),
                 .facets = std::move(said->facets)};
  facts.jobs.insert(*job);  // stores from before a run had several
  for (auto const& each : schema::json::list_at(held, "parents")) {
    auto const* const pair = each.if_array();
    auto parent_job = pair != nullptr && pair->size() == 2 ? name_from(&(*pair)[1]) : std::nullopt;
    if (!parent_job || !(*pair)[0].is_string()) continue;
    facts.parents.push_back({std::string((*pair)[0].get_string()), std::move(*parent_job)});
  }
  return facts;
}

std::optional<ThingFacts> thing_facts(schema::ProvNode const& node) {
  auto said = said_by(node);
  if (!said) return std::nullopt;
  return ThingFacts{std::move(said->facets), names_at(said->facts, "same")};
}

std::optional<VersionFacts> version_facts(schema::ProvNode const& node) {
  auto said = said_by(node);
  auto run = said ? run_at(said->facts, "run") : std::nullopt;
  auto dataset = said ? name_from(said->facts.if_contains("dataset")) : std::nullopt;
  if (!run || !dataset) return std::nullopt;
  std::optional<std::set<Name>> lineage;
  if (said->facts.contains("lineage")) lineage = names_at(said->facts, "lineage");
  return VersionFacts{.dataset = std::move(*dataset),
                      .run = std::move(*run),
                      .span = span_in(said->facts),
                      .written = time_at(said->facts, "written"),
                      .has_failed = said->facts.contains("has_failed"),
                      .label = label_in(said->facts),
                      .from = names_at(said->facts, "from"),
                      .lineage = std::move(lineage),
                      .sources = sources_at(said->facts),
                      .facets = std::move(said->facets)};
}

std::optional<ReadingFacts> reading_facts(schema::ProvNode const& node) {
  auto said = said_by(node);
  auto run = said ? run_at(said->facts, "reader") : std::nullopt;
  auto dataset = said ? name_from(said->facts.if_contains("dataset")) : std::nullopt;
  if (!run || !dataset) return std::nullopt;
  auto writer = run_at(said->facts, "of");
  auto written = name_from(said->facts.if_contains("of_dataset"));
  std::optional<VersionKey> of;
  if (writer && written) of = VersionKey{std::move(*written), std::move(*writer)};
  return ReadingFacts{.dataset = std::move(*dataset),
                      .run = std::move(*run),
                      .span = span_in(said->facts),
                      .of = std::move(of),
                      .is_named = said->facts.contains("named"),
                      .is_renaming = said->facts.contains("renaming"),
                      .through = behind_at(said->facts, "through"),
                      .apart = std::string(schema::json::text_at(said->facts, "apart")),
                      .label = label_in(said->facts),
                      .facets = std::move(said->facets)};
}

}  // namespace whence::net::openlineage
