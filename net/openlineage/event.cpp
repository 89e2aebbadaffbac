// From JSON to an `Event`. Two kinds of faults are kept apart: one of the event itself refuses it, a wrong part is left
// out and named, since the rest is still true. A batch that is no JSON is split by its brackets, so that one event does
// not refuse the others.

#include "net/openlineage/event.hpp"

#include "schema/base/digest.hpp"
#include "schema/base/report.hpp"
#include "schema/base/text.hpp"
#include "schema/encoding/ascii.hpp"
#include "schema/json/json.hpp"
#include "schema/records/prov/dataset_name.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

namespace whence::net::openlineage {

namespace {

namespace json = boost::json;

constexpr std::size_t name_bytes_max = 2'048;
constexpr std::array<std::string_view, 6> states = {"START", "RUNNING", "COMPLETE", "ABORT", "FAIL", "OTHER"};

/// Where an event is read: the first thing that is wrong with all of it, after which reading goes on with a default in
/// its place, and the parts that are left out of it.
class Faults {
 public:
  void refuse(std::string const& path, std::string_view message) {
    if (first_.empty()) first_ = (path.empty() ? "the event" : path) + ": " + std::string(message);
  }
  [[nodiscard]] std::string const& first() const noexcept { return first_; }

  void leave_out(std::string const& path, std::string_view message) {
    if (left_out_.size() < left_out_max)
      left_out_.push_back(schema::cut(path, left_out_bytes_max) + ": " + std::string(message) + " (left out)");
  }
  [[nodiscard]] std::vector<std::string> take_left_out() { return std::exchange(left_out_, {}); }

