#pragma once
// What a derivation has in hand: the traces of its requests, as the graph has them and with what is new, and what has
// to be written of them.

#include "graph/snapshot/snapshot.hpp"
#include "net/capture/known/derived.hpp"
#include "net/capture/spans/captured.hpp"
#include "net/capture/spans/telemetry.hpp"
#include "net/capture/trace/facts.hpp"
#include "net/capture/trace/trace_state.hpp"
#include "schema/base/digest.hpp"
#include "schema/base/error.hpp"
#include "schema/records/record_reader.hpp"
#include "schema/records/records.hpp"
#include "schema/types/ref.hpp"

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace whence::net::capture {

/// How many spans that an id or a text leads to are asked.
inline constexpr std::size_t users_max = 64;

/// A span among the others of its trace, in an order that nothing can lead back in.
struct Place {
  Nanos start = 0;
  SpanName name = {};

  friend auto operator<=>(Place const&, Place const&) = default;
};

/// Of one derivation; of one thread. What it refers to outlives it.
struct Traces {
  graph::Snapshot const& snapshot;
  schema::RecordReader const& reader;
  schema::SecretKey const key;                         ///< of hashes and ids that are made from texts
  std::map<std::string, TraceState> states = {};       ///< with what is new
  std::map<std::string, NamedResponse> named = {};     ///< by the response's id, with what is new
  std::map<SpanName, CapturedSpan const*> fresh = {};  ///< new spans
  std::set<SpanName> touched = {};                     ///< calls of which something else became known
  std::set<SpanName> answered = {};                    ///< calls of which a log record's answer is new
  std::set<std::string> deleted = {};                  ///< refs of what goes
  std::set<std::string> renewed = {};                  ///< refs of `out.renews`
  std::set<std::string> names = {};                    ///< ids of the records of `write_name`
  std::set<std::string> said = {};                     ///< refs of the units of messages that will be written
  Derived out = {};

  /// What is known of a trace, read where it is asked for the first time. Fails as `read_trace`.
  [[nodiscard]] Result<TraceState*> state_of(std::string const& trace);
  /// What is known by a response's id, and of the traces of the calls that gave it. An id that is new gets its record.
  /// Fails as `read_named_response`.
  [[nodiscard]] Result<NamedResponse*> named_response(std::string const& id);
  /// The facts of a span of the traces in hand; null where it is none of them. O(log n).
  [[nodiscard]] SpanFacts const* find(SpanName const& name) const;

  /// Whom the calls of a trace are made for: at most 8, as records name them.
  [[nodiscard]] std::set<std::string> persons_in(std::string const& trace) const;
  /// The ids of the calls of the tools around a span, the nearest first: at most 8 of the nearest 256 spans.
  [[nodiscard]] std::vector<std::string> calls_around(SpanName const& name) const;

  void write(schema::Record record);
  /// Whether there was a node of this ref and is none, and nothing written brings it back.
  [[nodiscard]] bool is_deleted(std::string const& ref) const;
  /// Makes a known node begin anew, with a record that is written.
  void renew(schema::NodeRef const& ref);
  /// Writes the record of a name that several lead to, once, where the graph has none of it.
  template <class Make>
  void write_name(schema::NodeRef const& ref, Make const& make) {
    if (!snapshot.find(ref.type, ref.id) && names.insert(ref.id).second) write(make());
  }
  /// Counts a span or log record beyond a bound. The first reason is reported.
  void reject(std::string why);
};

}  // namespace whence::net::capture
