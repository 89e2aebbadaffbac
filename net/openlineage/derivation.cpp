// All events are taken into facts first. Then the datasets whose versions or readings may have changed are found, over
// all their names and behind what jobs declared; their readings find their versions anew, and the runs of those that
// changed are written again.

#include "net/openlineage/derivation.hpp"

#include "graph/snapshot/records.hpp"
#include "net/openlineage/facts.hpp"
#include "schema/base/limits.hpp"
#include "schema/types/edge_type.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>

namespace whence::net::openlineage {

namespace {

using schema::EdgeType;
using schema::NodeRef;
using schema::RecordType;
using schema::VertexId;

constexpr std::size_t names_max = 64;             // of one dataset
constexpr std::size_t behind_max = datasets_max;  // datasets that are looked at behind one that was declared

/// What a record holds beside its facets, apart from names.
constexpr std::size_t plain_bytes = 4'096;

/// Bytes of `text` as a text in a text of JSON, or more.
std::size_t quoted_bytes(std::string_view text) {
  auto const is_escaped = [](char c) { return c == '"' || c == '\\'; };
  return text.size() + static_cast<std::size_t>(std::ranges::count_if(text, is_escaped));
}

/// What a record's attributes take for one facet: its body, its name with that and with its time.
std::size_t bytes_of(std::string const& name, FacetState const& state) {
  constexpr std::size_t time_and_marks = 64;
  return quoted_bytes(state.json) + 2 * quoted_bytes(name) + time_and_marks;
}

/// What they usually take for a dataset's name. Of longer ones the record may be too large, and is refused.
constexpr std::size_t name_bytes = 192;

/// Who wrote a dataset, and who read it.
struct Uses {
  std::map<RunKey, VersionFacts> versions = {};
  std::map<RunKey, ReadingFacts> readings = {};
  std::vector<std::pair<RunKey, NodeRef>> known_readings = {};  ///< as the graph has them
};

bool is_end(std::string_view state) {
  return state == "COMPLETE" || state == "ABORT" || state == "FAIL";
}

template <class Time>
void take_least(std::optional<Time>& known, Time const& time) {
  known = known ? std::min(*known, time) : time;
}

template <class Time>
void take_greatest(std::optional<Time>& known, Time const& time) {
  known = known ? std::max(*known, time) : time;
}

/// Takes what an event says of its run: the order of events makes no difference.
void merge(RunFacts& facts, Event const& event) {
  bool const is_first = facts.jobs.empty();
  if (is_first || std::tie(event.time, event.job) > std::tie(facts.job_time, facts.job)) {
    facts.job = event.job;
    facts.job_time = event.time;
  }
  facts.jobs.insert(event.job);
  facts.first = std::min(facts.first, event.time);
  if (event.state == "START") take_least(facts.start, event.time);
  if (is_end(event.state)) take_greatest(facts.end, event.time);
  auto const rank = [](schema::Time time, std::string const& state) { return std::tuple{time, is_end(state), state}; };
  bool const is_newer = facts.state.empty() || rank(event.time, event.state) > rank(facts.state_time, facts.state);
  if (!event.state.empty() && is_newer) {
    facts.state = event.state;
    facts.state_time = event.time;
  }
  for (auto const& [name, use] : event.inputs) facts.inputs.insert(name);
  for (auto const& [name, use] : event.outputs) facts.outputs.insert(name);
  facts.sources.insert(event.jobs.begin(), event.jobs.end());
  for (auto const& [name, use] : event.outputs) {
    if (use.lineage) facts.explicit_outputs.insert(name);
  }
  if (event.kind == EventKind::job && !event.is_of_other && !event.inputs.empty()) {
    std::set<Name> declared;
    for (auto const& [name, use] : event.inputs) declared.insert(name);
    facts.declare(event.time, declared);
  }
  for (auto const& parent : event.parents) {
    auto const is_after = [&](ParentRun const& each) {
      return std::tie(each.run, each.job) >= std::tie(parent.run, parent.job);
    };
    auto const place = std::ranges::find_if(facts.parents, is_after);
    if (place == facts.parents.end() || *place != parent) facts.parents.insert(place, parent);
  }
}

class Derivation {
 public:
  Derivation(graph::Snapshot const& snapshot, schema::RecordReader const& reader, FactsCache& cache)
      : snapshot_(snapshot), reader_(reader), cache_(cache) {}

