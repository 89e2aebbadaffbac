#pragma once
// The proof in a folder of evidence: bundles of the events of its period, and that the log only grew in it.

#include "tools/cli/evidence/pieces.hpp"
#include "tools/cli/transport/caller.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include <boost/json/object.hpp>

namespace whence::tools {

/// Bundles in one folder, each of at most `bundle_bytes_max` (schema/proof/bundle.hpp). What is beyond is left out, and
/// said to be.
inline constexpr std::size_t proof_files_max = 1'000;

inline constexpr std::string_view before_name = "before.checkpoint";
inline constexpr std::string_view after_name = "after.checkpoint";
inline constexpr std::string_view consistency_name = "consistency";
/// That of the bundle `number`, from 1.
[[nodiscard]] std::string proof_name(std::size_t number);

/// Takes the content of a file.
using PutFile = std::function<void(std::string_view name, std::string_view text)>;

/// Asks for the proof of a period and puts its files. Answers what the report says of it: `null` members where the
/// log had nothing yet. Fails as the calls do.
[[nodiscard]] CallResult<boost::json::object> put_proof(Caller& caller, Pieces const& pieces, PutFile const& put);

}  // namespace whence::tools
