#pragma once
// The proof that one leaf is in a log, as text (C2SP tlog-proof).

#include "schema/base/error.hpp"
#include "schema/proof/checkpoint.hpp"
#include "schema/proof/merkle.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace whence::schema::proof {

/// Where a leaf is, and what leads from it to the root of a checkpoint.
struct TlogProof {
  std::uint64_t index = 0;
  std::vector<Digest> proof = {};
  std::string checkpoint = {};  ///< the signed note

  friend bool operator==(TlogProof const&, TlogProof const&) = default;
};

[[nodiscard]] std::string format_tlog_proof(TlogProof const& proof);

/// Reads what `format_tlog_proof` writes, also with a line of extra data, which is not signed and is left out.
/// The checkpoint may be any text. Fails with `parse_error`.
[[nodiscard]] Result<TlogProof> parse_tlog_proof(std::string_view text);

}  // namespace whence::schema::proof
