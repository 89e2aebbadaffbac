#pragma once
// What is known of runs, jobs, datasets, the versions that runs wrote and the readings that runs made: each a PROV
// record that also holds the facts which other records depend on. So the graph itself is the state: nothing waits in
// memory, and a restart, a backup or an export has all of it.

#include "net/openlineage/event.hpp"
#include "schema/base/time.hpp"
#include "schema/records/prov/records.hpp"
#include "schema/types/ref.hpp"

#include <algorithm>
#include <compare>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace whence::net::openlineage {

/// A run, or a job or a dataset whose lineage was declared without one: it then represents all runs.
struct RunKey {
  std::string uuid = {};    ///< empty: declared
  Name job = {};            ///< of a declared one; else empty
  bool is_dataset = false;  ///< whether `job` is the name of a dataset

  friend auto operator<=>(RunKey const&, RunKey const&) = default;
};

/// When a run ran. A run that is not known to have ended ends when it began.
struct Span {
  schema::Time begin = {};
  schema::Time end = {};  ///< not before `begin`

  friend bool operator==(Span const&, Span const&) = default;
};

inline constexpr std::size_t declarations_max = 200;  ///< of a job, that are told apart by their times

struct RunFacts {
  Name job = {};                           ///< as the newest event names it
  std::set<Name> jobs = {};                ///< all that events name, since some give the job another name as it runs
  schema::Time job_time = {};              ///< of the event that named the job
  schema::Time first = {};                 ///< of the earliest event
  std::optional<schema::Time> start = {};  ///< of the earliest START
  std::optional<schema::Time> end = {};    ///< of the latest COMPLETE, ABORT or FAIL
  std::string state = {};                  ///< of the newest event that says one
  schema::Time state_time = {};
  std::set<Name> inputs = {};
  std::set<Name> outputs = {};
  std::vector<ParentRun> parents = {};  ///< in the order of their ids
  std::set<SourceJob> sources = {};     ///< other jobs that lineage facets say feed it
  /// Of a job that declares what it reads: when it declared which inputs, the newest `declarations_max` times. Each
  /// stands until the next.
  std::map<schema::Time, std::set<Name>> declared = {};
  std::set<Name> declared_ever =
      {};  ///< inputs of these declarations and of older ones; others of `inputs` always stand
  std::set<Name> explicit_outputs = {};  ///< those of which lineage facets say all that they were made from
  Facets facets = {};

  [[nodiscard]] Span span() const;
  /// Notes that a job declared `names` as all that it reads.
  void declare(schema::Time time, std::set<Name> const& names);
  /// Whether `name`, one of the inputs, was declared at `time`; at no time: is so now.
  [[nodiscard]] bool stands(Name const& name, std::optional<schema::Time> const& time = {}) const;
  /// Whether what it wrote is not what a later run read.
  [[nodiscard]] bool has_failed() const { return state == "FAIL" || state == "ABORT"; }
  friend bool operator==(RunFacts const&, RunFacts const&) = default;
};

/// Of a job or a dataset.
struct ThingFacts {
  Facets facets = {};
  std::set<Name> same = {};  ///< of a dataset: its other names, each of which names it too

  friend bool operator==(ThingFacts const&, ThingFacts const&) = default;
};

/// Which version of a dataset was written or read, as an event names it.
struct Label {
  schema::Time time = {};  ///< of the event
  std::string text = {};   ///< empty: not said

  /// What a newer event says counts; of one time the greatest text.
  void take(Label const& other) {
    if (text.empty() || other > *this) *this = other;
  }
  friend auto operator<=>(Label const&, Label const&) = default;
};

/// What one run wrote of a dataset.
struct VersionFacts {
  Name dataset = {};
  RunKey run = {};
  Span span = {};                            ///< of the run
  std::optional<schema::Time> written = {};  ///< of the first event that has it as an output
  bool has_failed = false;
  Label label = {};
  std::set<Name> from = {};  ///< inputs of the run that facets name as its sources
  /// Where lineage facets say what it was made from: all of that, and no other input of the run.
  std::optional<std::set<Name>> lineage = {};
  std::set<SourceJob> sources = {};  ///< other jobs that facets name
  Facets facets = {};

  friend bool operator==(VersionFacts const&, VersionFacts const&) = default;
};

/// A version by its dataset and who wrote it.
struct VersionKey {
  Name dataset = {};
  RunKey run = {};

  friend auto operator<=>(VersionKey const&, VersionKey const&) = default;
};

