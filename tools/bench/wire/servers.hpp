#pragma once
// The compared servers, each in its own process, listening on a port chosen by the system.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include <sys/types.h>

namespace whence::bench {

/// A server in a child process; its destructor ends it and waits.
class ServerProcess {
 public:
  /// `serve` runs in the child: it listens, calls its argument with the port, and serves until it is signalled.
  explicit ServerProcess(std::function<void(std::function<void(std::uint16_t)>)> const& serve);
  ~ServerProcess();
  ServerProcess(ServerProcess const&) = delete;
  ServerProcess& operator=(ServerProcess const&) = delete;

  [[nodiscard]] std::uint16_t port() const { return port_; }
  [[nodiscard]] pid_t pid() const { return child_; }
  /// Processor time used so far, in the system too.
  [[nodiscard]] double cpu_seconds() const;

 private:
  pid_t child_ = -1;
  std::uint16_t port_ = 0;
};

using Listening = std::function<void(std::uint16_t)>;

/// Whence on the store in `directory`.
void serve_whence(std::string const& directory, Listening const& listening);
/// Bare Beast: every text message is answered with one of `answer_bytes`.
void serve_beast_echo(std::size_t answer_bytes, Listening const& listening);
/// Bare Asio: every `request_bytes` received are answered with `answer_bytes`, all pending ones at once.
void serve_tcp_echo(std::size_t request_bytes, std::size_t answer_bytes, Listening const& listening);

}  // namespace whence::bench
