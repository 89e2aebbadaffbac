#pragma once
// SHA-256 of bytes that come piece by piece.

#include "schema/base/digest.hpp"

#include <memory>
#include <string_view>

namespace whence::schema {

/// One digest in the making. Failures of OpenSSL are exceptions, as in digest.hpp.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(Sha256 const&) = delete;
  Sha256& operator=(Sha256 const&) = delete;

  void update(std::string_view bytes);
  /// Of everything so far; nothing may follow.
  [[nodiscard]] Digest finish();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace whence::schema
