// Fuzz target: any bytes as messages of one connection. Each message is answered or ignored; the session comes to rest
// and never touches its host after it was closed.

#include "net/service/service.hpp"
#include "net/service/session.hpp"
#include "tests/support/fixtures.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace {

/// Takes everything and does nothing: tasks of other threads are dropped, as for a connection that is gone.
class SilentHost final : public whence::net::SessionHost {
 public:
  void send(std::string) override {}
  void close(std::uint16_t, std::string_view) override {}
  void post(std::function<void()>) override {}
};

/// One store for all runs: opening one takes longer than a thousand messages.
struct World : whence::test::EngineFixture {
  whence::net::Service service{*engine, {}, clock};
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  static World world;
  SilentHost host;
  auto const session = whence::net::Session::make(world.service, {}, host);
  std::string_view rest(reinterpret_cast<char const*>(data), size);
  // A zero byte, which no JSON text holds, ends a message.
  while (!rest.empty()) {
    std::size_t const end = std::min(rest.find('\0'), rest.size());
    session->on_text(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  session->on_closed();
  return 0;
}
