#pragma once
// The stores of one server, and which of them a path is about.

#include "net/serving/current.hpp"
#include "net/serving/served_store.hpp"
#include "net/serving/token.hpp"
#include "schema/base/time.hpp"

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace whence::net {

struct ServerConfig;
namespace bolt {
class QueryRunner;
}

/// One store as connections see it. Immutable but for its tokens; any thread may read it.
struct Namespace {
  std::string const name;  ///< empty: the root
  Service* const service;
  engine::Engine* const engine;  ///< null: nothing of a store is here, and the tokens let no client in
  Current<TokenTable const> tokens;
  std::shared_ptr<bolt::QueryRunner> const runner = {};  ///< of Bolt's statements; null: Bolt is not spoken

  /// By which tokens expire.
  [[nodiscard]] schema::Time now() const;
};

/// What a path is about: a store, and the path below its root, with the `/` it begins with.
struct Place {
  Namespace* where;
  std::string_view path;
};

/// All stores of a server. Immutable; any thread may ask.
///
/// Where tokens are needed, a name that is no namespace's is answered as one whose tokens the client does not have, so
/// that names cannot be found by trying.
class Namespaces {
 public:
  /// `stores` has at least one. The tokens of `config` are those of the root where no store of `stores` is there.
  Namespaces(std::span<ServedStore const> stores, ServerConfig const& config);

  [[nodiscard]] Namespace& root() const noexcept { return *root_; }
  /// Those with a store: first that of the root, where there is one, then in the order given.
  [[nodiscard]] std::span<Namespace* const> stores() const noexcept { return stores_; }
  /// Whether a store is served below `/ns/`.
  [[nodiscard]] bool are_named() const noexcept;
  /// Null where there is none of that name with a store.
  [[nodiscard]] Namespace* find(std::string_view name) const noexcept;

  /// Compares bytes: a path with escapes, dots or double slashes is not made another one. `path` without a query.
  [[nodiscard]] Place place_of(std::string_view path) const noexcept;

 private:
  std::vector<std::unique_ptr<Namespace>> all_;
  std::vector<Namespace*> stores_;
  Namespace* root_ = nullptr;
  Namespace* nobodys_ = nullptr;  ///< for names that are none; null: these are unknown paths of the root
};

}  // namespace whence::net
