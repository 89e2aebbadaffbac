#pragma once
// Servers of NATS in a cluster on this machine, as processes.

#include <string>
#include <vector>

#include <sys/types.h>

namespace whence::bench {

/// Servers with JetStream that know each other, on loopback; the destructor ends them. The constructor returns when
/// each has found a leader; it throws std::runtime_error where that takes more than half a minute.
class NatsServers {
 public:
  NatsServers(std::string directory, unsigned count);
  ~NatsServers();
  NatsServers(NatsServers const&) = delete;
  NatsServers& operator=(NatsServers const&) = delete;

  [[nodiscard]] static bool are_installed();

  /// `nats://HOST:PORT` of each.
  [[nodiscard]] std::vector<std::string> const& urls() const { return urls_; }

  /// Ends the server called `name` by SIGKILL. Names are s0, s1, ...
  void kill(std::string const& name);
  /// Starts it again.
  void start(std::string const& name);

 private:
  [[nodiscard]] std::string file(std::size_t i, char const* what) const;
  void wait_for_leader() const;

  std::string const directory_;
  std::vector<std::string> urls_;
  std::vector<pid_t> processes_;  ///< 0: does not run
};

}  // namespace whence::bench
