#pragma once
// Where the ids come from that a client leaves out.

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

}  // namespace whence::engine
