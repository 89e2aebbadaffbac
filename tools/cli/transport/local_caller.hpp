#pragma once
// Calls the methods on a store that this process opens itself, without a server.

#include "engine/engine.hpp"
#include "net/service/service.hpp"
#include "schema/base/time.hpp"
#include "tools/cli/transport/caller.hpp"

#include <filesystem>
#include <memory>

namespace whence::tools {

enum class MissingStore : std::uint8_t { is_error, is_created };

/// Answers from its own service over the store in a directory, with the role admin. Holds the store's lock for as long
/// as it lives.
class LocalCaller final : public TextCaller {
 public:
  /// Opens the store. Fails with exit code `unreachable`, naming the pid, if another process holds it, and with
  /// `failure` if it is missing (`is_error`) or does not open.
  [[nodiscard]] static CallResult<std::unique_ptr<Caller>> open(std::filesystem::path const& directory,
                                                                MissingStore missing);
  /// The same, for callers that need the engine itself.
  [[nodiscard]] static CallResult<std::unique_ptr<LocalCaller>> open_local(std::filesystem::path const& directory,
                                                                           MissingStore missing);
  [[nodiscard]] engine::Engine& engine() noexcept { return *engine_; }
  [[nodiscard]] net::Service& service() noexcept { return *service_; }

 private:
  LocalCaller() = default;
  [[nodiscard]] CallResult<std::string> exchange(std::string request) override;

  schema::SystemClock clock_;
  engine::RandomIds ids_;
  std::unique_ptr<engine::Engine> engine_;
  std::unique_ptr<net::Service> service_;
};

}  // namespace whence::tools
