#pragma once
// What work that takes long has of the call: where its progress is reported, and in whose name it is done.

#include "schema/base/interrupt.hpp"
#include "schema/types/author.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>

namespace whence::net {

/// Reports how far work is. `message` is a literal. From any thread.
using Notify = std::function<void(std::uint64_t done, std::uint64_t total, char const* message)>;

inline schema::NoInterrupt const nobody_interrupts;

/// What a call has of its caller: to whom progress is reported, where the client has set `progress`, and who it is.
struct Progress {
  Notify notify = {};  ///< under the request's id, until it is answered; empty where there is no listener
  /// Makes one for work that continues after the answer, under an id of its own (JSON text); nothing is reported before
  /// the answer. Empty where there is no listener.
  std::function<Notify(std::string id)> notify_later = {};
  schema::Author author = {};  ///< who called, for what the call writes
  bool is_admin = true;        ///< whether who called may administer the store
  /// Whether somebody still waits for the answer. Outlives the call.
  schema::Interrupt const* interrupt = &nobody_interrupts;
  /// Whether what the call makes may hold so many bytes, all in all, from now on until its end; empty: whatever it is.
  std::function<bool(std::size_t bytes)> may_hold = {};
  /// The most that it may ever be allowed to hold.
  std::size_t holds_max = std::numeric_limits<std::size_t>::max();

  void operator()(std::uint64_t done, std::uint64_t total, char const* message) const {
    if (notify) notify(done, total, message);
  }
};

}  // namespace whence::net
