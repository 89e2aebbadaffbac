#pragma once
// The units of the messages of prompts.

#include "net/capture/causes/sources.hpp"
#include "net/capture/derivation/renewals.hpp"
#include "net/capture/known/traces.hpp"
#include "net/capture/messages/message.hpp"
#include "net/capture/trace/facts.hpp"
#include "schema/base/error.hpp"
#include "schema/base/time.hpp"
#include "schema/records/context/records.hpp"
#include "schema/types/basis.hpp"

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

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
  /// Units of messages whose own sources came later go, where no response needs them any more. Elsewhere the responses
  /// that had them begin anew, and the time of the unit is the earliest of the others', whichever came first. Where one
  /// cannot begin anew, its edge stays, and so does what it says. Once all responses are made.
  [[nodiscard]] Result<void> remove_units();
  /// Writes what was noted. Once.
  [[nodiscard]] Result<void> write_units();

 private:
  /// Whether nothing but the responses at `places`, and those that have said so before, was made from a unit.
  Result<bool> is_needed_by_none(std::string const& unit, std::map<std::size_t, schema::Basis> const& places) const;
  /// A known unit changes only where it was said earlier than it was known, and no client wrote it.
  Result<void> add_unit(schema::ContextUnit unit);
  /// Sets the time of a unit that responses have no more to the earliest of the calls that still have it. It stays as
  /// it is where a client has it, or more than `users_max` calls.
  Result<void> set_earliest(std::string const& unit, std::set<std::string> const& dropping);
  /// When the calls began that have a unit, without those of the responses `dropping`; nothing where one is not known.
  Result<std::optional<std::vector<schema::Time>>> said_at(schema::VertexId unit,
                                                           std::set<std::string> const& dropping) const;

  Traces& all_;
  Renewals& renewals_;
  std::map<std::string, schema::ContextUnit> units_;
  std::map<std::string, std::optional<Message>> messages_;  // that known units keep, by ref
  std::map<std::string, std::map<std::size_t, schema::Basis>>
      dropped_;                                        // by ref: places of responses that had the unit
  std::map<std::string, std::set<std::string>> left_;  // by id: ids of responses that have the unit no more
};

}  // namespace whence::net::capture
