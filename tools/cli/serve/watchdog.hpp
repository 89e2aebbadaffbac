#pragma once
// Says "alive" to the service manager while the parts of the server answer.

#include "engine/engine.hpp"
#include "net/server/server.hpp"
#include "schema/threads/woken_thread.hpp"
#include "tools/cli/serve/log.hpp"
#include "tools/cli/serve/service_manager.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace whence::tools {

/// Asks every I/O thread and the writer of every store, in rounds of a quarter of the manager's time. `WATCHDOG=1` is
/// sent at the end of a round that all have answered; where one does not, nothing is sent, the log has a warning with
/// its name, and after its time the manager ends the process. A writer is asked by a write of nothing; one whose inbox
/// is full counts as answering while its commits go on. Owns one thread, where the manager watches.
class Watchdog {
 public:
  /// All outlive it. `address` is what `STATUS` names.
  Watchdog(ServiceManager const& manager, net::Server& server, std::vector<engine::Engine*> const& engines,
           std::string address, ServeLog& log);
  Watchdog(Watchdog const&) = delete;
  Watchdog& operator=(Watchdog const&) = delete;

 private:
  struct Writer {
    engine::Engine* engine;
    std::uint64_t commits = 0;  ///< when it was asked
    /// Shared with the write, which may be answered after this has gone.
    std::shared_ptr<std::atomic<bool>> has_answered = {};
    bool is_full = false;  ///< the write was not taken
  };

  /// One round.
  void look();
  void ask();
  void ask(Writer& writer);
  [[nodiscard]] std::string find_silent();
  void tell() const;

  ServiceManager const& manager_;
  net::Server& server_;
  std::string address_;
  ServeLog& log_;
  std::vector<Writer> writers_;
  std::shared_ptr<std::atomic<std::size_t>> io_waiting_ = {};  ///< I/O threads that have not answered
  bool has_warned_ = false;                                    // of the thread
  schema::WokenThread thread_;                                 // last: it ends before what it uses
};

}  // namespace whence::tools
