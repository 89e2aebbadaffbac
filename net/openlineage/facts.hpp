#pragma once
// What is known of runs, jobs, datasets, the versions that runs wrote and the readings that runs made: each a PROV
// record that also holds the facts which other records depend on. So the graph itself is the state: nothing waits in
// memory, and a restart, a backup or an export has all of it.

#include "net/openlineage/event.hpp"
#include "schema/base/time.hpp"
#include "schema/records/prov/records.hpp"
#include "schema/records/ref.hpp"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace whence::net::openlineage {

/// A run, or a job that was declared without one: it then stands for all of its runs.
struct RunKey {
  std::string uuid = {};  ///< empty: declared
  Name job = {};          ///< of a declared one; else empty

  friend auto operator<=>(RunKey const&, RunKey const&) = default;
};

/// When a run ran. A run that is not known to have ended counts as a moment, that of its beginning.
struct Span {
  schema::Time begin = {};
  schema::Time end = {};  ///< not before `begin`

  friend bool operator==(Span const&, Span const&) = default;
};

struct RunFacts {
  Name job = {};
  schema::Time job_time = {};              ///< of the event that named the job
  schema::Time first = {};                 ///< of the earliest event
  std::optional<schema::Time> start = {};  ///< of the earliest START
  std::optional<schema::Time> end = {};    ///< of the latest COMPLETE, ABORT or FAIL
  std::string state = {};                  ///< of the newest event that says one
  schema::Time state_time = {};
  std::set<Name> inputs = {};
  std::set<Name> outputs = {};
  std::vector<ParentRun> parents = {};  ///< in the order of their ids
  Facets facets = {};

  [[nodiscard]] Span span() const;
  /// Whether what it wrote is not what a later run read.
  [[nodiscard]] bool has_failed() const { return state == "FAIL" || state == "ABORT"; }
  friend bool operator==(RunFacts const&, RunFacts const&) = default;
};

/// Of a job or a dataset.
struct ThingFacts {
  Facets facets = {};

  friend bool operator==(ThingFacts const&, ThingFacts const&) = default;
};

/// What one run wrote of a dataset.
struct VersionFacts {
  RunKey run = {};
  Span span = {};  ///< of the run
  bool has_failed = false;
  std::set<Name> from = {};  ///< inputs of the run that lineage facets name as its sources
  Facets facets = {};

  friend bool operator==(VersionFacts const&, VersionFacts const&) = default;
};

/// What one run read of a dataset.
struct ReadingFacts {
  RunKey run = {};
  Span span = {};
  std::optional<RunKey> of = {};  ///< who wrote the version that was read; nothing: no version is known
  Facets facets = {};

  friend bool operator==(ReadingFacts const&, ReadingFacts const&) = default;
};

/// Whether `reader` found what `writer` had written: the writer had ended when the reader began. Two moments at one
/// time are ordered by their keys, so that nothing reads what was made from it.
[[nodiscard]] bool is_before(VersionFacts const& writer, RunKey const& reader, Span const& reading);

// The nodes. `prov_id` of: NAMESPACE/NAME of a dataset, with #run=UUID of a version, #read=UUID of a reading;
// urn:uuid:UUID of a run; urn:openlineage:job:NAMESPACE/NAME of a job, and with #declared of what stands for its runs.
[[nodiscard]] schema::NodeRef dataset_ref(Name const& dataset);
[[nodiscard]] schema::NodeRef job_ref(Name const& job);
[[nodiscard]] schema::NodeRef run_ref(RunKey const& run);
[[nodiscard]] schema::NodeRef version_ref(Name const& dataset, RunKey const& run);
[[nodiscard]] schema::NodeRef reading_ref(Name const& dataset, ReadingFacts const& reading);

// The records. A run's relations name its readings, which must be those that there are.
[[nodiscard]] schema::ProvEntity dataset_record(Name const& dataset, ThingFacts const& facts);
[[nodiscard]] schema::ProvEntity job_record(Name const& job, ThingFacts const& facts);
[[nodiscard]] schema::ProvActivity run_record(RunKey const& run, RunFacts const& facts,
                                              std::map<Name, ReadingFacts> const& readings);
[[nodiscard]] schema::ProvEntity version_record(Name const& dataset, VersionFacts const& facts,
                                                std::map<Name, ReadingFacts> const& readings);
[[nodiscard]] schema::ProvEntity reading_record(Name const& dataset, ReadingFacts const& facts);
/// A run of which nothing is known but that it caused another one.
[[nodiscard]] schema::ProvActivity mentioned_run(RunKey const& run);

// The facts of records; nothing where a record is not ours: somebody else wrote it, or it is only mentioned.
[[nodiscard]] std::optional<RunFacts> run_facts(schema::ProvNode const& node);
[[nodiscard]] std::optional<ThingFacts> thing_facts(schema::ProvNode const& node);
[[nodiscard]] std::optional<VersionFacts> version_facts(schema::ProvNode const& node);
[[nodiscard]] std::optional<ReadingFacts> reading_facts(schema::ProvNode const& node);

}  // namespace whence::net::openlineage