  Result<Derived> run(std::span<Event const* const> events) {
    if (cache_.is_full()) cache_.clear();
    for (; place_ < events.size(); ++place_) {
      if (auto const taken = take(*events[place_]); !taken) return taken.error();
    }
    for (auto const& key : std::set(touched_)) {
      if (auto const noted = note_uses(key); !noted) return noted.error();
    }
    for (auto const& dataset : std::set(renamed_)) {
      if (auto const touched = touch_uses(dataset); !touched) return touched.error();
    }
    if (auto const spread = spread_written(); !spread) return spread.error();
    std::map<Name, Names> datasets;  // by the first of the names
    for (auto const& dataset : rewritten_) {
      auto const names = names_of(dataset);
      if (!names) return names.error();
      datasets.try_emplace(*names->begin(), *names);
    }
    for (auto const& [first, names] : datasets) find_versions_of(names);
    for (auto const& [first, names] : datasets) {
      if (auto const read = read_through(names); !read) return read.error();
      // Runs whose readings have moved are written again with them.
      for (auto const& each : names) note_moved(each);
    }
    for (auto const& key : touched_) {
      if (auto const loaded = load_inputs(key); !loaded) return loaded.error();
    }
    write_things();
    for (auto const& key : touched_) {
      if (auto const written = write_run(key); !written) return written.error();
    }
    return std::move(out_);
  }

 private:
  // --- what is known ---

  /// One for each vertex.
  Result<std::vector<graph::Said>> read(std::vector<VertexId> const& vertices) const {
    std::vector<graph::Said> records;
    records.reserve(vertices.size());
    auto const done = graph::read_records(snapshot_, reader_, vertices, [&](std::size_t, graph::Said&& said) {
      records.push_back(std::move(said));
      return true;
    });
    if (!done) return done.error();
    return records;
  }

  /// The node `ref`, where something declares it.
  Result<std::optional<schema::ProvNode>> read(NodeRef const& ref) const {
    std::optional<schema::ProvNode> none;
    auto const vertex = snapshot_.find(ref.type, ref.id);
    if (!vertex) return none;
    auto records = read(std::vector{*vertex});
    if (!records) return records.error();
    auto* const record = records->front().find();
    if (record == nullptr) return none;
    schema::ProvNode node;
    if (auto* const activity = std::get_if<schema::ProvActivity>(record)) node = std::move(*activity);
    if (auto* const entity = std::get_if<schema::ProvEntity>(record)) node = std::move(*entity);
    if (!node.is_declared.value_or(true)) return none;
    return std::optional{std::move(node)};
  }

  static Error taken(NodeRef const& ref) {
    return {.code = Errc::conflict,
            .message = schema::format_ref(ref) + " is known, and was not made from events of OpenLineage"};
  }

  Result<ThingFacts*> thing(NodeRef const& ref, std::map<Name, ThingFacts>& things, Name const& name) {
    if (auto const known = things.find(name); known != things.end()) return &known->second;
    auto const node = read(ref);
    if (!node) return node.error();
    ThingFacts facts;
    if (*node) {
      auto known = thing_facts(**node);
      if (!known) return taken(ref);
      facts = std::move(*known);
    }
    return &things.emplace(name, std::move(facts)).first->second;
  }

  Result<ThingFacts*> job(Name const& name) { return thing(job_ref(name), jobs_, name); }

  Result<ThingFacts*> dataset(Name const& name) {
    auto facts = thing(dataset_ref(name), datasets_, name);
    if (!facts) return facts;
    if (auto const loaded = load_uses(name); !loaded) return loaded.error();
    return facts;
  }

