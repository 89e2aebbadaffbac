#pragma once
// How soon a thread runs when others want the same core. Each call is for the calling thread, and does nothing where
// the system does not allow it: then the threads are equal.

namespace whence::engine {

/// For threads of long work: `nice` is 1 to 19. With 5 a thread of the server's own priority beside it gets about three
/// times as much (Linux's weights: 1024 to 335).
void work_behind_others(int nice) noexcept;

/// For threads of many short pieces of work that somebody waits for: once there is something to do they run at the next
/// tick or sooner, for a short time. Without it they wait until a thread of long work has used up its slice, 3 ms by
/// default. Needs Linux 6.12.
void answer_soon() noexcept;

}  // namespace whence::engine