 private:
  static constexpr std::size_t left_out_max = 20;
  static constexpr std::size_t left_out_bytes_max = 300;  // of a place
  std::string first_;
  std::vector<std::string> left_out_;
};

std::string below(std::string const& path, std::string_view step) {
  std::string result = path;
  schema::append_step(result, step);
  return result;
}

json::object const& object_in(json::value const& value, std::string const& path, Faults& faults) {
  static json::object const none;
  if (value.is_object()) return value.get_object();
  faults.refuse(path, "must be an object");
  return none;
}

json::value const* find(json::object const& from, std::string_view name) {
  auto const* const held = from.if_contains(name);
  return held == nullptr || held->is_null() ? nullptr : held;
}

std::string text_in(json::object const& from, std::string_view name, std::string const& path, Faults& faults) {
  auto const* const held = find(from, name);
  auto const place = below(path, name);
  if (held == nullptr || !held->is_string()) {
    faults.refuse(place, held == nullptr ? "is required" : "must be a text");
    return {};
  }
  std::string_view const text = held->get_string();
  if (text.empty() || text.size() > name_bytes_max) faults.refuse(place, "must have 1 to 2048 bytes");
  return std::string(text);
}

/// Whether `text` is a UUID, whose letters it makes small ones.
bool fold_uuid(std::string& text) {
  if (text.size() != 36) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    char& c = text[i];
    if (c >= 'A' && c <= 'F') c = static_cast<char>(c - 'A' + 'a');
    bool const is_dash = i == 8 || i == 13 || i == 18 || i == 23;
    if (is_dash ? c != '-' : !((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'))) return false;
  }
  return true;
}

/// A UUID of version 8 (RFC 9562, 5.8) that only `text` has.
std::string uuid_of(std::string_view text) {
  auto digits = schema::to_hex(schema::sha256(text)).substr(0, 32);
  digits[12] = '8';
  digits[16] = '8';
  for (auto const at : {20U, 16U, 12U, 8U}) digits.insert(at, 1, '-');
  return digits;
}

std::string uuid_in(json::object const& from, std::string_view name, std::string const& path, Faults& faults) {
  auto text = text_in(from, name, path, faults);
  if (!fold_uuid(text)) faults.refuse(below(path, name), "must be a UUID");
  return text;
}

Name name_in(json::object const& from, std::string const& path, Faults& faults) {
  return {text_in(from, "namespace", path, faults), text_in(from, "name", path, faults)};
}

Name dataset_name(std::string space, std::string name) {
  auto [one_space, one_name] = schema::dataset_name(std::move(space), std::move(name));
  return {std::move(one_space), std::move(one_name)};
}

/// The name of a dataset; nothing, and why at `path`, where it has none.
std::optional<Name> find_dataset_name(json::object const& from, std::string const& path, Faults& faults) {
  auto const* const space = find(from, "namespace");
  auto const* const name = find(from, "name");
  if (space == nullptr || !space->is_string() || name == nullptr || !name->is_string()) {
    faults.leave_out(path, "must have a namespace and a name");
    return std::nullopt;
  }
  auto found = dataset_name(std::string(space->get_string()), std::string(name->get_string()));
  bool const is_named = !found.space.empty() && !found.name.empty();
  if (!is_named || found.space.size() > name_bytes_max || found.name.size() > name_bytes_max) {
    faults.leave_out(path, "must have a namespace and a name of 1 to 2048 bytes");
    return std::nullopt;
  }
  return found;
}

/// Whether `value` has more than `depth` objects and lists within each other.
bool is_deeper_than(json::value const& value, std::size_t depth) {
  if (!value.is_structured()) return false;
  if (depth == 0) return true;
  if (auto const* const list = value.if_array())
    return std::ranges::any_of(*list, [&](json::value const& each) { return is_deeper_than(each, depth - 1); });
  return std::ranges::any_of(value.get_object(),
                             [&](auto const& member) { return is_deeper_than(member.value(), depth - 1); });
}

Facets facets_in(json::object const& from, std::string_view name, std::string const& path, schema::Time time,
                 Faults& faults) {
  Facets facets;
  auto const* const held = find(from, name);
  if (held == nullptr) return facets;
  auto const place = below(path, name);
  auto const* const all = held->if_object();
  if (all == nullptr) {
    faults.leave_out(place, "must be an object");
    return facets;
  }
  for (auto const& facet : *all) {
    if (facet.value().is_null()) continue;
    auto const at = below(place, facet.key());
    auto const* const body = facet.value().if_object();
    if (body == nullptr || facets.size() == facets_max) {
      faults.leave_out(at, body == nullptr ? "must be an object" : "is beyond 1000 facets");
      continue;
    }
    if (is_deeper_than(facet.value(), facet_depth_max)) {
      faults.leave_out(at, "has more than 60 objects and lists within each other");
      continue;
    }
    auto const* const deleted = body->if_contains("_deleted");
    bool const is_deleted = deleted != nullptr && deleted->is_bool() && deleted->get_bool();
    auto text = is_deleted ? std::string{} : schema::json::to_canonical_text(*body);
    if (text.size() > facet_bytes_max) {
      faults.leave_out(at, "has more than 262144 bytes");
      continue;
    }
    facets[std::string(facet.key())] = {time, std::move(text)};
  }
  return facets;
}

json::object const* find_object(json::object const& from, std::string_view name) {
  auto const* const held = find(from, name);
  return held == nullptr ? nullptr : held->if_object();
}

/// The body of a facet; null where it is not there.
json::object const* find_facet(json::object const& from, std::string_view name) {
  auto const* const all = find_object(from, "facets");
  return all == nullptr ? nullptr : find_object(*all, name);
}

/// Adds the dataset that a part of a facet names, if it names one.
void append_name(json::object const& from, std::vector<Name>& names) {
  Faults of_part;  // the facet itself is kept whole
  if (auto name = find_dataset_name(from, {}, of_part)) names.push_back(std::move(*name));
}

bool is_job(json::object const& part) {
  auto const* const type = find(part, "type");
  return type != nullptr && type->is_string() && type->get_string() == "JOB";
}

/// The datasets that a list of a facet names.
void append_named(json::object const& from, std::string_view member, std::vector<Name>& names) {
  auto const* const list = find(from, member);
  if (list == nullptr || !list->is_array()) return;
  for (auto const& each : list->get_array()) {
    auto const* const input = each.if_object();
    if (input != nullptr && !is_job(*input)) append_name(*input, names);
  }
}

/// The job, or the run of one, that a part of a lineage facet names: the event's own where it names none. Nothing, and
/// why at `path`, where that cannot be told.
std::optional<SourceJob> find_job(json::object const& part, std::string const& path, Event const& event,
                                  Faults& faults) {
  SourceJob found{.run = event.run, .job = event.job};
  if (find(part, "namespace") != nullptr || find(part, "name") != nullptr) {
    Faults of_part;  // the facet itself is kept whole
    found = {.job = name_in(part, path, of_part)};
    if (!of_part.first().empty()) return faults.leave_out(path, of_part.first()), std::nullopt;
  } else if (event.kind == EventKind::dataset) {
    return faults.leave_out(path, "must have a namespace and a name"), std::nullopt;
  }
  auto const* const run = find(part, "runId");
  if (run != nullptr && run->is_string()) found.run = run->get_string();
  if (!found.run.empty() && !fold_uuid(found.run)) found.run = uuid_of(found.run);
  return found;
}

/// Whether it is the job that the event is about, or its run.
bool is_own(SourceJob const& job, Event const& event) {
  if (event.kind == EventKind::dataset) return false;
  return job.run.empty() ? job.job == event.job : job.run == event.run;
}

/// The jobs that a list of a lineage facet names.
void append_jobs(json::object const& from, std::string_view member, std::string const& path, Event const& event,
                 std::set<SourceJob>& jobs, Faults& faults) {
  auto const* const list = find(from, member);
  if (list == nullptr || !list->is_array()) return;
  for (std::size_t i = 0; i < list->get_array().size(); ++i) {
    auto const* const input = list->get_array()[i].if_object();
    if (input == nullptr || !is_job(*input)) continue;
    auto job = find_job(*input, below(below(path, member), std::to_string(i)), event, faults);
    if (job) jobs.insert(std::move(*job));
  }
}

/// The jobs that the lineage facet of a dataset, or its entry in that of a job, names as its sources, but for the
/// event's own.
std::set<SourceJob> source_jobs(json::object const& facet, std::string const& path, Event const& event,
                                Faults& faults) {
  std::set<SourceJob> jobs;
  append_jobs(facet, "inputs", path, event, jobs, faults);
  if (auto const* const fields = find_object(facet, "fields")) {
    for (auto const& field : *fields) {
      auto const* const of_field = field.value().if_object();
      auto const place = below(below(path, "fields"), field.key());
      if (of_field != nullptr) append_jobs(*of_field, "inputs", place, event, jobs, faults);
    }
  }
  std::erase_if(jobs, [&](SourceJob const& each) { return is_own(each, event); });
  return jobs;
}

/// The inputs of a dataset and of its fields, as the facets `columnLineage` and `lineage` list them.
void append_sources(json::object const& facet, std::vector<Name>& names) {
  append_named(facet, "dataset", names);
  append_named(facet, "inputs", names);
  auto const* const fields = find_object(facet, "fields");
  if (fields == nullptr) return;
  for (auto const& field : *fields) {
    auto const* const of_field = field.value().if_object();
    if (of_field == nullptr) continue;
    append_named(*of_field, "inputFields", names);
    append_named(*of_field, "inputs", names);
  }
}

void keep_once(std::vector<Name>& names) {
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
}

std::string version_in(json::object const& dataset) {
  auto const* const facet = find_facet(dataset, "version");
  auto const* const version = facet == nullptr ? nullptr : find(*facet, "datasetVersion");
  if (version == nullptr || version->is_object() || version->is_array()) return {};
  return version->is_string() ? std::string(version->get_string()) : schema::json::to_text(*version);
}

/// What a dataset was called before (the facet `lifecycleStateChange`).
void append_former_name(json::object const& dataset, std::vector<Name>& names) {
  auto const* const facet = find_facet(dataset, "lifecycleStateChange");
  auto const* const change = facet == nullptr ? nullptr : find(*facet, "lifecycleStateChange");
  auto const* const former = facet == nullptr ? nullptr : find_object(*facet, "previousIdentifier");
  if (change == nullptr || former == nullptr || *change != json::value("RENAME")) return;
  append_name(*former, names);
}

void append_once(std::vector<Name>& to, std::vector<Name> const& more) {
  to.insert(to.end(), more.begin(), more.end());
  keep_once(to);
}

/// Whether a lineage facet of a dataset, or an entry, says what it was made from: nothing at all, perhaps.
bool says_sources(json::object const& facet) {
  auto const* const inputs = find(facet, "inputs");
  return (inputs != nullptr && inputs->is_array()) || find_object(facet, "fields") != nullptr;
}

DatasetUse use_in(json::object const& dataset, std::string_view use_facets, std::string const& path, Event const& event,
                  Faults& faults) {
  DatasetUse use{.facets = facets_in(dataset, "facets", path, event.time, faults),
                 .use_facets = facets_in(dataset, use_facets, path, event.time, faults),
                 .version = version_in(dataset)};
  append_former_name(dataset, use.former);
  if (auto const* const facet = find_facet(dataset, "lineage"); facet != nullptr && says_sources(*facet)) {
    append_sources(*facet, use.lineage.emplace(use.former));
    keep_once(*use.lineage);
    use.jobs = source_jobs(*facet, path + "/facets/lineage", event, faults);
  } else if (auto const* const columns = find_facet(dataset, "columnLineage")) {
    append_sources(*columns, use.from);
  }
  append_once(use.from, use.former);
  if (auto const* const facet = find_facet(dataset, "symlinks")) append_named(*facet, "identifiers", use.same);
  keep_once(use.same);
  if (use.same.size() > symlinks_max) {
    faults.leave_out(path + "/facets/symlinks", "names more than 64 datasets: those beyond");
    use.same.resize(symlinks_max);
  }
  return use;
}

void add_use(std::map<Name, DatasetUse>& uses, Name const& name, DatasetUse use) {
  auto& known = uses[name];
  merge(known.facets, use.facets);
  merge(known.use_facets, use.use_facets);
  std::erase(use.from, name);
  std::erase(use.same, name);
  std::erase(use.former, name);
  append_once(known.former, use.former);
  append_once(known.from, use.from);
  if (use.lineage) {
    if (!known.lineage) known.lineage.emplace();
    append_once(*known.lineage, *use.lineage);
  }
  append_once(known.same, use.same);
  known.jobs.insert(use.jobs.begin(), use.jobs.end());
  known.version = std::max(known.version, use.version);
}

void read_uses(json::object const& root, std::string_view member, std::string_view use_facets, Event const& event,
               std::map<Name, DatasetUse>& uses, Faults& faults) {
  auto const* const held = find(root, member);
  if (held == nullptr) return;
  auto const path = below({}, member);
  if (!held->is_array()) return faults.leave_out(path, "must be an array");
  auto const& list = held->get_array();
  if (list.size() > datasets_max) return faults.refuse(path, "has more than 1000 datasets");
  for (std::size_t i = 0; i < list.size(); ++i) {
    auto const place = below(path, std::to_string(i));
    auto const* const dataset = list[i].if_object();
    if (dataset == nullptr) {
      faults.leave_out(place, "must be an object");
      continue;
    }
    auto const name = find_dataset_name(*dataset, place, faults);
    if (name) add_use(uses, *name, use_in(*dataset, use_facets, place, event, faults));
  }
}

/// What feeds a job, or a run of one: the event's own, or another, of which the event then says that too.
void read_job_entry(json::object const& entry, std::string const& path, Event& event, Faults& faults) {
  auto const target = find_job(entry, path, event, faults);
  if (!target) return;
  std::vector<Name> datasets;
  append_named(entry, "inputs", datasets);
  std::set<SourceJob> jobs;
  append_jobs(entry, "inputs", path, event, jobs, faults);
  bool const is_of_event = is_own(*target, event);
  Event other{.kind = target->run.empty() ? EventKind::job : EventKind::run,
              .time = event.time,
              .run = target->run,
              .job = target->job,
              .is_of_other = true};
  auto& fed = is_of_event ? event : other;
  for (auto const& each : datasets) fed.inputs.try_emplace(each);
  for (auto const& each : jobs) {
    if (!is_own(each, fed)) fed.jobs.insert(each);
  }
  if (!is_of_event) event.others.push_back(std::move(other));
}

/// The entries of an event for each dataset, as its facet `lineage`.
using EntryFacets = std::map<Name, json::object>;

/// Adds what an entry says to what others say of its dataset.
void add_entry(json::object const& entry, json::object& facet) {
  auto const append = [](json::object& to, json::value const& list) {
    if (!list.is_array()) return;
    auto& all = to["inputs"];
    if (!all.is_array()) all.emplace_array();
    for (auto const& each : list.get_array()) all.get_array().push_back(each);
  };
  if (auto const* const inputs = find(entry, "inputs")) append(facet, *inputs);
  auto const* const fields = find_object(entry, "fields");
  if (fields == nullptr) return;
  auto& all = facet["fields"];
  if (!all.is_object()) all.emplace_object();
  for (auto const& field : *fields) {
    auto& known = all.get_object()[field.key()];
    if (!known.is_object()) known.emplace_object();
    auto const* const of_field = field.value().if_object();
    if (auto const* const inputs = of_field == nullptr ? nullptr : find(*of_field, "inputs"))
      append(known.get_object(), *inputs);
  }
}

/// What a dataset was made from.
void read_dataset_entry(json::object const& entry, std::string const& path, Event& event, EntryFacets& facets,
                        Faults& faults) {
  auto const target = find_dataset_name(entry, path, faults);
  auto const* const run = find(entry, "runId");
  bool const is_of_other_run = run != nullptr && run->is_string() && std::string_view(run->get_string()) != event.run;
  if (!target || is_of_other_run || !says_sources(entry)) return;
  DatasetUse use{.jobs = source_jobs(entry, path, event, faults)};
  append_sources(entry, use.lineage.emplace());
  keep_once(*use.lineage);
  add_use(event.outputs, *target, std::move(use));
  add_entry(entry, facets[*target]);
}

/// The entries of the explicit lineage facet of a run or a job.
void read_entries(json::object const& of, std::string const& path, Event& event, EntryFacets& facets, Faults& faults) {
  auto const* const facet = find_facet(of, "lineage");
  auto const* const entries = facet == nullptr ? nullptr : find(*facet, "entries");
  if (entries == nullptr || !entries->is_array()) return;
  for (std::size_t i = 0; i < entries->get_array().size(); ++i) {
    auto const* const entry = entries->get_array()[i].if_object();
    auto const place = path + "/facets/lineage/entries/" + std::to_string(i);
    if (entry == nullptr) {
      faults.leave_out(place, "must be an object");
    } else if (is_job(*entry)) {
      read_job_entry(*entry, place, event, faults);
    } else {
      read_dataset_entry(*entry, place, event, facets, faults);
    }
  }
}

/// What entries say of columns is a facet of what was written.
void add_entry_facets(EntryFacets const& facets, Event& event, Faults& faults) {
  for (auto const& [name, facet] : facets) {
    auto text = schema::json::to_canonical_text(facet);
    if (text.size() > facet_bytes_max) {
      faults.leave_out("/job/facets/lineage/entries",
                       "those of " + name.space + "/" + name.name + " have more than 262144 bytes: their columns");
      continue;
    }
    merge(event.outputs[name].use_facets, {{"lineage", {event.time, std::move(text)}}});
  }
}

void read_parents(json::object const& run, Event& event, Faults& faults) {
  auto const* const facet = find_facet(run, "parent");
  if (facet == nullptr) return;
  std::string const path = "/run/facets/parent";
  auto const read = [&](json::object const& from, std::string const& at) {
    auto const* const parent_run = find_object(from, "run");
    auto const* const job = find_object(from, "job");
    if (parent_run == nullptr || job == nullptr) return faults.leave_out(at, "must have a run and a job");
    Faults of_parent;  // the facet itself is kept whole
    ParentRun parent{text_in(*parent_run, "runId", below(at, "run"), of_parent),
                     name_in(*job, below(at, "job"), of_parent)};
    if (!of_parent.first().empty()) return faults.leave_out(at, of_parent.first());
    if (!fold_uuid(parent.run)) parent.run = uuid_of(parent.run);
    bool const is_new = std::ranges::find(event.parents, parent) == event.parents.end();
    if (parent.run != event.run && is_new) event.parents.push_back(std::move(parent));
  };
  read(*facet, path);
  if (auto const* const root = find_object(*facet, "root")) read(*root, path + "/root");
}

/// A date and time of ISO 8601 that is written otherwise than RFC 3339 would: a space or a small letter between them, a
/// comma before the fraction, more digits of it than nanoseconds have, no seconds, nothing between the digits, a space
/// before the zone, a zone without a colon or minutes, or none, which is UTC.
std::string as_rfc3339(std::string text) {
  constexpr std::size_t date_size = 10;  // 2026-10-01
  constexpr std::size_t nano_digits = 9;
  bool const is_basic = text.size() > 8 && text[8] == 'T' && text.find('-') >= 8 && text.find(':') >= 8;
  if (is_basic) {  // 20261001T032000Z
    for (std::size_t const at : {4U, 7U}) text.insert(at, "-");
    for (std::size_t const at : {13U, 16U}) {
      bool const has_more = at < text.size() && text[at] >= '0' && text[at] <= '9';
      if (has_more) text.insert(at, ":");
    }
  }
  if (text.size() < date_size + 6) return text;
  text[date_size] = text[date_size] == ' ' || text[date_size] == 't' ? 'T' : text[date_size];
  auto zone = text.find_first_of("Zz+-", date_size);
  auto offset = zone == std::string::npos ? std::string{"Z"} : text.substr(zone);
  text.resize(std::min(zone, text.size()));
  while (text.ends_with(' ')) text.pop_back();
  if (auto const comma = text.find(','); comma != std::string::npos) text[comma] = '.';
  if (text.size() == date_size + 6) text += ":00";
  auto const point = text.find('.');
  bool const has_fraction =
      point != std::string::npos && text.find_first_not_of("0123456789", point + 1) == std::string::npos;
  if (has_fraction) text.resize(std::min(text.size(), point + 1 + nano_digits));
  if (offset == "z") offset = "Z";
  if (offset.size() == 3) offset += ":00";
  if (offset.size() == 5) offset.insert(3, 1, ':');
  return text + offset;
}

schema::Time time_in(json::object const& event, Faults& faults) {
  auto const text = text_in(event, "eventTime", {}, faults);
  auto time = schema::parse_rfc3339(text);
  if (!time) time = schema::parse_rfc3339(as_rfc3339(text));
  if (!time) faults.refuse("/eventTime", "must be an RFC 3339 date-time");
  return time.value_or(schema::Time{});
}

/// Inputs that only facets name are inputs too.
void add_named_inputs(Event& event, Faults& faults) {
  for (auto const& [name, output] : event.outputs) {
    for (auto const& from : output.from) event.inputs.try_emplace(from);
    for (auto const& from : output.lineage.value_or(std::vector<Name>{})) event.inputs.try_emplace(from);
  }
  auto count = event.inputs.size() + event.outputs.size() + event.jobs.size();
  for (auto const& output : event.outputs) count += output.second.jobs.size();
  for (auto const& other : event.others) count += 1 + other.inputs.size() + other.jobs.size();
  if (count > 2 * datasets_max) faults.refuse("/outputs", "name more than 2000 datasets and jobs");
}

void read_dataset_event(json::object const& root, Event& event, Faults& faults) {
  event.kind = EventKind::dataset;
  auto const* const dataset = find_object(root, "dataset");
  if (dataset == nullptr) return faults.refuse("/run", "an event has a run with its job, a job, or a dataset");
  auto const name = name_in(*dataset, "/dataset", faults);
  add_use(event.outputs, dataset_name(name.space, name.name),
          use_in(*dataset, "outputFacets", "/dataset", event, faults));
  add_named_inputs(event, faults);
}

void read_state(json::object const& root, Event& event, Faults& faults) {
  auto const* const held = find(root, "eventType");
  if (held == nullptr) return;
  auto state = held->is_string() ? schema::in_upper(std::string_view(held->get_string())) : std::string{};
  if (std::ranges::find(states, state) == states.end()) {
    return faults.leave_out("/eventType", "must be one of START, RUNNING, COMPLETE, ABORT, FAIL, OTHER");
  }
  event.state = std::move(state);
}

Event event_in(json::value const& value, Faults& faults) {
  auto const& root = object_in(value, {}, faults);
  Event event{.time = time_in(root, faults)};
  auto const* const run = find(root, "run");
  auto const* const job = find(root, "job");
  if (run == nullptr && job == nullptr) {
    read_dataset_event(root, event, faults);
    return event;
  }
  EntryFacets entries;
  event.kind = run == nullptr ? EventKind::job : EventKind::run;
  read_state(root, event, faults);
  if (job == nullptr) {
    faults.refuse("/job", "is required");
    return event;
  }
  auto const& job_object = object_in(*job, "/job", faults);
  event.job = name_in(job_object, "/job", faults);
  event.job_facets = facets_in(job_object, "facets", "/job", event.time, faults);
  if (run != nullptr) {
    auto const& run_object = object_in(*run, "/run", faults);
    event.run = uuid_in(run_object, "runId", "/run", faults);
    event.run_facets = facets_in(run_object, "facets", "/run", event.time, faults);
    read_parents(run_object, event, faults);
    read_entries(run_object, "/run", event, entries, faults);
  }
  read_uses(root, "inputs", "inputFacets", event, event.inputs, faults);
  read_uses(root, "outputs", "outputFacets", event, event.outputs, faults);
  read_entries(job_object, "/job", event, entries, faults);
  add_entry_facets(entries, event, faults);
  add_named_inputs(event, faults);
  return event;
}

/// Whether a place is within facets.
bool is_in_facets(std::string_view place) {
  return place.find("/facets/") != std::string_view::npos || place.find("Facets/") != std::string_view::npos;
}

/// What cannot be kept as it was given in the part of a document below `root`.
void note_altered(schema::json::Document const& document, std::string const& root, Faults& faults) {
  for (auto const& each : document.duplicates) {
    if (!each.starts_with(root + "/")) continue;
    auto const place = each.substr(root.size());
    if (is_in_facets(place)) {
      faults.leave_out(place, "is named twice, all but the last");
    } else {
      faults.refuse(place, "is named twice");
    }
  }
  if (document.has_more_places) faults.refuse({}, "has too many members named twice");
}

Result<Event> read(json::value const& value, schema::json::Document const& document, std::string const& root) {
  Faults faults;
  note_altered(document, root, faults);
  auto event = event_in(value, faults);
  event.left_out = faults.take_left_out();
  if (faults.first().empty()) return event;
  return Error{.code = Errc::invalid_record, .message = faults.first()};
}

/// The texts of the items of a list, by its brackets alone; nothing where they do not end, or there are too many items.
std::optional<std::vector<std::string_view>> split_list(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n";
  auto const first = text.find_first_not_of(std::string(blanks) + "\xEF\xBB\xBF");
  if (first == std::string_view::npos || text[first] != '[') return std::nullopt;
  std::vector<std::string_view> items;
  std::size_t depth = 0;
  bool is_in_text = false;
  auto begin = first + 1;
  for (auto at = first; at < text.size(); ++at) {
    char const c = text[at];
    if (is_in_text) {
      at += c == '\\' ? 1 : 0;
      is_in_text = c != '"';
      continue;
    }
    is_in_text = c == '"';
    if (c == '[' || c == '{') ++depth;
    if (c == ']' || c == '}') --depth;
    bool const is_end = depth == 0;
    if (!is_end && !(c == ',' && depth == 1)) continue;
    auto const item = text.substr(begin, at - begin);
    bool const is_empty = item.find_first_not_of(blanks) == std::string_view::npos;
    if (!is_empty || !is_end || !items.empty()) items.push_back(item);
    begin = at + 1;
    if (is_end)
      return text.find_first_not_of(blanks, begin) == std::string_view::npos ? std::optional{items} : std::nullopt;
    if (items.size() > batch_events_max) return std::nullopt;
  }
  return std::nullopt;
}

/// Each event of a batch by itself, where it cannot be read as one document.
std::optional<BatchEvents> read_each(std::string_view text) {
  auto const items = split_list(text);
  if (!items) return std::nullopt;
  BatchEvents events;
  events.reserve(items->size());
  for (auto const each : *items) events.push_back(read_event(each));
  bool const is_list = std::ranges::any_of(
      events, [](Result<Event> const& each) { return each || each.error().code != Errc::parse_error; });
  return is_list ? std::optional{std::move(events)} : std::nullopt;
}

}  // namespace

void merge(Facets& facets, Facets const& later) {
  for (auto const& [name, state] : later) {
    auto const [at, is_new] = facets.try_emplace(name, state);
    if (is_new) continue;
    bool const is_newer =
        state.time > at->second.time || (state.time == at->second.time && state.json > at->second.json);
    if (is_newer) at->second = state;
  }
}

Result<Event> read_event(std::string_view text) {
  auto const parsed = schema::json::parse_foreign(text, event_depth_max);
  if (!parsed) return parsed.error();
  return read(parsed->value, *parsed, {});
}

Result<BatchEvents> read_batch(std::string_view text) {
  auto const parsed = schema::json::parse_foreign(text, event_depth_max + 1);
  if (!parsed || parsed->has_more_places) {
    if (auto events = read_each(text)) return std::move(*events);
  }
  if (!parsed) return parsed.error();
  if (!parsed->value.is_array()) {
    return Error{.code = Errc::invalid_record, .message = "a batch is an array of events"};
  }
  auto const& list = parsed->value.get_array();
  if (list.size() > batch_events_max) {
    return Error{.code = Errc::limit_exceeded, .message = "a batch has at most 10000 events"};
  }
  BatchEvents events;
  events.reserve(list.size());
  for (std::size_t i = 0; i < list.size(); ++i) events.push_back(read(list[i], *parsed, "/" + std::to_string(i)));
  return events;
}

}  // namespace whence::net::openlineage