  /// All names of a dataset, in their order: what symlinks say, over any number of steps, up to `names_max`.
  Result<Names> names_of(Name const& name) {
    Names names{name};
    std::vector<Name> next{name};
    while (!next.empty()) {
      auto const facts = dataset(next.back());
      if (!facts) return facts.error();
      next.pop_back();
      for (auto const& each : (*facts)->same) {
        if (names.size() < names_max && names.insert(each).second) next.push_back(each);
      }
    }
    return names;
  }

  /// Notes that `name` and `other` are one dataset.
  Result<void> join(Name const& name, Name const& other) {
    for (auto const& [one, also] : {std::pair{name, other}, std::pair{other, name}}) {
      auto const facts = dataset(one);
      if (!facts) return facts.error();
      if ((*facts)->same.insert(also).second) renamed_.insert(one);
    }
    return {};
  }

  /// A dataset has another name: what was written and read of it says so, so its runs are written again.
  Result<void> touch_uses(Name const& dataset) {
    auto const names = names_of(dataset);
    if (!names) return names.error();
    for (auto const& name : *names) {
      rewritten_.insert(name);
      for (auto const& [key, version] : uses_.at(name).versions) touched_.insert(key);
      for (auto const& [key, reading] : uses_.at(name).readings) touched_.insert(key);
    }
    return {};
  }

  /// The versions and the readings that the graph has of a dataset.
  Result<void> load_uses(Name const& name) {
    auto const [at, is_new] = uses_.try_emplace(name);
    auto const ref = dataset_ref(name);
    auto const vertex = is_new ? snapshot_.find(ref.type, ref.id) : std::nullopt;
    if (!vertex) return {};
    std::vector<VertexId> around;
    auto const relations = snapshot_.relations_to(*vertex);
    for (std::size_t i = 0; i < relations.size(); ++i) {
      if (snapshot_.type(relations.edges[i]) == EdgeType::prov_specialization_of)
        around.push_back(relations.vertices[i]);
    }
    auto const effects = snapshot_.effects(*vertex);
    for (std::size_t i = 0; i < effects.size(); ++i) {
      if (snapshot_.type(effects.edges[i]) == EdgeType::prov_was_derived_from) around.push_back(effects.vertices[i]);
    }
    if (auto const known = know(around); !known) return known.error();
    for (auto const each : around) {
      auto const& facts = *cache_.find(each, snapshot_.contents_count(each));
      auto const* const version = std::get_if<VersionFacts>(&facts);
      auto const* const reading = std::get_if<ReadingFacts>(&facts);
      // Those of the dataset's other names lead to it too.
      if (version != nullptr && version->dataset == name) {
        at->second.versions.insert_or_assign(version->run, *version);
      } else if (reading != nullptr && reading->dataset == name) {
        NodeRef known{RecordType::prov_entity, std::string(snapshot_.id(each))};
        at->second.known_readings.emplace_back(reading->run, std::move(known));
        at->second.readings.insert_or_assign(reading->run, *reading);
      }
    }
    return {};
  }

  /// Puts into the cache what it lacks of `vertices`.
  Result<void> know(std::vector<VertexId> const& vertices) {
    std::vector<VertexId> missing;
    for (auto const each : vertices) {
      if (cache_.find(each, snapshot_.contents_count(each)) == nullptr) missing.push_back(each);
    }
    if (missing.empty()) return {};
    auto records = read(missing);
    if (!records) return records.error();
    for (std::size_t i = 0; i < missing.size(); ++i) {
      UseFacts facts;
      auto const* const record = (*records)[i].find();
      auto const* const entity = record == nullptr ? nullptr : std::get_if<schema::ProvEntity>(record);
      auto const* const activity = record == nullptr ? nullptr : std::get_if<schema::ProvActivity>(record);
      if (activity != nullptr) {
        if (auto run = run_facts(*activity)) {
          run->facets.clear();
          facts = std::move(*run);
        }
      }
      if (entity != nullptr) {
        if (auto version = version_facts(*entity)) {
          version->facets.clear();
          facts = std::move(*version);
        } else if (auto reading = reading_facts(*entity)) {
          reading->facets.clear();
          facts = std::move(*reading);
        }
      }
      cache_.put(missing[i], snapshot_.contents_count(missing[i]), std::move(facts));
    }
    return {};
  }

