// The child writes frames: a kind byte, a length, a payload. `t` is alive, `n` how far it is, `p` a problem, `d` the
// figures at the end.
// Only `d` before the end of the pipe makes a check complete.

#include "store/verify/contained.hpp"

#include "schema/base/poll.hpp"
#include "store/files/files.hpp"
#include "store/lmdb/isolated_child.hpp"
#include "store/rows/bytes.hpp"

#include <array>
#include <cerrno>
#include <chrono>
#include <exception>
#include <string>
#include <string_view>
#include <system_error>

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

namespace whence::store {
namespace {

constexpr std::size_t problems_max = 100;
constexpr std::chrono::seconds patience{10};
constexpr std::chrono::milliseconds asked_every{100};  ///< whether to go on
constexpr std::uint32_t payload_bytes_max = 1 << 16;
constexpr std::size_t text_bytes_max = 4096;
constexpr int exit_threw = 3;

// --- the child ---

class PipeSink final : public CheckSink {
 public:
  explicit PipeSink(int fd) noexcept : fd_{fd} {}

  void add_problem(Problem const& problem) override {
    if (++problems_ > problems_max) return;
    Bytes payload;
    for (std::string const* text : {&problem.where, &problem.rule, &problem.message}) {
      std::string_view const cut = std::string_view{*text}.substr(0, text_bytes_max);
      put_fixed(payload, static_cast<std::uint32_t>(cut.size()));
      put_bytes(payload, std::as_bytes(std::span{cut}));
    }
    send('p', payload);
  }

  void tick() override { send('t', {}); }

  void count(std::uint64_t done, std::uint64_t total) override {
    Bytes payload;
    put_fixed(payload, done);
    put_fixed(payload, total);
    send('n', payload);
  }

  void finish(VerifyReport const& report) {
    Bytes payload;
    for (std::uint64_t const figure :
         {schema::number(report.tx), report.entries, report.records, report.blobs, report.edges}) {
      put_fixed(payload, figure);
    }
    send('d', payload);
  }

 private:
  void send(char kind, std::span<std::byte const> payload) {
    Bytes frame{static_cast<std::byte>(kind)};
    put_fixed(frame, static_cast<std::uint32_t>(payload.size()));
    put_bytes(frame, payload);
    for (std::size_t sent = 0; sent < frame.size();) {
      ssize_t const written = ::write(fd_, frame.data() + sent, frame.size() - sent);
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) ::_exit(exit_threw);  // the parent has gone
      sent += static_cast<std::size_t>(written);
    }
  }

  int fd_;
  std::size_t problems_ = 0;
};

[[noreturn]] void run_child(pid_t parent, int fd, std::function<VerifyReport(CheckSink&)> const& check) {
  isolate_child(parent, fd);
  PipeSink sink{fd};
  try {
    sink.finish(check(sink));
  } catch (std::exception const& failure) {
    sink.add_problem({.where = "store", .rule = "crash", .message = failure.what()});
    sink.finish({});
  }
  ::_exit(0);  // the parent's destructors and buffers are not the child's to run
}

// --- the parent ---

/// Puts frames together from whatever pieces the pipe gives.
class FrameParser {
 public:
  explicit FrameParser(Advance const& advance) : advance_{advance} {}

  /// False where the bytes are no frames.
  bool feed(std::span<std::byte const> bytes) {
    put_bytes(pending_, bytes);
    for (;;) {
      ByteReader in{pending_};
      std::uint8_t kind = 0;
      std::uint32_t size = 0;
      std::span<std::byte const> payload;
      if (!in.fixed(kind) || !in.fixed(size)) return true;
      if (size > payload_bytes_max) return false;
      if (!in.bytes(size, payload)) return true;
      if (!take(static_cast<char>(kind), ByteReader{payload})) return false;
      pending_.erase(pending_.begin(), pending_.end() - static_cast<std::ptrdiff_t>(in.left()));
    }
  }

  VerifyReport report;
  bool is_done = false;
  bool has_ticked = false;

 private:
  bool take(char kind, ByteReader in) {
    has_ticked = true;
    if (kind == 't') return true;
    if (kind == 'n') return take_count(in);
    if (kind == 'p') return take_problem(in);
    return kind == 'd' && take_figures(in);
  }

