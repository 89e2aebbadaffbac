#pragma once
// Log events of the service, for an operator. The program decides where the lines go and how they are written.

#include "schema/threads/thread_guard.hpp"
#include "schema/types/named_enum.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace whence::net {

enum class LogLevel : std::uint8_t { info, warning, error };
constexpr std::array<std::string_view, 3> enum_names(LogLevel) noexcept {
  return {"INFO", "WARNING", "ERROR"};
}

/// One thing that happened.
struct LogEvent {
  LogLevel level = LogLevel::info;
  std::string_view component = {};  ///< "retrieval", "generation", "server"
  std::string_view event = {};      ///< "chunks_retrieved"
  std::string request_id = {};      ///< of a retrieval request; empty where it has none
  std::string data = "{}";          ///< a JSON object
  std::string error = {};           ///< empty where nothing is wrong
};

/// Called from any thread, several at a time; must not block for long, must not throw. Empty: no listener.
using LogSink = std::function<void(LogEvent const&)>;

/// Logs what a thread could not do; empty where there is no listener.
[[nodiscard]] inline schema::TroubleReport trouble_report(LogSink const& log) {
  if (!log) return {};
  return [log](std::string_view trouble) {
    log({.level = LogLevel::error, .component = "server", .event = "thread_failed", .error = std::string{trouble}});
  };
}

}  // namespace whence::net
