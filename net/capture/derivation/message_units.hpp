#pragma once
// The units of the messages of prompts.

#include "net/capture/causes/sources.hpp"
#include "net/capture/derivation/renewals.hpp"
#include "net/capture/known/traces.hpp"
#include "net/capture/messages/message.hpp"
#include "net/capture/trace/facts.hpp"
#include "schema/base/error.hpp"
#include "schema/records/context/records.hpp"
#include "schema/types/basis.hpp"

#include <cstddef>
#include <map>
#include <optional>
#include <string>

namespace whence::net::capture {

/// The messages that units of a response's causes keep, by the ref of each: those that telemetry made.
using KeptMessages = std::map<std::string, Message>;

/// Of one derivation. All fail as `RecordReader::read`.
class MessageUnits {
 public:
  MessageUnits(Traces& all, Renewals& renewals) : all_(all), renewals_(renewals) {}

  /// The messages that units of `refs` keep.
  [[nodiscard]] Result<KeptMessages> kept_messages(Causes const& refs);
  /// Notes the unit of a message, with the earliest time at which it was said. A unit that a client made from others is
  /// none of the causes: it might have been made from the response itself.
  void use(Message const& message, SpanFacts const& call, Causes& refs);
  /// Notes that the response which is written at `place` has a unit no more.
  void drop(std::string const& unit, std::size_t place, schema::Basis basis) { dropped_[unit].emplace(place, basis); }
  /// Notes that a response which is deleted had a unit: that goes where nothing else has it.
  void drop_with_response(std::string const& unit) { dropped_.try_emplace(unit); }
  /// Notes that a call which is no response was given a message. It makes no unit, but one that a response has was said
  /// as early as this, whichever call came first.
  void note_said(Message const& message, SpanFacts const& call);
  /// Units of messages whose own sources came later go, where no response needs them any more. Elsewhere the responses
  /// that had them begin anew. Where one cannot, its edge stays, and so does what it says. Once all responses are made.
  [[nodiscard]] Result<void> remove_units();
  /// Writes what was noted. Once.
  [[nodiscard]] Result<void> write_units();

 private:
  /// Whether nothing but the responses at `places`, and those that have said so before, was made from a unit.
  Result<bool> is_needed_by_none(std::string const& unit, std::map<std::size_t, schema::Basis> const& places) const;
  /// A known unit changes only where it was said earlier than it was known, and no client wrote it.
  Result<void> add_unit(schema::ContextUnit unit);

  Traces& all_;
  Renewals& renewals_;
  std::map<std::string, schema::ContextUnit> units_;
  std::map<std::string, schema::ContextUnit> said_;         // of calls that are no responses
  std::map<std::string, std::optional<Message>> messages_;  // that known units keep, by ref
  std::map<std::string, std::map<std::size_t, schema::Basis>>
      dropped_;  // by ref: places of responses that had the unit
};

}  // namespace whence::net::capture
