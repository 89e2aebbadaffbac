// Servers are named s0, s1 and so on; one that was killed starts again with its data. They are ready once a stream with
// a copy on each can be made.

#include "tools/bench/replicated/servers.hpp"

#include "tools/bench/live/nats.hpp"
#include "tools/bench/report.hpp"

#include <array>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include <arpa/inet.h>
#include <fcntl.h>
#include <nats/nats.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace whence::bench {
namespace {

constexpr double start_max_s = 30;

/// Free ports, all different.
std::vector<std::uint16_t> free_ports(std::size_t count) {
  std::vector<int> sockets;
  std::vector<std::uint16_t> ports;
  for (std::size_t i = 0; i < count; ++i) {
    sockets.push_back(::socket(AF_INET, SOCK_STREAM, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    if (::bind(sockets.back(), reinterpret_cast<sockaddr*>(&address), size) != 0 ||
        ::getsockname(sockets.back(), reinterpret_cast<sockaddr*>(&address), &size) != 0)
      throw std::runtime_error("no free port");
    ports.push_back(ntohs(address.sin_port));
  }
  for (int const each : sockets) ::close(each);
  return ports;
}

std::string loopback(std::uint16_t port) {
  return "127.0.0.1:" + std::to_string(port);
}

}  // namespace

bool NatsServers::are_installed() {
  return NatsPeer::is_installed();
}

NatsServers::NatsServers(std::string directory, unsigned count) : directory_(std::move(directory)), processes_(count) {
  auto const ports = free_ports(std::size_t{2} * count);
  std::string routes;
  for (unsigned i = 0; i < count; ++i) {
    routes += (i == 0 ? "\"nats://" : ", \"nats://") + loopback(ports[count + i]) + '"';
    urls_.push_back("nats://" + loopback(ports[i]));
  }
  for (unsigned i = 0; i < count; ++i) {
    std::filesystem::create_directories(file(i, "data"));
    std::ofstream conf(file(i, "conf"));
    conf << "server_name: s" << i << "\nlisten: \"" << loopback(ports[i]) << "\"\njetstream { store_dir: \""
         << file(i, "data") << "\" }\n";
    if (count > 1) {
      conf << "cluster { name: bench, listen: \"" << loopback(ports[count + i]) << "\", routes: [" << routes << "] }\n";
    }
  }
  for (unsigned i = 0; i < count; ++i) start("s" + std::to_string(i));
  wait_for_leader();
}

NatsServers::~NatsServers() {
  for (std::size_t i = 0; i < processes_.size(); ++i) kill("s" + std::to_string(i));
}

std::string NatsServers::file(std::size_t i, char const* what) const {
  return directory_ + "/s" + std::to_string(i) + "-" + what;
}

void NatsServers::kill(std::string const& name) {
  auto& process = processes_.at(std::stoul(name.substr(1)));
  if (process == 0) return;
  ::kill(process, SIGKILL);
  ::waitpid(process, nullptr, 0);
  process = 0;
}

void NatsServers::start(std::string const& name) {
  auto const i = std::stoul(name.substr(1));
  auto const program = NatsPeer::program();
  auto const conf = file(i, "conf");
  auto const log = file(i, "log");
  auto const child = ::fork();
  if (child < 0) throw std::runtime_error("fork");
  if (child == 0) {
    int const out = ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
    ::dup2(out, STDOUT_FILENO);
    ::dup2(out, STDERR_FILENO);
    ::execl(program.c_str(), "nats-server", "-c", conf.c_str(), static_cast<char*>(nullptr));
    ::_exit(127);
  }
  processes_.at(i) = child;
}

/// A stream can be made once the servers have a leader among them.
void NatsServers::wait_for_leader() const {
  Stopwatch const watch;
  while (watch.seconds() < start_max_s) {
    natsConnection* connection = nullptr;
    jsCtx* context = nullptr;
    jsStreamInfo* info = nullptr;
    jsStreamConfig config;
    jsStreamConfig_Init(&config);
    std::array<char const*, 1> subjects{"probe"};
    config.Name = "probe";
    config.Subjects = subjects.data();
    config.SubjectsLen = 1;
    config.Replicas = static_cast<std::int64_t>(processes_.size());
    auto status = natsConnection_ConnectTo(&connection, urls_.front().c_str());
    if (status == NATS_OK) status = natsConnection_JetStream(&context, connection, nullptr);
    if (status == NATS_OK) status = js_AddStream(&info, context, &config, nullptr, nullptr);
    if (status == NATS_OK) status = js_DeleteStream(context, "probe", nullptr, nullptr);
    jsStreamInfo_Destroy(info);
    jsCtx_Destroy(context);
    natsConnection_Destroy(connection);
    if (status == NATS_OK) return;
    nats_Sleep(100);
  }
  throw std::runtime_error("the servers of NATS have no leader; see " + directory_);
}

}  // namespace whence::bench