  /// The facets of what a run wrote and read of a dataset, which are wanted only where they are written again.
  Result<void> load_facets(Name const& name, RunKey const& key) {
    if (!whole_.emplace(name, key).second) return {};
    auto& uses = uses_.at(name);
    if (auto const version = uses.versions.find(key); version != uses.versions.end()) {
      auto const node = read(version_ref({name, key}));
      if (!node) return node.error();
      auto facts = *node ? version_facts(**node) : std::nullopt;
      if (facts) version->second.facets = std::move(facts->facets);
      facets_bytes_.erase(&version->second.facets);
    }
    for (auto const& [run, ref] : uses.known_readings) {
      if (run != key) continue;
      auto const node = read(ref);
      if (!node) return node.error();
      auto facts = *node ? reading_facts(**node) : std::nullopt;
      if (facts) uses.readings.at(key).facets = std::move(facts->facets);
      facets_bytes_.erase(&uses.readings.at(key).facets);
    }
    return {};
  }

  Result<RunFacts*> run(RunKey const& key) {
    if (auto const known = runs_.find(key); known != runs_.end()) return &known->second;
    auto const ref = run_ref(key);
    auto const node = read(ref);
    if (!node) return node.error();
    RunFacts facts{.first = {.seconds = std::numeric_limits<std::int64_t>::max()}};  // of no event yet
    if (*node) {
      auto known = run_facts(**node);
      if (!known) return taken(ref);
      facts = std::move(*known);
    }
    return &runs_.emplace(key, std::move(facts)).first->second;
  }

  // --- what events say ---

  /// The run that an event is about, or what represents runs; nothing where it is about no lineage.
  static std::optional<RunKey> key_of(Event const& event) {
    if (event.kind == EventKind::run) return RunKey{.uuid = event.run};
    if (event.kind == EventKind::dataset) {
      auto const& [name, use] = *event.outputs.begin();
      if (event.inputs.empty() && use.jobs.empty() && !use.lineage) return std::nullopt;
      return RunKey{.job = name, .is_dataset = true};
    }
    if (event.inputs.empty() && event.outputs.empty() && event.jobs.empty()) return std::nullopt;
    return RunKey{.job = event.job};
  }

  /// Takes what an event says of the facets of `thing` but for what would bring its record, which has `names` names,
  /// over the bound: that is left out, and named.
  void take_facets(Facets& known, Facets const& later, std::size_t names, std::string const& thing) {
    if (later.empty()) return;
    auto const [at, is_new] = facets_bytes_.try_emplace(&known, 0);
    auto& bytes = at->second;
    if (is_new) {
      for (auto const& [name, state] : known) bytes += bytes_of(name, state);
    }
    for (auto const& [name, state] : later) {
      auto const before = known.find(name);
      auto const with = bytes + bytes_of(name, state) - (before == known.end() ? 0 : bytes_of(name, before->second));
      auto const whole = plain_bytes + names * name_bytes + with;
      if (whole > schema::limits::prov_attributes_bytes_max && !state.json.empty()) {
        std::string what = "facet ";
        what.append(name).append(" of ").append(thing);
        leave_out(what.append(": all of its facets have more than 1048576 bytes (left out)"));
        continue;
      }
      merge(known, {{name, state}});
      bytes = before == known.end() || known.at(name) == state ? with : bytes;  // else a newer one is known
    }
  }

  /// Notes what is left out of the event that is taken, once.
  void leave_out(std::string what) {
    constexpr std::size_t reported_max = 20;
    auto& all = out_.left_out;
    std::size_t reported = 0;
    for (auto at = all.rbegin(); at != all.rend() && at->first == place_; ++at) {
      if (++reported == reported_max || at->second == what) return;
    }
    all.emplace_back(place_, std::move(what));
  }

  Result<void> take_source_jobs(std::set<SourceJob> const& sources) {
    for (auto const& each : sources) {
      if (auto const known = job(each.job); !known) return known.error();
    }
    return {};
  }

