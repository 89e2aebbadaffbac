#pragma once
// What is known of a trace: the facts of its spans that other spans' records depend on, and the messages and ratings
// that came as log records. They are kept as PROV records, one for each span and log record, so the graph itself is the
// state: nothing waits in memory, and a restart, a backup or an export has all of it.

#include "graph/snapshot/snapshot.hpp"
#include "net/capture/trace/facts.hpp"
#include "schema/base/digest.hpp"
#include "schema/base/error.hpp"
#include "schema/records/record_reader.hpp"

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>

namespace whence::net::capture {

struct TraceState {
  std::map<std::string, SpanFacts> spans = {};  ///< by span id
  std::map<std::string, LogFacts> logs = {};    ///< by id
};

inline constexpr std::size_t calls_of_response_max = 16;  ///< that give the same response id; further ones are unnamed

/// What is known by the id that a model's provider gave a response.
struct NamedResponse {
  std::set<SpanName> calls = {};
  std::map<std::string, LogFacts> ratings = {};  ///< by id
};

/// Reads what is known of a trace. Fails as `RecordReader::read`.
[[nodiscard]] Result<TraceState> read_trace(std::string_view trace, graph::Snapshot const& snapshot,
                                            schema::RecordReader const& reader);

/// Reads what is known by a response's id. Fails as `RecordReader::read`.
[[nodiscard]] Result<NamedResponse> read_named_response(schema::SecretKey const& key, std::string_view response_id,
                                                        graph::Snapshot const& snapshot,
                                                        schema::RecordReader const& reader);

}  // namespace whence::net::capture
