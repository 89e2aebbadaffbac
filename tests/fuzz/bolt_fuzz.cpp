// Fuzz target: any bytes as those of a Bolt connection, chunks and messages. A machine answers each request once.
// Values alone are in packstream_fuzz.cpp.

#include "net/bolt/chunking.hpp"
#include "net/bolt/machine.hpp"
#include "net/bolt/messages.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>

namespace {

namespace bolt = whence::net::bolt;

/// Answers at once, as if every result had one row.
class ObligingHost final : public bolt::MachineHost {
 public:
  bolt::Machine* machine = nullptr;

  void send(std::string) override {}
  bolt::Map greet(bolt::Map const&) override { return {}; }
  bolt::Outcome<void> log_on(bolt::Map const&) override { return {}; }
  void log_off() override {}
  bolt::Outcome<bolt::Map> route(bolt::Request const&) override { return bolt::Map{}; }
  void begin(bolt::TxSettings) override { machine->on_begun({}); }
  void run(std::int64_t, std::string, bolt::Map) override { machine->on_started(bolt::Started{.fields = {"a"}}); }
  void pull(bolt::Pull pull) override { machine->on_pulled(bolt::Pulled{.has_more = pull.rows == std::uint64_t{1}}); }
  void end_transaction() override {}
  void interrupt() override {}
  std::string bookmark() const override { return {}; }
  std::string database() const override { return {}; }
  void on_answered(bolt::Answered const&) override {}
  void close() override {}
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  if (size == 0) return 0;
  bool const is_old = (data[0] & 1U) != 0;
  std::string_view const bytes(reinterpret_cast<char const*>(data) + 1, size - 1);
  auto const version = is_old ? bolt::version_4_4 : bolt::version_5_4;
  ObligingHost host;
  bolt::Machine machine{version, host};
  host.machine = &machine;
  bolt::Dechunker dechunker;
  std::string_view rest{bytes};
  while (!rest.empty() && machine.state() != bolt::State::defunct) {
    auto const taken = dechunker.take(rest, std::size_t{1} << 16);
    if (taken == bolt::Dechunker::Step::too_large) break;
    if (taken != bolt::Dechunker::Step::message) continue;
    auto request = bolt::decode_request(dechunker.message(), version, machine.dialect());
    if (request) {
      machine.on_request(std::move(*request));
    } else {
      machine.on_undecodable(request.error());
    }
  }
  if (!machine.is_idle()) std::abort();
  return 0;
}
