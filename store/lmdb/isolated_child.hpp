#pragma once
// A forked child that LMDB may end: it trusts pages, and damaged ones lead it to signals and assertions.

#include <string>

#include <sys/types.h>

namespace whence::store {

/// To be called first in the child of the process `parent`. Leaves nothing of the parent within its reach but the
/// descriptor `keep_fd`: no signal handlers, no sockets, no terminal, no core file. The child ends with the thread that
/// made it: one that was killed leaves none that goes on reading.
void isolate_child(pid_t parent, int keep_fd);

/// What a signal is called, in English: "Segmentation fault". From any thread.
[[nodiscard]] std::string signal_name(int signal);

}  // namespace whence::store