  static std::string text_of(Name const& dataset) { return schema::format_ref(dataset_ref(dataset)); }

  Result<void> take(Event const& event) {
    for (auto const& other : event.others) {
      if (auto taken = take(other); !taken) return taken;
    }
    if (auto taken = take_jobs(event); !taken) return taken;
    if (auto taken = take_datasets(event); !taken) return taken;
    auto const declared = key_of(event);
    if (!declared) return {};
    if (auto taken = take_run(event, *declared); !taken) return taken;
    if (auto taken = take_inputs(event, *declared); !taken) return taken;
    return take_outputs(event, *declared);
  }

  Result<void> take_jobs(Event const& event) {
    if (auto taken = take_source_jobs(event.jobs); !taken) return taken;
    for (auto const& output : event.outputs) {
      if (auto taken = take_source_jobs(output.second.jobs); !taken) return taken;
    }
    if (event.kind != EventKind::dataset) {
      auto const said = job(event.job);
      if (!said) return said.error();
      take_facets((*said)->facets, event.job_facets, 0, "job " + event.job.space + "/" + event.job.name);
      for (auto const& parent : event.parents) {
        if (auto const known = job(parent.job); !known) return known.error();
      }
    }
    return {};
  }

  Result<void> take_datasets(Event const& event) {
    for (auto const* const uses : {&event.inputs, &event.outputs}) {
      for (auto const& [name, use] : *uses) {
        auto const said = dataset(name);
        if (!said) return said.error();
        take_facets((*said)->facets, use.facets, (*said)->same.size(), text_of(name));
        for (auto const& other : use.same) {
          if (auto const joined = join(name, other); !joined) return joined.error();
        }
      }
    }
    return {};
  }

  Result<void> take_run(Event const& event, RunKey const& key) {
    auto const facts = run(key);
    if (!facts) return facts.error();
    merge(**facts, event);
    take_facets((*facts)->facets, event.run_facets, (*facts)->inputs.size() + (*facts)->outputs.size(),
                "run " + event.run);
    if ((*facts)->inputs.size() + (*facts)->outputs.size() > run_datasets_max) {
      return Error{.code = Errc::invalid_record, .message = "/run: a run has at most 4096 datasets in all its events"};
    }
    touched_.insert(key);
    for (auto const* const uses : {&event.inputs, &event.outputs}) {
      for (auto const& [name, use] : *uses) {
        if (auto const loaded = load_facets(name, key); !loaded) return loaded.error();
      }
    }
    return {};
  }

  Result<void> take_inputs(Event const& event, RunKey const& key) {
    for (auto const& [name, use] : event.inputs) {
      if (use.former.empty()) continue;
      // An input that was renamed is treated as in an event of the dataset.
      Event renamed{.kind = EventKind::dataset, .time = event.time};
      renamed.outputs[name].from = use.former;
      renamed.outputs[name].former = use.former;
      for (auto const& former : use.former) renamed.inputs[former];
      if (auto done = take(renamed); !done) return done;
    }
    for (auto const& [name, use] : event.inputs) {
      auto& reading = uses_.at(name).readings[key];
      take_facets(reading.facets, use.use_facets, 0, text_of(name));
      if (!use.version.empty()) reading.label.take({event.time, use.version});
    }
    return {};
  }

  Result<void> take_outputs(Event const& event, RunKey const& key) {
    for (auto const& [name, use] : event.outputs) {
      auto& version = uses_.at(name).versions[key];
      auto const sources = version.from.size() + (version.lineage ? version.lineage->size() : 0);
      take_facets(version.facets, use.facets, sources, text_of(name));
      take_facets(version.facets, use.use_facets, sources, text_of(name));
      version.from.insert(use.from.begin(), use.from.end());
      version.sources.insert(use.jobs.begin(), use.jobs.end());
      if (use.lineage) {
        if (!version.lineage) version.lineage.emplace();
        version.lineage->insert(use.lineage->begin(), use.lineage->end());
      }
      for (auto const& former : use.former) {
        if (auto const loaded = dataset(former); !loaded) return loaded.error();
        if (auto const loaded = load_facets(former, key); !loaded) return loaded.error();
        if (key.uuid.empty()) uses_.at(former).readings[key].is_renaming = true;
      }
      take_least(version.written, event.time);
      if (!use.version.empty()) version.label.take({event.time, use.version});
    }
    return {};
  }

