#pragma once
// The parts of the benchmark; each prints its own rows.

#include "tools/bench/report.hpp"

namespace whence::bench {

void run_attachments(Options const& options);  ///< XML messages: taken in, looked up
void run_export(Options const& options);       ///< the graph as files of other tools
void run_ingest(Options const& options);       ///< durable writes per second
void run_lineage(Options const& options);      ///< traversals, two readers, a writer beside them
void run_live(Options const& options);         ///< subscriptions: replay, live, standing, slow readers
void run_retrieval(Options const& options);    ///< vectors most similar to one
void run_startup(Options const& options);      ///< time to the first answer, memory, disk
void run_wire(Options const& options);         ///< requests per second over loopback
void run_xml(Options const& options);          ///< XML documents per second of CPU time

}  // namespace whence::bench
