#pragma once
// What a call was made from, by all that is known of it.

#include "net/capture/causes/call_causes.hpp"
#include "net/capture/causes/earlier_answers.hpp"
#include "net/capture/causes/new_content.hpp"
#include "net/capture/causes/sources.hpp"
#include "net/capture/causes/tools.hpp"
#include "net/capture/known/outer_calls.hpp"
#include "net/capture/known/surroundings.hpp"
#include "net/capture/known/traces.hpp"
#include "net/capture/messages/message.hpp"
#include "schema/base/error.hpp"

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace whence::net::capture {

/// Of one derivation, once all spans are added and the outer calls are known. All fail as `RecordReader::read`.
class CauseFinder {
 public:
  CauseFinder(Traces& all, OuterCalls const& outer, Surroundings const& around, NewContent const& fresh, Tools& tools,
              EarlierAnswers& earlier)
      : all_(all), outer_(outer), around_(around), new_(fresh), tools_(tools), earlier_(earlier) {}

  /// What a call was made from: its sources (`Sources::found_by`), earlier answers that are messages of its prompt, and
  /// what its span links. `known` are its causes so far, but for those that only their place says: where there were
  /// such, `has_placed`, all are asked for anew.
  [[nodiscard]] Result<CallCauses> causes_of(SpanName const& name, SpanFacts const& call, Prompt const& prompt,
                                             Causes const& known, bool has_placed);
  /// The sources of the trace of a call whose causes were found.
  [[nodiscard]] Sources const& sources_in(std::string const& trace) const { return sources_.at(trace); }

  /// Whether a message is one of the causes already, as the result of a tool, a passage or an earlier answer. `found`
  /// was found of the call.
  [[nodiscard]] bool is_of_source(std::string const& trace, SpanFacts const& call, Message const& message,
                                  Causes const& causes, CallCauses const& found) const;

 private:
  /// The sources of a trace, read once.
  Result<Sources const*> sources_of(std::string const& trace);
  /// The texts that a source gave, each with the ref of its record.
  Result<std::vector<std::pair<std::string, std::string>>> texts_of(SpanName const& name, SpanFacts const& facts) const;
  /// Results of tools in other traces, by the ids of their calls: of each id that no span of this trace has and one
  /// span of others.
  Result<void> add_named(SpanName const& name, SpanFacts const& call, Prompt const& prompt, Causes const& known,
                         CallCauses& to);
  /// Results of the call `call_id` in other traces are none of the causes: a tool of this trace has its id.
  void supersede_others(SpanName const& name, std::string const& call_id, CallCauses& to) const;
  /// The record of the call that gave the response, or the item of one, that the request of `name` names by its id;
  /// nothing where none did before it. Of several the latest.
  [[nodiscard]] std::optional<std::string> earlier_record(std::string const& id, SpanName const& name,
                                                          SpanFacts const& call) const;
  /// Whether a text of a source is in the prompt.
  Result<bool> has_text_in(SpanName const& name, Prompt const& prompt) const;
  /// What a link to `name` leads to, for a call at `place`: a record of a span that began before.
  [[nodiscard]] std::optional<std::string> linked_record(SpanName name, Place const& place) const;

  Traces& all_;
  OuterCalls const& outer_;
  Surroundings const& around_;
  NewContent const& new_;
  Tools& tools_;
  EarlierAnswers& earlier_;
  std::map<std::string, Sources> sources_;  // by trace
};

}  // namespace whence::net::capture
