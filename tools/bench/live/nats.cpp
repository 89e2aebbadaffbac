// The server is a child process on a port that it chooses, and is killed at the end. Only reading is measured; each
// message must come once, in order.

#include "tools/bench/live/nats.hpp"

#include "tools/bench/live/nats_client.hpp"
#include "tools/bench/report.hpp"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <stdexcept>
#include <string_view>

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

namespace whence::bench {
namespace {

constexpr std::uint32_t acknowledged_every = 1'000;  ///< messages published per awaited acknowledgement

/// On the path, or in Debian's directory, which only root has on its path.
std::optional<std::string> find_program() {
  char const* const path = std::getenv("PATH");
  std::string const folders = std::string(path == nullptr ? "" : path) + ":/usr/sbin";
  for (std::size_t begin = 0; begin < folders.size();) {
    std::size_t const end = std::min(folders.find(':', begin), folders.size());
    std::string file = folders.substr(begin, end - begin) + "/nats-server";
    if (::access(file.c_str(), X_OK) == 0) return file;
    begin = end + 1;
  }
  return std::nullopt;
}

/// The server's process; its destructor ends it.
class NatsProcess {
 public:
  /// Returns when the server has reported that it is ready.
  explicit NatsProcess(std::string const& directory) {
    std::string const program = find_program().value();
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("pipe");
    child_ = fork();
    if (child_ < 0) throw std::runtime_error("fork");
    if (child_ == 0) {
      dup2(ends[1], STDERR_FILENO);
      execl(program.c_str(), "nats-server", "-js", "-sd", directory.c_str(), "-a", "127.0.0.1", "-p", "-1",
            static_cast<char*>(nullptr));
      _exit(127);
    }
    ::close(ends[1]);
    log_ = ends[0];  // stays open, because the server continues to write to it
    port_ = port_in(read_until_ready());
  }
  ~NatsProcess() {
    kill(child_, SIGKILL);
    waitpid(child_, nullptr, 0);
    ::close(log_);
  }
  NatsProcess(NatsProcess const&) = delete;
  NatsProcess& operator=(NatsProcess const&) = delete;

  [[nodiscard]] std::uint16_t port() const { return port_; }

 private:
  [[nodiscard]] std::string read_until_ready() const {
    std::string log;
    while (log.find("Server is ready") == std::string::npos) {
      char piece[1024];
      ssize_t const got = ::read(log_, piece, sizeof piece);
      if (got <= 0) throw std::runtime_error("nats-server did not start: " + log);
      log.append(piece, static_cast<std::size_t>(got));
    }
    return log;
  }
  [[nodiscard]] static std::uint16_t port_in(std::string const& log) {
    constexpr std::string_view before = "Listening for client connections on 127.0.0.1:";
    std::size_t const at = log.find(before);
    if (at == std::string::npos) throw std::runtime_error("nats-server did not report its port: " + log);
    return static_cast<std::uint16_t>(std::atoi(log.c_str() + at + before.size()));
  }

  pid_t child_ = -1;
  int log_ = -1;
  std::uint16_t port_ = 0;
};

/// Publishes one message and waits for the answer; throws if that reports an error.
void ask(NatsClient& client, std::string_view subject, std::string_view payload) {
  client.send(publication(subject, "_INBOX.answer", payload));
  std::string const answer(client.next().payload);
  if (answer.find(R"("error":)") != std::string::npos) throw std::runtime_error("NATS: " + answer);
}

/// A consumer's messages carry their position: `$JS.ACK.STREAM.CONSUMER.DELIVERED.SEQUENCE.(...)`.
std::uint64_t stream_sequence(std::string_view reply) {
  for (int dots = 0; dots < 5; ++dots) reply.remove_prefix(std::min(reply.find('.') + 1, reply.size()));
  return std::strtoull(std::string(reply.substr(0, reply.find('.'))).c_str(), nullptr, 10);
}

}  // namespace

struct NatsPeer::Impl {
  NatsProcess server;
  std::uint32_t messages;
  unsigned replays = 0;
};

bool NatsPeer::is_installed() {
  return find_program().has_value();
}

std::string NatsPeer::program() {
  return find_program().value();
}

NatsPeer::NatsPeer(std::string const& directory, std::uint32_t messages, std::size_t message_bytes)
    : impl_(new Impl{.server = NatsProcess(directory), .messages = messages}) {
  NatsClient client(impl_->server.port());
  client.send("SUB _INBOX.answer 1\r\n");
  ask(client, "$JS.API.STREAM.CREATE.S", R"({"name":"S","subjects":["s"],"storage":"file","retention":"limits"})");
  std::string const payload(message_bytes, 'x');
  for (std::uint32_t left = messages; left > 0;) {
    std::uint32_t const count = std::min(left, acknowledged_every);
    std::string lines;
    for (std::uint32_t i = 1; i < count; ++i) lines += publication("s", "", payload);
    client.send(lines);
    ask(client, "s", payload);
    left -= count;
  }
}

NatsPeer::~NatsPeer() = default;

double NatsPeer::replay_rate() {
  NatsClient client(impl_->server.port());
  std::string const inbox =
      "_INBOX.events" + std::to_string(++impl_->replays);  // the previous consumer may still exist
  client.send("SUB " + inbox + " 1\r\n");
  std::string const consumer = R"({"stream_name":"S","config":{"deliver_subject":")" + inbox +
                               R"(","deliver_policy":"all","ack_policy":"none","max_deliver":1,)"
                               R"("replay_policy":"instant","flow_control":true,"idle_heartbeat":5000000000}})";
  Stopwatch const watch;
  client.send(publication("$JS.API.CONSUMER.CREATE.S", "_INBOX.made", consumer));
  for (std::uint32_t came = 0; came < impl_->messages;) {
    NatsMessage const message = client.next();
    if (message.has_headers) {  // flow control needs an answer, a heartbeat does not
      if (!message.reply.empty()) client.send(publication(message.reply, "", ""));
    } else if (stream_sequence(message.reply) != ++came) {
      throw std::runtime_error("NATS: a message is missing or twice");
    }
  }
  return impl_->messages / watch.seconds();
}

}  // namespace whence::bench
