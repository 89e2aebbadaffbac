#include "store/lmdb/isolated_child.hpp"

#include <cstring>
#include <initializer_list>

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

namespace whence::store {

void isolate_child(pid_t parent, int keep_fd) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);  // it ended before the line above: no signal will come
  for (int const signal : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGTERM, SIGINT, SIGPIPE})
    ::signal(signal, SIG_DFL);
  struct rlimit const no_core = {0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  int const null = ::open("/dev/null", O_RDWR);
  for (int const standard : {0, 1, 2}) ::dup2(null, standard);  // LMDB prints the assertion that ends it
  ::close_range(3, static_cast<unsigned>(keep_fd) - 1, 0);
  ::close_range(static_cast<unsigned>(keep_fd) + 1, ~0U, 0);
}

std::string signal_name(int signal) {
  char const* const name = ::sigdescr_np(signal);
  return name != nullptr ? name : std::to_string(signal);
}

}  // namespace whence::store
