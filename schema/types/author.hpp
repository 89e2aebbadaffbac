#pragma once
// In whose name a transaction was written, and why, and how queries find that out.

#include "schema/base/error.hpp"
#include "schema/base/ids.hpp"

#include <string>

namespace whence::schema {

struct Author {
  std::string actor = {};  ///< the writer's role and what its client calls itself, or a part of the server: not checked
  std::string who = {};    ///< name of the token, certificate or person, which the server has checked; empty: none
  std::string reason = {};  ///< why something was removed; empty: none was given
};

/// Reads the commit log. Callable from any thread.
class AuthorReader {
 public:
  virtual ~AuthorReader() = default;

  /// Fails with `not_found` above the head, with `corrupt` where the entry does not decode. O(size of the transaction).
  [[nodiscard]] virtual Result<Author> read_author(TxId tx) const = 0;
};

}  // namespace whence::schema
