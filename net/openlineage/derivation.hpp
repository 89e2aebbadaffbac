#pragma once
// From events and the graph to records: what net/openlineage/README.md calls derivation.
//
// Invariants: 1. what the graph then holds is a function of the set of events that it was given, whatever the order in
// which they came. 2. an event that is known changes nothing. 3. a run read what had been written before it began, so
// nothing is made from itself.

#include "graph/snapshot/snapshot.hpp"
#include "net/openlineage/event.hpp"
#include "net/openlineage/facts_cache.hpp"
#include "schema/base/error.hpp"
#include "schema/records/check.hpp"
#include "schema/records/record_reader.hpp"
#include "schema/types/ref.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace whence::net::openlineage {

inline constexpr std::size_t run_datasets_max = 4'096;  ///< inputs and outputs, over all events of a run

/// Facets that would bring a thing over its bound: the place of the event among those given, and which.
using LeftOut = std::vector<std::pair<std::size_t, std::string>>;

/// What has to be written.
struct Derived {
  /// Before the records: readings that turn out to be of another version, which the records have. So nothing is made
  /// from itself in between.
  std::vector<schema::NodeRef> deletes = {};
  std::vector<schema::IncomingRecord> records = {};
  LeftOut left_out = {};
};

/// The records that make the graph hold `events`, beside what `snapshot` has. Fails with `conflict` where a node of
/// theirs is somebody else's record, and as `RecordReader::read`. `cache` is of the same graph. O(the events, and n log
/// n of the versions and readings of the datasets that they name), and a read of each that the cache lacks.
[[nodiscard]] Result<Derived> derive(std::span<Event const* const> events, graph::Snapshot const& snapshot,
                                     schema::RecordReader const& reader, FactsCache& cache);

}  // namespace whence::net::openlineage
