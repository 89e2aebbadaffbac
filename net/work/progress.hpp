#pragma once
// How long work reports its progress to the client that asked for it.

#include <cstdint>
#include <functional>
#include <string>

namespace whence::net {

/// Reports how far work is. `message` is a literal. From any thread.
using Notify = std::function<void(std::uint64_t done, std::uint64_t total, char const* message)>;

/// The progress of one call, for the client that set `progress`.
struct Progress {
  Notify notify = {};  ///< under the request's id, until it is answered; empty where nobody listens
  /// Makes one for work that continues after the answer, under an id of its own (JSON text); nothing is reported before
  /// the answer. Empty where nobody listens.
  std::function<Notify(std::string id)> notify_later = {};

  void operator()(std::uint64_t done, std::uint64_t total, char const* message) const {
    if (notify) notify(done, total, message);
  }
};

}  // namespace whence::net
