// Splits paths at the name of a namespace.

#include "net/serving/namespaces.hpp"

#include "net/access/namespace_name.hpp"
#include "net/serving/server_config.hpp"
#include "net/state/service_state.hpp"

#include <algorithm>
#include <utility>

namespace whence::net {

namespace {

constexpr std::string_view namespaces_path = "/ns/";

using TablePtr = std::shared_ptr<TokenTable const>;

TablePtr closed_table(std::span<Token const> tokens) {
  return std::make_shared<TokenTable const>(tokens, TokenTable::Empty::nobody_enters);
}

TablePtr make_table(std::span<Token const> tokens, std::string_view name) {
  return std::make_shared<TokenTable const>(tokens, TokenTable::Empty::everybody_is_admin, name);
}

}  // namespace

schema::Time Namespace::now() const {
  return service->state().clock.now();
}

Namespaces::Namespaces(std::span<ServedStore const> stores, ServerConfig const& config) {
  std::span<Token const> const root_tokens{config.tokens};
  bool const is_open =
      root_tokens.empty() && std::ranges::all_of(stores, [](ServedStore const& each) { return each.tokens.empty(); });
  auto const add = [&](std::string name, ServedStore const& carrier, engine::Engine* engine, TablePtr tokens) {
    bool const runs = engine != nullptr && config.make_runner;
    all_.push_back(
        std::unique_ptr<Namespace>{new Namespace{.name = std::move(name),
                                                 .service = &carrier.service,
                                                 .engine = engine,
                                                 .tokens = Current{std::move(tokens)},
                                                 .runner = runs ? config.make_runner(carrier.service) : nullptr}});
    return all_.back().get();
  };
  for (auto const& store : stores) {
    auto* const added = add(store.name, store, &store.engine, make_table(store.tokens, store.name));
    if (!store.name.empty()) {
      stores_.push_back(added);
      continue;
    }
    root_ = added;
    stores_.insert(stores_.begin(), added);
  }
  // These have no store. Sessions of the second run with the service of one that is there, and never get a role.
  if (root_ == nullptr) {
    auto tokens = is_open ? std::make_shared<TokenTable const>(root_tokens) : closed_table(root_tokens);
    root_ = add("", stores.front(), nullptr, std::move(tokens));
  }
  if (!is_open && are_named()) nobodys_ = add("", stores.front(), nullptr, closed_table({}));
}

bool Namespaces::are_named() const noexcept {
  return std::ranges::any_of(stores_, [](Namespace const* each) { return !each->name.empty(); });
}

Namespace* Namespaces::find(std::string_view name) const noexcept {
  auto const found = std::ranges::find(stores_, name, &Namespace::name);
  return found == stores_.end() ? nullptr : *found;
}

Place Namespaces::place_of(std::string_view path) const noexcept {
  Place const of_root{.where = root_, .path = path};
  if (!path.starts_with(namespaces_path)) return of_root;
  auto const after = path.substr(namespaces_path.size());
  auto const name = after.substr(0, after.find('/'));
  if (!is_namespace_name(name)) return of_root;
  auto* const found = find(name);
  auto* const where = found == nullptr ? nobodys_ : found;
  return where == nullptr ? of_root : Place{.where = where, .path = after.substr(name.size())};
}

}  // namespace whence::net
