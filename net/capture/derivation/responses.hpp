#pragma once
// The responses of calls, with all that is known of each.

#include "net/capture/causes/causes.hpp"
#include "net/capture/causes/earlier_answers.hpp"
#include "net/capture/causes/new_content.hpp"
#include "net/capture/causes/tools.hpp"
#include "net/capture/derivation/message_units.hpp"
#include "net/capture/derivation/renewals.hpp"
#include "net/capture/known/outer_calls.hpp"
#include "net/capture/known/surroundings.hpp"
#include "net/capture/known/traces.hpp"
#include "schema/base/error.hpp"
#include "schema/records/conversation/records.hpp"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace whence::net::capture {

/// Of one derivation, once all spans are added and the outer calls are known. All fail as `RecordReader::read`.
class Responses {
 public:
  Responses(Traces& all, OuterCalls const& outer, Surroundings const& around, NewContent const& fresh, Tools& tools,
            EarlierAnswers& earlier, CauseFinder& causes, MessageUnits& units, Renewals& renewals)
      : all_(all),
        outer_(outer),
        around_(around),
        new_(fresh),
        tools_(tools),
        earlier_(earlier),
        causes_(causes),
        units_(units),
        renewals_(renewals) {}

  /// Writes the response of a call where it is new or may have gained something. An outer call has none.
  [[nodiscard]] Result<void> make_response(SpanName const& name, SpanFacts const& call);
  /// The ids of the responses that were written.
  [[nodiscard]] std::set<std::string> const& made() const noexcept { return made_; }

 private:
  /// Whether something new may be a cause of a known response, or say something of it.
  [[nodiscard]] bool may_have_grown(SpanName const& name, SpanFacts const& call);
  /// Of the causes that were known by their place those that are none, or are known by more now, are taken back where
  /// the response can begin anew, as are those that others supersede. Else they stay among `refs`.
  Result<void> take_back(SpanName const& name, Causes const& placed, Causes const& superseded, Causes& refs);
  /// The prompt of a call, of its span or as the record and what followed keep it, and of log records.
  Result<Prompt> prompt_of(SpanName const& name, SpanFacts const& call, schema::Response const& response,
                           Causes const& refs, Said const& said, KeptMessages const& messages) const;
  /// What log records say of the prompt and the answer, joined with what the call's span says.
  Result<void> add_said(SpanName const& name, SpanFacts const& call, Said const& said, CallCauses const& found,
                        schema::Response& response, Causes& refs);
  /// Adds the model, the usage and the cost that only calls within it say which are the same call.
  Result<void> add_untold(SpanName const& name, schema::Response& response) const;
  /// What log records say of the call beside its messages.
  void add_beside(SpanName const& name, schema::Response& response);
  /// The messages of a prompt that the call's span says.
  Result<std::vector<Message>> own_messages(SpanName const& name, schema::Response const& response) const;
  /// Notes the units of what messages were made from, but for what a source of `causes` said.
  void use_all(std::string const& trace, std::vector<Message> const& messages, SpanFacts const& call,
               Causes const& causes, CallCauses const& found, Causes& refs);
  /// What an outer call was given is no unit of its own. Those of its response go with that.
  Result<void> pass_outer(SpanName const& name);

  Traces& all_;
  OuterCalls const& outer_;
  Surroundings const& around_;
  NewContent const& new_;
  Tools& tools_;
  EarlierAnswers& earlier_;
  CauseFinder& causes_;
  MessageUnits& units_;
  Renewals& renewals_;
  std::set<std::string> made_;
  std::map<std::string, std::map<std::string, std::vector<LogFacts const*>>> beside_;  // by trace and span
};

}  // namespace whence::net::capture
