#pragma once
// Responses that begin anew, since an edge of a cause cannot be taken back.

#include "net/capture/causes/sources.hpp"
#include "net/capture/known/traces.hpp"
#include "net/capture/trace/facts.hpp"
#include "schema/base/error.hpp"
#include "schema/base/ids.hpp"

#include <set>
#include <string>
#include <vector>

namespace whence::net::capture {

/// How often a response begins anew: a sender whose spans come one by one, each of which changes all calls of its
/// trace, would else make the store grow with their product.
inline constexpr std::size_t renewals_max = 64;

/// Of one derivation. All fail as `RecordReader::read`.
class Renewals {
 public:
  explicit Renewals(Traces& all) : all_(all) {}

  /// Makes a known response begin anew where all that names it is telemetry's own, so that it can be written again: its
  /// span, ratings of telemetry and at most `users_max` responses of calls. Whether it does: what a client said of it,
  /// or made from it, keeps it, and one that has begun anew `renewals_max` times stays as it is. Of `refs`, its causes
  /// from now on, those go that were deleted since: nothing has to stand in for them.
  [[nodiscard]] Result<bool> renew(SpanName const& call, Causes& refs);
  /// Writes what names the responses that begin anew and is not among `made`, the ids of the responses that were
  /// written. Once all responses are made.
  [[nodiscard]] Result<void> write_users(std::set<std::string> const& made);

 private:
  /// What names one response, by what has to be done with it.
  struct Users {
    std::vector<schema::NodeRef> ratings = {};  ///< which begin anew, too
    std::set<std::string> responses = {};       ///< ids
    std::vector<schema::VertexId> spans = {};
  };
  /// Adds the responses that were made from it to `users`. Whether these are all of calls.
  Result<bool> add_effects(schema::VertexId response, Users& users) const;
  /// Adds its ratings and its span to `users`. Whether there is nothing else that names it.
  [[nodiscard]] bool add_relations(schema::VertexId response, SpanName const& call, Users& users) const;

  Traces& all_;
  std::set<std::string> responses_;
  std::vector<schema::VertexId> spans_;
};

}  // namespace whence::net::capture
