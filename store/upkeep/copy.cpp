// A child process makes the copy: damaged pages may crash or hang LMDB, and so only the child. Over a pipe it says how
// many bytes the copy will have and how it ended.

#include "store/upkeep/copy.hpp"

#include "schema/base/poll.hpp"
#include "store/files/files.hpp"
#include "store/lmdb/data_file.hpp"
#include "store/lmdb/environment.hpp"
#include "store/lmdb/isolated_child.hpp"
#include "store/values/options.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstring>
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

/// What the copy will have: the pages of the file, without those that are free and without their list.
std::uint64_t bytes_to_copy(Environment const& environment) {
  constexpr MDB_dbi free_list = 0;
  Transaction const txn{environment, Transaction::Kind::read};
  MDB_envinfo info = {};
  MDB_stat stat = {};
  MDB_cursor* cursor = nullptr;
  require(mdb_env_info(environment.get(), &info), "mdb_env_info");
  require(mdb_stat(txn.get(), free_list, &stat), "mdb_stat");
  require(mdb_cursor_open(txn.get(), free_list, &cursor), "mdb_cursor_open");
  std::uint64_t free = stat.ms_branch_pages + stat.ms_leaf_pages + stat.ms_overflow_pages;
  MDB_val key = {};
  MDB_val value = {};
  while (mdb_cursor_get(cursor, &key, &value, MDB_NEXT) == MDB_SUCCESS) {  // each value: a count, and so many numbers
    std::size_t count = 0;
    if (value.mv_size >= sizeof count) std::memcpy(&count, value.mv_data, sizeof count);
    free += count;
  }
  mdb_cursor_close(cursor);
  std::uint64_t const pages = std::uint64_t{info.me_last_pgno} + 1;
  return (pages - std::min(pages, free)) * stat.ms_psize;
}

/// What the child says: first how many bytes the copy will have, then how it ended.
struct CopyWord {
  enum class Kind : std::uint32_t { bytes, end };
  Kind kind = Kind::end;
  std::int32_t code = 0;    ///< LMDB's
  std::uint64_t bytes = 0;  ///< of all of it
};

/// A word is short enough to be written and read as one.
bool say(int fd, CopyWord const& word) {
  return ::write(fd, &word, sizeof word) == ssize_t{sizeof word};
}

/// Opened as any other is: where the address space is too small for the map, with less of it. Says first how many bytes
/// the copy will have.
int copy_to(std::filesystem::path const& directory, std::filesystem::path const& copy, int fd) {
  try {
    auto const environment = Environment::open(directory, {.map_bytes = StoreOptions{}.map_bytes, .flags = MDB_RDONLY});
    if (!environment) return MDB_CORRUPTED;
    if (!say(fd, {.kind = CopyWord::Kind::bytes, .bytes = bytes_to_copy(*environment)})) return EPIPE;
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
  CopyWord const end{.kind = CopyWord::Kind::end, .code = copy_to(directory, copy, fd)};
  ::_exit(say(fd, end) ? 0 : 1);  // the parent's destructors and buffers are not the child's to run
}

struct CopyAttempt {
  std::optional<int> code = {};  ///< LMDB's; nothing: the child did not come to an end
  int status = 0;                ///< how it ended
  bool is_stillborn = false;     ///< it hung before it copied anything
};

std::uint64_t bytes_of(std::filesystem::path const& file) {
  std::error_code none;
  auto const bytes = std::filesystem::file_size(file, none);
  return none ? 0 : bytes;
}

/// Waits until the child has said how it ended, or has ended, or does not begin, or the copy is not wanted any more.
void wait_for_end(int fd, std::filesystem::path const& copied, schema::Poll& poll, Advance const& advance,
                  CopyAttempt& attempt) {
  auto const late = std::chrono::steady_clock::now() + copy_patience;
  std::uint64_t total = 0;
  for (;;) {
    if (advance && total > 0) advance(std::min(bytes_of(copied), total), total, "bytes copied");
    attempt.is_stillborn = std::chrono::steady_clock::now() >= late && !std::filesystem::exists(copied);
    if (attempt.is_stillborn || poll.must_stop(schema::Poll::steps_between)) return;
    struct pollfd waiting = {.fd = fd, .events = POLLIN, .revents = 0};
    int const ready = ::poll(&waiting, 1, static_cast<int>(looked_at_every.count()));
    if (ready < 0 && errno != EINTR) return;
    if (ready <= 0) continue;
    CopyWord word;
    if (::read(fd, &word, sizeof word) != ssize_t{sizeof word}) return;
    if (word.kind == CopyWord::Kind::end) {
      attempt.code = word.code;
      if (advance && total > 0 && word.code == MDB_SUCCESS) advance(total, total, "bytes copied");
      return;
    }
    total = word.bytes;
  }
}

Result<CopyAttempt> attempt_copy(std::filesystem::path const& directory, std::filesystem::path const& copy,
                                 schema::Poll& poll, Advance const& advance) {
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
  wait_for_end(reading.get(), copy / data_file_name, poll, advance, attempt);
  bool const is_ended = attempt.is_stillborn || poll.has_stopped();
  if (is_ended) ::kill(child, SIGKILL);
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
                           schema::Interrupt const& interrupt, Advance const& advance) {
  schema::Poll poll{interrupt};
  auto made = attempt_copy(directory, copy, poll, advance);
  if (made && made->is_stillborn) made = attempt_copy(directory, copy, poll, advance);
  if (!made) return made.error();
  if (!is_of_damage(*made) && made->code) return *made->code;
  if (!is_of_damage(*made)) throw std::runtime_error(why_broken(*made));
  return Error{Errc::corrupt, (directory / data_file_name).string() + " is damaged: " + why_broken(*made) +
                                  ". `whence verify --db DIR` names what is."};
}

}  // namespace whence::store