/// What stood behind a declared version at one moment.
struct Behind {
  std::set<VersionKey> versions = {};  ///< that runs wrote
  std::set<RunKey> declared = {};      ///< the declared runs that lead to them, of the version itself too

  friend bool operator==(Behind const&, Behind const&) = default;
};

/// What one run read of a dataset.
struct ReadingFacts {
  Name dataset = {};
  RunKey run = {};
  Span span = {};
  std::optional<VersionKey> of = {};  ///< the version that was read; nothing: none is known
  bool is_named = false;              ///< it is known by the name of the version, else by when it was written
  bool is_renaming = false;           ///< of a declared run: it read the dataset once, when that got another name
  /// Where `of` was declared and what stood behind it by then is not what stands behind `of` itself: that.
  std::optional<Behind> through = {};
  /// Where the run's record does not name it, since that would lead each output to each input: why. Each version names
  /// what it was made from. Empty: it does.
  std::string apart = {};
  Label label = {};
  Facets facets = {};

  /// Whether it is of a run that stands for all runs, those to come too.
  [[nodiscard]] bool stands() const { return run.uuid.empty() && !is_renaming; }

  friend bool operator==(ReadingFacts const&, ReadingFacts const&) = default;
};

/// Finds which version each of `readings` read, of `versions` of the same dataset, and sets its `of`.
///
/// A version is known from the first event that has it as an output, so what a run that goes on had written is read by
/// those that begin meanwhile. A run read the version written last before it began; one that names its version read
/// that one. What a run wrote that failed was read only until it failed. What was declared before any run wrote stands
/// for what the first run wrote. Invariant: a run that reads comes after who wrote in the order of beginning, end and
/// key, so nothing reads what was made from it. O(n log n).
void find_versions_read(std::vector<VersionFacts const*> versions, std::vector<ReadingFacts*> readings);

/// A dataset with all of its names.
using Names = std::set<Name>;

// The nodes. `prov_id` of: NAMESPACE/NAME of a dataset, with #run=UUID of a version, #read-by:run=UUID of a
// reading, &of: and &named: with the writer of the version that it read, known by time or by name, &through: with one
// that was declared, and &from: with a digest of what stood behind it, &for: with a digest of the outputs of which
// lineage facets say what they were made from, &former where a job declares it no longer;
// urn:uuid:UUID of a run; urn:openlineage:job:NAMESPACE/NAME of a job, and with #declared of what stands for its runs.
// In a job's names `%`, `#` and, in the namespace, `/` are percent-encoded, so that two jobs never have one id.
[[nodiscard]] schema::NodeRef dataset_ref(Name const& dataset);
[[nodiscard]] schema::NodeRef job_ref(Name const& job);
[[nodiscard]] schema::NodeRef run_ref(RunKey const& run);
[[nodiscard]] schema::NodeRef version_ref(VersionKey const& version);
[[nodiscard]] schema::NodeRef reading_ref(ReadingFacts const& reading);

/// What `ReadingFacts::apart` is for what a run read of a dataset. It changes with the outputs of which lineage facets
/// say all, so that the readings are new nodes then, and no older edge leads from an output to what it was not made
/// from.
[[nodiscard]] std::string apart_of(RunFacts const& facts, Name const& dataset);

// The records. A run's relations name its readings, which must be those that there are.
[[nodiscard]] schema::ProvEntity dataset_record(Name const& dataset, ThingFacts const& facts);
[[nodiscard]] schema::ProvEntity job_record(Name const& job, ThingFacts const& facts);
[[nodiscard]] schema::ProvActivity run_record(RunKey const& run, RunFacts const& facts,
                                              std::map<Name, ReadingFacts> const& readings);
// `names` are all of the dataset's, its own among them.
[[nodiscard]] schema::ProvEntity version_record(VersionFacts const& facts, Names const& names,
                                                std::map<Name, ReadingFacts> const& readings);
[[nodiscard]] schema::ProvEntity reading_record(ReadingFacts const& facts, Names const& names);
/// A run of which nothing is known but that it caused another one.
[[nodiscard]] schema::ProvActivity mentioned_run(RunKey const& run);

// The facts of records; nothing where a record is not ours: somebody else wrote it, or it is only mentioned.
[[nodiscard]] std::optional<RunFacts> run_facts(schema::ProvNode const& node);
[[nodiscard]] std::optional<ThingFacts> thing_facts(schema::ProvNode const& node);
[[nodiscard]] std::optional<VersionFacts> version_facts(schema::ProvNode const& node);
[[nodiscard]] std::optional<ReadingFacts> reading_facts(schema::ProvNode const& node);

}  // namespace whence::net::openlineage
