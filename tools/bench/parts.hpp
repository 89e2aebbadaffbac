#pragma once
// The parts of the benchmark; each prints its own rows.

#include "tools/bench/report.hpp"

namespace whence::bench {

void run_attachments(Options const& options);  ///< XML messages: written, looked up
void run_capture(Options const& options);      ///< telemetry, from protobuf to the store
void run_cypher(Options const& options);       ///< the query language beside methods and databases
void run_disk(Options const& options);         ///< the size of conversations in a store
void run_export(Options const& options);       ///< the graph as files for other tools
void run_find(Options const& options);         ///< nodes by a field
void run_ingest(Options const& options);       ///< durable writes per second
void run_large(Options const& options);        ///< one store as large as the machine holds
void run_lineage(Options const& options);      ///< traversals, two readers, with and without a writer
void run_live(Options const& options);         ///< subscriptions: replay, live, idle ones, slow readers
void run_persons(Options const& options);      ///< one of many persons erased
void run_replicated(Options const& options);   ///< several nodes on one log of three servers
void run_retrieval(Options const& options);    ///< the vectors most similar to a given one
void run_search(Options const& options);       ///< words of texts: what the index costs, the first page
void run_startup(Options const& options);      ///< time to the first answer, memory, disk
void run_wire(Options const& options);         ///< requests per second over loopback
void run_xml(Options const& options);          ///< XML documents per second of CPU time

}  // namespace whence::bench
