#pragma once
// Where the ids come from that a client leaves out.

#include "schema/base/time.hpp"

#include <string>

namespace whence::engine {

/// Makes ids. Called by the writer thread only.
class IdSource {
 public:
  virtual ~IdSource() = default;
  /// A fresh UUID v4 in lower-case text.
  [[nodiscard]] virtual std::string uuid() = 0;
};

/// Random UUIDs from the operating system's entropy.
class RandomIds final : public IdSource {
 public:
  [[nodiscard]] std::string uuid() override;
};

/// `req_20260121_abc123`: the day, and six digits of base 36 from the head of a random number. Short enough to collide.
[[nodiscard]] std::string request_id_of(schema::Time now, std::string const& uuid);

}  // namespace whence::engine