  bool take_count(ByteReader in) {
    std::uint64_t done = 0;
    std::uint64_t total = 0;
    if (!in.fixed(done) || !in.fixed(total) || done > total) return false;
    if (advance_ && total > 0) advance_(done, total, "entries checked");
    return true;
  }

  bool take_problem(ByteReader in) {
    Problem problem;
    for (std::string* text : {&problem.where, &problem.rule, &problem.message}) {
      std::uint32_t size = 0;
      std::span<std::byte const> bytes;
      if (!in.fixed(size) || !in.bytes(size, bytes)) return false;
      text->assign(reinterpret_cast<char const*>(bytes.data()), bytes.size());
    }
    report.problems.push_back(std::move(problem));
    return true;
  }

  bool take_figures(ByteReader in) {
    std::uint64_t tx = 0;
    is_done = in.fixed(tx) && in.fixed(report.entries) && in.fixed(report.records) && in.fixed(report.blobs) &&
              in.fixed(report.edges);
    report.tx = schema::TxId{tx};
    return is_done;
  }

  Advance const& advance_;
  Bytes pending_;
};

enum class End : std::uint8_t { closed, silent, garbled, interrupted };

/// Listens until the child closes the pipe, is silent for too long, or sends something that is no frame; or until
/// the caller does not wait any more.
End listen(int fd, FrameParser& parser, schema::Poll& poll) {
  std::array<std::byte, 4096> buffer;
  auto silent_from = std::chrono::steady_clock::now() + patience;
  for (;;) {
    if (poll.must_stop(schema::Poll::steps_between)) return End::interrupted;
    struct pollfd waiting = {.fd = fd, .events = POLLIN, .revents = 0};
    int const ready = ::poll(&waiting, 1, static_cast<int>(asked_every.count()));
    if (ready < 0 && errno == EINTR) continue;
    if (ready == 0 && std::chrono::steady_clock::now() < silent_from) continue;
    if (ready <= 0) return End::silent;
    ssize_t const size = ::read(fd, buffer.data(), buffer.size());
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) return End::closed;
    silent_from = std::chrono::steady_clock::now() + patience;
    if (!parser.feed(std::span{buffer}.first(static_cast<std::size_t>(size)))) return End::garbled;
  }
}

int wait_for(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

/// Why the child died; empty where it ended normally.
std::string describe_death(End end, int status, bool is_done) {
  if (end == End::silent) return "the check stopped making progress and was ended";
  if (end == End::garbled) return "the check answered nonsense";
  if (WIFSIGNALED(status)) return "the check died of signal " + signal_name(WTERMSIG(status));
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0 || !is_done) return "the check broke off";
  return {};
}

struct Attempt {
  VerifyReport report;
  bool is_stillborn = false;  ///< hung before its first frame
};

Result<Attempt> attempt(std::function<VerifyReport(CheckSink&)> const& check, schema::Poll& poll,
                        Advance const& advance) {
  std::array<int, 2> ends = {};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw_errno("pipe2", "");
  Descriptor reading{ends[0]};
  Descriptor writing{ends[1]};
  pid_t const parent = ::getpid();
  pid_t const child = ::fork();
  if (child < 0) throw_errno("fork", "");
  if (child == 0) run_child(parent, writing.get(), check);
  writing = Descriptor{};
  FrameParser parser{advance};
  End const end = listen(reading.get(), parser, poll);
  if (end != End::closed) ::kill(child, SIGKILL);
  int const status = wait_for(child);
  if (end == End::interrupted) return poll.error();
  std::string const death = describe_death(end, status, parser.is_done);
  if (!death.empty()) parser.report.problems.push_back({.where = "store", .rule = "crash", .message = death});
  parser.report.is_ok = parser.report.problems.empty();
  return Attempt{std::move(parser.report), end == End::silent && !parser.has_ticked};
}

}  // namespace

Result<VerifyReport> run_contained(std::function<VerifyReport(CheckSink&)> const& check,
                                   schema::Interrupt const& interrupt, Advance const& advance) {
  schema::Poll poll{interrupt};
  auto made = attempt(check, poll, advance);
  if (made && made->is_stillborn) made = attempt(check, poll, advance);
  if (!made) return made.error();
  return std::move(made->report);
}

}  // namespace whence::store
