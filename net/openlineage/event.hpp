#pragma once
// Events of OpenLineage as values (openlineage.io/spec/2-0-2): what ran, which datasets it read and wrote, and what is
// said of each in facets.

#include "schema/base/error.hpp"
#include "schema/base/time.hpp"

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace whence::net::openlineage {

inline constexpr std::size_t batch_events_max = 10'000;
inline constexpr std::size_t datasets_max = 1'000;  ///< of an event: inputs and outputs, named in facets too
inline constexpr std::size_t facets_max = 1'000;    ///< of one thing
inline constexpr std::size_t facet_bytes_max = std::size_t{256} * 1024;
inline constexpr std::size_t facet_depth_max = 60;   ///< of objects and lists within each other
inline constexpr std::size_t event_depth_max = 512;  ///< of an event; of a batch one more
inline constexpr std::size_t symlinks_max = 64;      ///< other names of one dataset in one event

/// A job or a dataset: both are named by a namespace and a name in it. A dataset's name has no leading slash, so that
/// it has one spelling: its namespace, a slash and its name are its URI. The root of a store is named `/`.
struct Name {
  std::string space = {};
  std::string name = {};

  friend auto operator<=>(Name const&, Name const&) = default;
};

/// What an event says of one facet of a thing.
struct FacetState {
  schema::Time time = {};  ///< `eventTime` of the event that said it
  std::string json = {};   ///< its body as canonical text; empty: it was deleted

  friend bool operator==(FacetState const&, FacetState const&) = default;
};

/// The facets of a thing by name.
using Facets = std::map<std::string, FacetState>;

/// Takes what `later` says over what `facets` say: the newest time rules each facet, of one time the greatest text.
void merge(Facets& facets, Facets const& later);

/// A job that a lineage facet names as a source, or one run of it.
struct SourceJob {
  std::string run = {};  ///< its UUID; empty: any
  Name job = {};

  friend auto operator<=>(SourceJob const&, SourceJob const&) = default;
};

/// A dataset that an event names as an input or an output.
struct DatasetUse {
  Facets facets = {};           ///< of the dataset
  Facets use_facets = {};       ///< `inputFacets` or `outputFacets`: of this reading or writing
  std::vector<Name> from = {};  ///< of an output: what `columnLineage` says it was made from, or renamed from
  /// Of an output: all that the facet `lineage` says it was made from, or renamed from, each once; nothing: no facet.
  std::optional<std::vector<Name>> lineage = {};
  std::set<SourceJob> jobs = {};  ///< of an output: other jobs that facets say it was made by
  std::vector<Name> former = {};  ///< what it was renamed from (`lifecycleStateChange`)
  std::vector<Name> same = {};    ///< other names of the dataset (`symlinks`)
  std::string version = {};       ///< which version was read or written (`version`); empty: not said
};

/// A run that caused the one that an event is about.
struct ParentRun {
  std::string run = {};  ///< its UUID; one that is made of its id where that is none
  Name job = {};

  friend bool operator==(ParentRun const&, ParentRun const&) = default;
};

enum class EventKind : std::uint8_t { run, job, dataset };

/// One event. A dataset event has its dataset as the only output.
struct Event {
  EventKind kind = EventKind::run;
  schema::Time time = {};
  std::string state = {};  ///< `eventType`: START, RUNNING, COMPLETE, ABORT, FAIL or OTHER; empty: not said
  std::string run = {};    ///< UUID in lower case; of a run event
  Name job = {};
  Facets run_facets = {};
  Facets job_facets = {};
  std::vector<ParentRun> parents = {};  ///< the parent and the root of the `parent` facet
  std::map<Name, DatasetUse> inputs = {};
  std::map<Name, DatasetUse> outputs = {};
  std::set<SourceJob> jobs = {};           ///< other jobs that a lineage facet says feed the event's own
  std::vector<Event> others = {};          ///< what lineage facets say of other jobs and runs
  bool is_of_other = false;                ///< it is one of `others`, so that it is not all that its job says of itself
  std::vector<std::string> left_out = {};  ///< parts that cannot be taken: the place of each, and why
};

/// Reads one event: a RunEvent, a JobEvent or a DatasetEvent. Fails with `parse_error` where the text is no JSON
/// (`schema::json::parse_foreign`), with `invalid_record` and the JSON Pointer of the first wrong member that the event
/// cannot be understood without, with `limit_exceeded` beyond the bounds of an event. A dataset, a facet, a type of
/// event or a list that is wrong is left out alone, and of members of a facet with one name the last counts. Members
/// that are not of the specification are not read, facets of any name are kept.
[[nodiscard]] Result<Event> read_event(std::string_view text);

/// An event of a batch, or why it is none.
using BatchEvents = std::vector<Result<Event>>;

/// Reads an array of events. Fails as `read_event` where the text is no array, or too long a one, or none of it is
/// JSON.
[[nodiscard]] Result<BatchEvents> read_batch(std::string_view text);

}  // namespace whence::net::openlineage
