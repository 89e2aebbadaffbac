#pragma once
// The tree over events as files that mirrors and witnesses of transparency logs read (C2SP tlog-tiles).

#include "net/pages/http_answer.hpp"
#include "net/serving/shared.hpp"

#include <string_view>

namespace whence::net {

/// `/log/checkpoint`: the newest, signed.
[[nodiscard]] HttpAnswer log_checkpoint_page(ServerShared const& shared, Namespace const& where, std::string_view rest);

/// `/log/tile/`: a tile of hashes, or of entries, that there is; else `not_found`.
[[nodiscard]] HttpAnswer log_tile_page(ServerShared const& shared, Namespace const& where, std::string_view rest);

}  // namespace whence::net
