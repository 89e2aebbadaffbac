// A service in this process, called with the same JSON-RPC text as a server.

#include "tools/cli/transport/local_caller.hpp"

#include "net/params/held_query.hpp"
#include "store/log/store.hpp"

#include <utility>

namespace whence::tools {
namespace {

/// Checks without creating anything: an engine would create a missing store.
Result<void> find_store(std::filesystem::path const& directory) {
  Result<std::unique_ptr<store::Store>> const opened = store::Store::open(directory, {.is_read_only = true});
  if (!opened && opened.error().code == Errc::not_found) return opened.error();
  return {};  // the engine reports every other problem
}

/// What is damaged is said with its file.
CallError refusal(Error const& error, std::filesystem::path const& directory) {
  if (error.code == Errc::corrupt) {
    return {.exit = ExitCode::verification_failed, .message = (directory / "data.mdb").string() + ": " + error.message};
  }
  return {.exit = exit_code_of(error.code), .message = error.message};
}

}  // namespace

CallResult<std::unique_ptr<Caller>> LocalCaller::open(std::filesystem::path const& directory, MissingStore missing) {
  auto opened = open_local(directory, missing);
  if (!opened) return opened.error();
  return std::unique_ptr<Caller>{std::move(*opened)};
}

CallResult<std::unique_ptr<LocalCaller>> LocalCaller::open_local(std::filesystem::path const& directory,
                                                                 MissingStore missing) {
  if (missing == MissingStore::is_error) {
    if (Result<void> const found = find_store(directory); !found) {
      return refusal(found.error(), directory);
    }
  }
  std::unique_ptr<LocalCaller> caller{new LocalCaller};
  auto engine = engine::Engine::open(
      {.directory = directory, .read_held_query = net::read_held_query, .search = engine::SearchBy::scan},
      caller->clock_, caller->ids_);
  if (!engine) {
    return refusal(engine.error(), directory);
  }
  caller->engine_ = std::move(*engine);
  caller->service_ = std::make_unique<net::Service>(*caller->engine_, net::ServiceConfig{}, caller->clock_);
  return caller;
}

CallResult<std::string> LocalCaller::exchange(std::string request) {
  return service_->call(request, net::Role::admin);
}

}  // namespace whence::tools