  /// What the run read and wrote, with when it ran: of all its datasets, since its times may be new.
  Result<void> note_uses(RunKey const& key) {
    auto const& facts = runs_.at(key);
    for (auto const* const names : {&facts.inputs, &facts.outputs}) {
      for (auto const& name : *names) {
        if (auto const loaded = dataset(name); !loaded) return loaded.error();
        rewritten_.insert(name);
      }
    }
    for (auto const& name : facts.inputs) (void)reading_of(name, key);
    for (auto const& name : facts.outputs) (void)version_of(name, key);
    return {};
  }

  ReadingFacts const& reading_of(Name const& name, RunKey const& key) {
    auto& reading = uses_.at(name).readings[key];
    reading.dataset = name;
    reading.run = key;
    reading.span = runs_.at(key).span();
    reading.apart = apart_of(runs_.at(key), name);
    return reading;
  }

  VersionFacts const& version_of(Name const& name, RunKey const& key) {
    auto& version = uses_.at(name).versions[key];
    version.dataset = name;
    version.run = key;
    version.span = runs_.at(key).span();
    version.has_failed = runs_.at(key).has_failed();
    return version;
  }

  /// Of a dataset with these names.
  void find_versions_of(Names const& names) {
    std::vector<VersionFacts const*> versions;
    std::vector<ReadingFacts*> readings;
    for (auto const& name : names) {
      for (auto& [run, version] : uses_.at(name).versions) versions.push_back(&version);
      for (auto& [run, reading] : uses_.at(name).readings) readings.push_back(&reading);
    }
    find_versions_read(std::move(versions), std::move(readings));
  }

  // --- what jobs declare stands ---

  /// What is known of a declared run, once all events are taken; without its facets.
  Result<RunFacts const*> declared(RunKey const& key) {
    auto const [at, is_new] = declared_.try_emplace(key);
    if (!is_new) return &at->second;
    if (auto const known = runs_.find(key); known != runs_.end()) {
      at->second = known->second;
      at->second.facets.clear();
      return &at->second;
    }
    auto const ref = run_ref(key);
    auto const vertex = snapshot_.find(ref.type, ref.id);
    if (!vertex) return &at->second;
    if (auto const known = know({*vertex}); !known) return known.error();
    auto const* const facts = std::get_if<RunFacts>(cache_.find(*vertex, snapshot_.contents_count(*vertex)));
    if (facts != nullptr) at->second = *facts;
    return &at->second;
  }

  /// What was written may stand behind what declared runs write, over any number of them: that is written again too.
  Result<void> spread_written() {
    std::set<Name> written = renamed_;
    for (auto const& [key, facts] : runs_) written.insert(facts.outputs.begin(), facts.outputs.end());
    std::vector<Name> next(written.begin(), written.end());
    while (!next.empty()) {
      auto const names = names_of(next.back());
      if (!names) return names.error();
      next.pop_back();
      for (auto const& name : *names) {
        for (auto const& [key, reading] : uses_.at(name).readings) {
          if (!key.uuid.empty()) continue;
          auto const facts = declared(key);
          if (!facts) return facts.error();
          for (auto const& output : (*facts)->outputs) {
            if (!written.insert(output).second) continue;
            if (auto const loaded = dataset(output); !loaded) return loaded.error();
            next.push_back(output);
          }
        }
      }
    }
    rewritten_.insert(written.begin(), written.end());
    return {};
  }

  /// Who read what was declared, with what stood behind it when that one began.
  struct Reader {
    ReadingFacts* reading = nullptr;
    Span span = {};
    std::set<VersionKey> from = {};
    std::set<RunKey> declared = {};  // runs that were looked behind
    std::set<VersionKey> seen = {};  // what was looked behind: of a run that makes all outputs of all inputs, one
    std::size_t looked_at = 0;       // datasets
    bool is_cut = false;             // there is more than is looked at
    bool is_base = false;            // it stands for the declared version itself
  };

