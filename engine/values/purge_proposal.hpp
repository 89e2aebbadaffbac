#pragma once
// A purge or an erasure that one user proposed and another has to confirm, and the record that keeps it.

#include "schema/base/time.hpp"
#include "schema/records/prov/records.hpp"
#include "schema/types/named_enum.hpp"
#include "schema/types/ref.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace whence::engine {

/// What a proposal is once it cannot be confirmed any more, or `open`.
enum class ProposalState : std::uint8_t {
  open,
  confirmed,
  withdrawn,
  purged,   ///< what it named was purged without it
  expired,  ///< not confirmed in time
};
constexpr std::array<std::string_view, 5> enum_names(ProposalState) noexcept {
  return {"open", "confirmed", "withdrawn", "purged", "expired"};
}

/// Kept as an activity of PROV, as the record of an erasure is, which only the server writes.
struct PurgeProposal {
  std::string id = {};                     ///< of the record
  std::vector<schema::NodeRef> refs = {};  ///< what to purge
  std::string person = {};                 ///< id of a Person to erase; empty: none
  bool cascades = false;                   ///< as of ContentRemoval
  std::string reason = {};                 ///< empty: none was given
  std::string proposed_by = {};            ///< by the name of a credential, as the next ones
  schema::Time proposed_at = {};
  schema::Time confirm_until = {};
  std::string confirmed_by = {};             ///< empty: none
  std::string withdrawn_by = {};             ///< empty: none
  std::optional<std::uint64_t> purged = {};  ///< records that went when it was confirmed
};

/// The id of the proposal's record from a fresh one.
[[nodiscard]] std::string proposal_id(std::string_view uuid);

/// Whether a ProvActivity of this id is a proposal.
[[nodiscard]] bool is_proposal_id(std::string_view id) noexcept;

/// The id of the record of an erasure from a fresh one.
[[nodiscard]] std::string erasure_id(std::string_view uuid);

/// Whether a ProvActivity of this id is the record of an erasure, which only the server writes, and which stays.
[[nodiscard]] bool is_erasure_id(std::string_view id) noexcept;

[[nodiscard]] schema::ProvActivity record_of(PurgeProposal const& proposal);

/// What `record` keeps; nothing where it is no proposal.
[[nodiscard]] std::optional<PurgeProposal> find_proposal_in(schema::ProvActivity const& record);

/// What it is at `now`.
[[nodiscard]] ProposalState state_of(PurgeProposal const& proposal, schema::Time now) noexcept;

}  // namespace whence::engine
