#pragma once
// Bookmarks: up to which transaction a client has seen a store.

#include "net/bolt/packstream/failure.hpp"
#include "net/bolt/packstream/value.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace whence::net::bolt {

/// `whence:EPOCH:TX`, which a later read may name to see at least that transaction.
[[nodiscard]] std::string bookmark_of(std::string_view epoch, std::uint64_t tx);

/// The highest transaction among `bookmarks`, 0 where there are none. Fails with `bookmark_invalid` for a value that is
/// no bookmark, or one of another store. At most 1,000 are taken.
[[nodiscard]] Outcome<std::uint64_t> newest_of(List const& bookmarks, std::string_view epoch);

}  // namespace whence::net::bolt