  /// Finds what stood behind the declared version `version` when each of `readers` began: the versions that runs had
  /// written of its inputs, and so on behind inputs that were declared. `way` are the declared runs in front, whose own
  /// versions are not read. At most `behind_max` datasets a reader.
  Result<void> look_behind(VersionKey const& version, std::vector<Reader*> readers, std::vector<RunKey>& way) {
    auto const& key = version.run;
    auto const& lineage = uses_.at(version.dataset).versions.at(key).lineage;
    std::erase_if(readers, [&](Reader* reader) {
      return !reader->seen.insert({lineage ? version.dataset : Name{}, key}).second;
    });
    for (auto* const reader : readers) reader->declared.insert(key);
    auto const facts = declared(key);
    if (!facts) return facts.error();
    way.push_back(key);
    for (auto const& input : (*facts)->inputs) {
      if (lineage && !lineage->contains(input)) continue;
      std::erase_if(readers, [](Reader* reader) { return reader->is_cut; });
      std::vector<Reader*> asking;
      for (auto* const reader : readers) {
        bool const is_of_now = reader->is_base && way.size() == 1;
        if (!(*facts)->stands(input, is_of_now ? std::nullopt : std::optional{reader->span.begin})) continue;
        reader->is_cut = ++reader->looked_at > behind_max;
        if (!reader->is_cut) asking.push_back(reader);
      }
      if (asking.empty()) continue;
      if (auto const loaded = dataset(input); !loaded) return loaded.error();
      auto const names = names_of(input);
      if (!names) return names.error();
      auto const said = uses_.at(input).readings.find(key);
      auto const* const own = said == uses_.at(input).readings.end() ? nullptr : &said->second;
      std::vector<ReadingFacts> moments;
      for (auto const* const reader : asking) {
        ReadingFacts moment{.dataset = input, .run = reader->reading->run, .span = reader->span};
        if (own != nullptr) moment.label = own->label;
        if (own != nullptr && own->is_renaming) moment.span = own->span;
        moment.is_renaming = own != nullptr && own->is_renaming;
        moments.push_back(std::move(moment));
      }
      find_moments(*names, way, moments);
      std::map<VersionKey, std::vector<std::size_t>> further;
      for (std::size_t i = 0; i < asking.size(); ++i) {
        if (!moments[i].of) continue;
        if (moments[i].of->run.uuid.empty()) {
          further[*moments[i].of].push_back(i);
        } else {
          asking[i]->from.insert(*moments[i].of);
        }
      }
      for (auto const& [behind, places] : further) {
        std::vector<Reader*> those;
        those.reserve(places.size());
        for (auto const i : places) those.push_back(asking[i]);
        if (auto looked = look_behind(behind, std::move(those), way); !looked) return looked;
      }
    }
    way.pop_back();
    return {};
  }

  /// Which version of a dataset stood at each of `moments`, without those of `but`.
  void find_moments(Names const& names, std::vector<RunKey> const& but, std::vector<ReadingFacts>& moments) {
    std::vector<VersionFacts const*> versions;
    for (auto const& name : names) {
      for (auto const& [run, version] : uses_.at(name).versions) {
        if (std::ranges::find(but, run) == but.end()) versions.push_back(&version);
      }
    }
    std::vector<ReadingFacts*> places;
    places.reserve(moments.size());
    for (auto& each : moments) places.push_back(&each);
    find_versions_read(std::move(versions), std::move(places));
  }

