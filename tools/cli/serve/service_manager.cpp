// Datagrams to a service manager, and the sockets it hands over.

#include "tools/cli/serve/service_manager.hpp"

#include "tools/cli/process/io.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstddef>
#include <cstring>
#include <ctime>
#include <system_error>
#include <utility>
#include <vector>

#include <boost/asio/ip/tcp.hpp>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace whence::tools {
namespace {

constexpr int first_given_descriptor = 3;  // SD_LISTEN_FDS_START
constexpr std::int64_t given_sockets_max = 2;

std::optional<std::int64_t> read_number(std::string_view text) {
  std::int64_t number = 0;
  auto const parsed = std::from_chars(text.data(), text.data() + text.size(), number);
  bool const is_number = parsed.ec == std::errc{} && parsed.ptr == text.data() + text.size() && number > 0;
  return is_number ? std::optional{number} : std::nullopt;
}

std::string reason(int number) {
  return std::generic_category().message(number);
}

/// Whether a variable that names a process names this one; without it, all are meant.
bool is_for_this_process(std::optional<std::string> const& pid) {
  return !pid || read_number(*pid) == std::optional<std::int64_t>{::getpid()};
}

/// Of `@NAME` the first byte is zero: the address is no path.
bool fill(sockaddr_un& address, std::string_view text) {
  if (text.size() >= sizeof address.sun_path) return false;
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, text.data(), text.size());
  if (text.starts_with('@')) address.sun_path[0] = '\0';
  return true;
}

Error wrong_socket(int descriptor, std::string const& what) {
  return {.code = Errc::invalid_params, .message = "LISTEN_FDS: descriptor " + std::to_string(descriptor) + " " + what};
}

int option_of(int descriptor, int option) {
  int value = 0;
  socklen_t size = sizeof value;
  return ::getsockopt(descriptor, SOL_SOCKET, option, &value, &size) == 0 ? value : -1;
}

Result<GivenSocket> look_at(int descriptor) {
  boost::asio::ip::tcp::endpoint endpoint;
  auto size = static_cast<socklen_t>(endpoint.capacity());
  if (::getsockname(descriptor, endpoint.data(), &size) != 0) return wrong_socket(descriptor, "is no socket");
  auto const family = endpoint.data()->sa_family;
  bool const is_tcp = (family == AF_INET || family == AF_INET6) && option_of(descriptor, SO_TYPE) == SOCK_STREAM;
  if (!is_tcp) return wrong_socket(descriptor, "is not of TCP");
  if (option_of(descriptor, SO_ACCEPTCONN) != 1) return wrong_socket(descriptor, "does not listen");
  if (::fcntl(descriptor, F_SETFD, FD_CLOEXEC) != 0) return wrong_socket(descriptor, reason(errno));
  endpoint.resize(size);
  auto const host = endpoint.address().to_string();
  auto const port = std::to_string(endpoint.port());
  return GivenSocket{.descriptor = descriptor,
                     .address = (endpoint.address().is_v6() ? "[" + host + "]" : host) + ":" + port};
}

/// The names of `count` descriptors. A manager that names none leaves the variable out.
Result<std::vector<std::string>> read_names(std::size_t count) {
  std::vector<std::string> names;
  auto const given = environment_variable("LISTEN_FDNAMES");
  if (!given) return std::vector<std::string>(count);
  for (std::size_t begin = 0; begin <= given->size();) {
    auto const end = std::min(given->find(':', begin), given->size());
    names.push_back(given->substr(begin, end - begin));
    begin = end + 1;
  }
  if (names.size() == count) return names;
  return Error{.code = Errc::invalid_params,
               .message = "LISTEN_FDNAMES: \"" + *given + "\" does not name the " + std::to_string(count) +
                          " sockets of LISTEN_FDS"};
}

}  // namespace

ServiceManager::ServiceManager(ServeLog& log) : log_(log) {
  if (auto const address = environment_variable("NOTIFY_SOCKET")) {
    sockaddr_un checked{};
    bool const is_address = (address->starts_with('/') || address->starts_with('@')) && fill(checked, *address);
    if (is_address) {
      address_ = *address;
    } else {
      warn("NOTIFY_SOCKET: " + *address + " is neither a path nor @NAME");
    }
  }
  auto const period = environment_variable("WATCHDOG_USEC");
  if (!period || address_.empty() || !is_for_this_process(environment_variable("WATCHDOG_PID"))) return;
  if (auto const microseconds = read_number(*period)) {
    watchdog_ = std::chrono::microseconds{*microseconds};
  } else {
    warn("WATCHDOG_USEC: \"" + *period + "\" is no number of microseconds");
  }
}

void ServiceManager::tell(std::string const& state) const {
  if (address_.empty()) return;
  sockaddr_un address{};
  fill(address, address_);
  auto const size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + address_.size());
  int const sender = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  auto const sent = sender < 0 ? -1
                               : ::sendto(sender, state.data(), state.size(), MSG_NOSIGNAL,
                                          reinterpret_cast<sockaddr const*>(&address), size);
  int const why = errno;
  if (sender >= 0) ::close(sender);
  if (sent < 0 && !has_warned_.exchange(true)) warn("NOTIFY_SOCKET: " + address_ + ": " + reason(why));
}

void ServiceManager::warn(std::string const& what) const {
  log_.write(
      {.level = net::LogLevel::warning, .component = "server", .event = "service_manager_unheard", .error = what});
}

std::string reloading_state() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  constexpr std::int64_t per_second = 1'000'000;
  constexpr std::int64_t nanoseconds = 1'000;
  return "RELOADING=1\nMONOTONIC_USEC=" + std::to_string(now.tv_sec * per_second + now.tv_nsec / nanoseconds);
}

Result<GivenSockets> take_sockets() {
  auto const pid = environment_variable("LISTEN_PID");
  auto const count_text = environment_variable("LISTEN_FDS");
  if (!pid || !count_text || !is_for_this_process(pid)) return GivenSockets{};
  auto const count = read_number(*count_text);
  if (!count || *count > given_sockets_max) {
    return Error{.code = Errc::invalid_params,
                 .message = "LISTEN_FDS: \"" + *count_text + "\" is neither 1 nor 2: one socket of HTTP, one of Bolt"};
  }
  auto const names = read_names(static_cast<std::size_t>(*count));
  if (!names) return names.error();
  GivenSockets sockets;
  for (std::size_t i = 0; i < names->size(); ++i) {
    auto const& name = (*names)[i];
    if (*count > 1 && name != "http" && name != "bolt") {
      return Error{.code = Errc::invalid_params,
                   .message = "LISTEN_FDNAMES: \"" + name + "\" is neither http nor bolt"};
    }
    auto& place = name == "bolt" ? sockets.bolt : sockets.http;
    if (place) return Error{.code = Errc::invalid_params, .message = "LISTEN_FDNAMES: two sockets named " + name};
    auto socket = look_at(first_given_descriptor + static_cast<int>(i));
    if (!socket) return socket.error();
    place = std::move(*socket);
  }
  return sockets;
}

}  // namespace whence::tools
