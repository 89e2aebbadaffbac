// Fuzzes events of OpenLineage. Besides not crashing: what is read has a UUID, names and facets of ordered texts, and
// the records made of it keep the facts that they were made from.
#include "net/openlineage/event.hpp"
#include "net/openlineage/facts.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

namespace {

using namespace whence::net::openlineage;

void require(bool holds) {
  if (!holds) std::abort();
}

void check(Event const& event) {
  require(event.kind == EventKind::dataset || !event.job.space.empty());
  require((event.kind == EventKind::run) == (event.run.size() == 36));
  for (auto const& [name, output] : event.outputs) {
    require(!name.space.empty() && !name.name.empty());
    VersionFacts const facts{.dataset = name,
                             .run = {.uuid = event.run, .job = event.run.empty() ? event.job : Name{}},
                             .span = {event.time, event.time},
                             .written = event.time,
                             .has_failed = event.state == "FAIL",
                             .from = {output.from.begin(), output.from.end()},
                             .facets = output.facets};
    if (event.kind != EventKind::dataset) require(version_facts(version_record(facts, {name}, {})) == facts);
  }
  ThingFacts const job{event.job_facets};
  require(thing_facts(job_record(event.job, job)) == job);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  std::string_view const text{reinterpret_cast<char const*>(data), size};
  if (auto const event = read_event(text)) check(*event);
  if (auto const batch = read_batch(text)) {
    for (auto const& each : *batch) {
      if (each) check(*each);
    }
  }
  return 0;
}