  /// Sets what stood behind the declared versions of a dataset when they were read.
  Result<void> read_through(Names const& names) {
    std::map<VersionKey, std::vector<Reader>> readers;  // by what was declared
    for (auto const& name : names) {
      for (auto& [run, reading] : uses_.at(name).readings) {
        reading.through.reset();
        if (reading.of && reading.of->run.uuid.empty()) {
          readers[*reading.of].push_back({.reading = &reading, .span = reading.span});
        }
      }
    }
    for (auto& [key, all] : readers) {
      ReadingFacts own{.run = key.run};
      Reader base{.reading = &own, .span = uses_.at(key.dataset).versions.at(key.run).span, .is_base = true};
      std::vector<Reader*> those{&base};
      for (auto& each : all) those.push_back(&each);
      std::vector<RunKey> way;
      if (auto looked = look_behind(key, std::move(those), way); !looked) return looked;
      for (auto& each : all) {
        if (each.from != base.from || each.is_cut)
          each.reading->through = Behind{std::move(each.from), std::move(each.declared)};
      }
    }
    return {};
  }

  void note_moved(Name const& name) {
    auto const& uses = uses_.at(name);
    for (auto const& [run, ref] : uses.known_readings) {
      if (reading_ref(uses.readings.at(run)) == ref) continue;
      out_.deletes.push_back(ref);
      touched_.insert(run);
    }
  }

  /// Of a run that is written all readings are wanted, since its record names them.
  Result<void> load_inputs(RunKey const& key) {
    auto const facts = run(key);
    if (!facts) return facts.error();
    for (auto const* const names : {&(*facts)->inputs, &(*facts)->outputs}) {
      for (auto const& name : *names) {
        if (auto const loaded = dataset(name); !loaded) return loaded.error();
        if (auto const loaded = load_facets(name, key); !loaded) return loaded.error();
      }
    }
    return {};
  }

  // --- records ---

  template <class Record>
  void write(Record record) {
    out_.records.push_back({.record = std::move(record)});
  }

  void write_things() {
    for (auto const& [name, facts] : jobs_) write(job_record(name, facts));
    for (auto const& [name, facts] : datasets_) write(dataset_record(name, facts));
  }

  Result<void> write_run(RunKey const& key) {
    auto const& facts = runs_.at(key);
    std::map<Name, ReadingFacts> readings;
    for (auto const& name : facts.inputs) {
      auto const& reading = reading_of(name, key);
      if (facts.stands(name)) readings.emplace(name, reading);
      auto const names = names_of(name);
      if (!names) return names.error();
      write(reading_record(reading, *names));
    }
    for (auto const& parent : facts.parents) mention(parent.run);
    for (auto const& source : facts.sources) mention(source.run);
    write(run_record(key, facts, readings));
    for (auto const& name : facts.outputs) {
      auto const names = names_of(name);
      if (!names) return names.error();
      auto const& version = version_of(name, key);
      for (auto const& source : version.sources) mention(source.run);
      write(version_record(version, *names, readings));
    }
    return {};
  }

  /// A run that others name, which may be unknown.
  void mention(std::string const& uuid) {
    if (uuid.empty()) return;
    RunKey const named{.uuid = uuid};
    auto const ref = run_ref(named);
    bool const is_known = touched_.contains(named) || snapshot_.find(ref.type, ref.id);
    if (!is_known && mentioned_.insert(named).second) write(mentioned_run(named));
  }

  graph::Snapshot const& snapshot_;
  schema::RecordReader const& reader_;
  FactsCache& cache_;
  Derived out_;
  std::size_t place_ = 0;                              // of the event that is taken
  std::map<Facets const*, std::size_t> facets_bytes_;  // of things, what their facets take
  std::map<RunKey, RunFacts> runs_;
  std::map<Name, ThingFacts> jobs_;
  std::map<Name, ThingFacts> datasets_;
  std::map<Name, Uses> uses_;
  std::set<RunKey> touched_;
  std::set<Name> renamed_;    // datasets that have a name more
  std::set<Name> rewritten_;  // datasets whose versions or readings may have changed
  std::map<RunKey, RunFacts> declared_;
  std::set<RunKey> mentioned_;
  std::set<std::pair<Name, RunKey>> whole_;  // uses whose facets were read
};

}  // namespace

Result<Derived> derive(std::span<Event const* const> events, graph::Snapshot const& snapshot,
                       schema::RecordReader const& reader, FactsCache& cache) {
  return Derivation(snapshot, reader, cache).run(events);
}

}  // namespace whence::net::openlineage
