#pragma once
// What the spans of a trace have of those around them, and what log records say of each.

#include "net/capture/known/answers.hpp"
#include "net/capture/known/outer_calls.hpp"
#include "net/capture/known/traces.hpp"
#include "net/capture/messages/message.hpp"
#include "net/capture/spans/captured.hpp"
#include "net/capture/trace/clocks.hpp"
#include "net/capture/trace/facts.hpp"
#include "net/capture/trace/span_tree.hpp"

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace whence::net::capture {

/// What the spans of a trace have of those around them, found in one walk down, and what is asked of each call.
struct Around {
  explicit Around(TraceState const& state) : tree(state), clocks(tree) {}

  struct Of {
    bool is_new = false;  ///< it, or a span around it
    std::string_view conversation = {};
    std::string_view person = {};
    std::string_view agent = {};
  };
  SpanTree tree;
  Clocks clocks;
  std::vector<Of> of;              ///< by place
  std::vector<std::size_t> calls;  ///< places of those that are responses, ascending
  std::map<std::string_view, std::vector<std::pair<Place, std::size_t>>> by_answer;  ///< of `calls`, ascending
  std::map<std::string_view, std::vector<LogFacts const*>> said;                     ///< by span
};

/// The sources of a trace that are new, or of which it is new what they are within.
struct MovedSources {
  std::set<std::string> spans = {};
  std::set<std::string> calls = {};     ///< ids of the calls of those that are tools
  std::optional<Nanos> first_end = {};  ///< of the one that ended first
};

/// What log records say of a call.
struct Said {
  std::vector<Message> input = {};
  std::vector<Message> output = {};
};

/// Of one derivation, once all spans are added and the outer calls are known.
class Surroundings {
 public:
  Surroundings(Traces const& all, Answers const& answers, OuterCalls const& outer)
      : all_(all), answers_(answers), outer_(outer) {}

  [[nodiscard]] Around const& of(std::string const& trace) const;
  /// What a call is part of: of the nearest span that says it, else of its resource.
  [[nodiscard]] Belonging belonging_of(SpanFacts const& call, SpanName const& name) const;
  /// The agent of the nearest run around a call, its own name first; else the service.
  [[nodiscard]] std::string agent_of(SpanName const& name, SpanFacts const& call) const;
  /// Whether a call, a span around it or something that names it is new, so that all of its causes are asked for.
  [[nodiscard]] bool is_new(SpanName const& name) const;
  [[nodiscard]] MovedSources const& moved_sources(std::string const& trace) const;
  /// What log records say of the call, in the order of their times, of one time in that of their request; before it the
  /// instructions that its span says.
  [[nodiscard]] Said said_of(SpanName const& name, SpanFacts const& call) const;

 private:
  Traces const& all_;
  Answers const& answers_;
  OuterCalls const& outer_;
  mutable std::map<std::string, Around> around_;       // by trace
  mutable std::map<std::string, MovedSources> moved_;  // by trace
};

}  // namespace whence::net::capture
