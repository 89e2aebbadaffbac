#include "store/upkeep/copy.hpp"

#include "schema/base/poll.hpp"
#include "store/files/files.hpp"
#include "store/lmdb/data_file.hpp"
#include "store/lmdb/environment.hpp"
#include "store/lmdb/isolated_child.hpp"
#include "store/values/options.hpp"

#include <array>
#include <cerrno>
#include <chrono>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>

#include <fcntl.h>
#include <lmdb.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

namespace whence::store {
namespace {

constexpr std::chrono::milliseconds looked_at_every{50};  ///< whether it copies
constexpr std::chrono::seconds copy_patience{10};         ///< until it copies

/// Opened as any other is: where the address space is too small for the map, with less of it.
int copy_to(std::filesystem::path const& directory, std::filesystem::path const& copy) {
  try {
    auto const environment = Environment::open(directory, {.map_bytes = StoreOptions{}.map_bytes, .flags = MDB_RDONLY});
    if (!environment) return MDB_CORRUPTED;
    return mdb_env_copy2(environment->get(), copy.c_str(), MDB_CP_COMPACT);
  } catch (std::system_error const& failure) {
    return failure.code().value();
  } catch (std::bad_alloc const&) {
    return ENOMEM;
  }
}

[[noreturn]] void run_child(pid_t parent, int fd, std::filesystem::path const& directory,
                            std::filesystem::path const& copy) {
  isolate_child(parent, fd);
  int const code = copy_to(directory, copy);
  bool const is_told = ::write(fd, &code, sizeof code) == ssize_t{sizeof code};
  ::_exit(is_told ? 0 : 1);  // the parent's destructors and buffers are not the child's to run
}

struct CopyAttempt {
  std::optional<int> code = {};  ///< LMDB's; nothing: the child did not come to an end
  int status = 0;                ///< how it ended
  bool is_stillborn = false;     ///< it hung before it copied anything
};

/// Waits until the child has said something, or has ended, or does not begin, or the copy is not wanted any more.
void wait_for_word(int fd, std::filesystem::path const& copied, schema::Poll& poll, CopyAttempt& attempt) {
  auto const late = std::chrono::steady_clock::now() + copy_patience;
  for (;;) {
    attempt.is_stillborn = std::chrono::steady_clock::now() >= late && !std::filesystem::exists(copied);
    if (attempt.is_stillborn || poll.must_stop(schema::Poll::steps_between)) return;
    struct pollfd waiting = {.fd = fd, .events = POLLIN, .revents = 0};
    int const ready = ::poll(&waiting, 1, static_cast<int>(looked_at_every.count()));
    if (ready > 0 || (ready < 0 && errno != EINTR)) return;
  }
}

Result<CopyAttempt> attempt_copy(std::filesystem::path const& directory, std::filesystem::path const& copy,
                                 schema::Poll& poll) {
  std::array<int, 2> ends = {};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw_errno("pipe2", "");
  Descriptor const reading{ends[0]};
  Descriptor writing{ends[1]};
  pid_t const parent = ::getpid();
  pid_t const child = ::fork();
  if (child < 0) throw_errno("fork", "");
  if (child == 0) run_child(parent, writing.get(), directory, copy);
  writing = Descriptor{};
  CopyAttempt attempt;
  wait_for_word(reading.get(), copy / data_file_name, poll, attempt);
  bool const is_ended = attempt.is_stillborn || poll.has_stopped();
  if (is_ended) ::kill(child, SIGKILL);
  int code = 0;
  if (!is_ended && ::read(reading.get(), &code, sizeof code) == ssize_t{sizeof code}) attempt.code = code;
  while (::waitpid(child, &attempt.status, 0) < 0 && errno == EINTR) {
  }
  if (poll.has_stopped()) return poll.error();
  return attempt;
}

std::string why_broken(CopyAttempt const& attempt) {
  if (attempt.code) return mdb_strerror(*attempt.code);
  if (attempt.is_stillborn) return "the copy did not begin";
  if (!WIFSIGNALED(attempt.status)) return "the copy broke off";
  return "the copy died of signal " + signal_name(WTERMSIG(attempt.status));
}

/// Whether pages may be the reason: of a copy that hung before it began, or that somebody or a lack of memory ended,
/// nothing is known.
bool is_of_damage(CopyAttempt const& attempt) {
  if (attempt.code) return is_damage(*attempt.code);
  if (attempt.is_stillborn) return false;
  return !WIFSIGNALED(attempt.status) || (WTERMSIG(attempt.status) != SIGKILL && WTERMSIG(attempt.status) != SIGTERM);
}

}  // namespace

Result<int> copy_contained(std::filesystem::path const& directory, std::filesystem::path const& copy,
                           schema::Interrupt const& interrupt) {
  schema::Poll poll{interrupt};
  auto made = attempt_copy(directory, copy, poll);
  if (made && made->is_stillborn) made = attempt_copy(directory, copy, poll);
  if (!made) return made.error();
  if (!is_of_damage(*made) && made->code) return *made->code;
  if (!is_of_damage(*made)) throw std::runtime_error(why_broken(*made));
  return Error{Errc::corrupt, (directory / data_file_name).string() + " is damaged: " + why_broken(*made) +
                                  ". `whence verify --db DIR` names what is."};
}

}  // namespace whence::store
