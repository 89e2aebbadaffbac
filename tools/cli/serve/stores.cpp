// Taking apart what flags say of namespaces.

#include "tools/cli/serve/stores.hpp"

#include "net/access/namespace_name.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>

namespace whence::tools {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t namespaces_max = 64;  ///< each reserves a tebibyte of addresses, of which a process has 128

Error wrong_store(std::string message) {
  return {.code = Errc::invalid_params, .message = std::move(message)};
}

std::string called(StoreConfig const& store) {
  return store.name.empty() ? "the store of --db" : "namespace " + store.name;
}

/// In the one spelling that can be compared, links followed, also those to what is not there yet.
fs::path plain(fs::path folder) {
  constexpr int links_max = 40;
  std::error_code unknown;
  for (int i = 0; i < links_max && fs::is_symlink(folder, unknown); ++i) {
    auto const target = fs::read_symlink(folder, unknown);
    folder = folder.parent_path() / target;
  }
  auto path = fs::weakly_canonical(fs::absolute(folder, unknown), unknown);
  if (unknown) path = fs::absolute(folder, unknown).lexically_normal();
  return path.has_filename() ? path : path.parent_path();
}

bool is_in(fs::path const& inner, fs::path const& outer) {
  return std::mismatch(outer.begin(), outer.end(), inner.begin(), inner.end()).first == outer.end();
}

/// A store removes what it does not know below its directory, and two cannot hold one.
Result<void> check_folders(std::vector<StoreConfig> const& stores) {
  for (auto const& store : stores) {
    for (auto const& other : stores) {
      if (&store == &other) continue;
      auto const mine = plain(store.engine.directory);
      auto const others = plain(other.engine.directory);
      if (mine == others)
        return wrong_store("--namespace: one directory for " + called(store) + " and " + called(other));
      if (is_in(mine, others))
        return wrong_store("--namespace: the directory of " + called(store) + " is in that of " + called(other));
    }
  }
  return {};
}

Result<Named> parse_namespace(std::string const& text) {
  auto const equals = text.find('=');
  auto name = text.substr(0, equals);
  if (equals == std::string::npos || equals + 1 == text.size())
    return wrong_store("--namespace: \"" + text + "\" is not NAME=DIR");
  if (!net::is_namespace_name(name)) {
    return wrong_store("--namespace: \"" + name +
                       "\" is not a name: 1 to 63 of a to z, 0 to 9, _ and -, the first a letter or a digit");
  }
  return Named{.name = std::move(name), .value = text.substr(equals + 1)};
}

StoreConfig* find(std::vector<StoreConfig>& stores, std::string const& name) {
  auto const found = std::ranges::find(stores, name, &StoreConfig::name);
  return found == stores.end() ? nullptr : &*found;
}

}  // namespace

Result<std::vector<StoreConfig>> list_stores(std::optional<std::string> const& db,
                                             std::vector<std::string> const& namespaces,
                                             engine::EngineConfig const& common,
                                             std::optional<store::NatsOptions> const& shared_log) {
  std::vector<StoreConfig> stores;
  if (namespaces.size() > namespaces_max) return wrong_store("--namespace: more than 64");
  auto const add = [&](std::string name, std::string const& directory) {
    auto& added = stores.emplace_back(StoreConfig{.name = std::move(name), .engine = common, .shared_log = shared_log});
    added.engine.directory = directory;
    if (shared_log && !added.name.empty()) added.shared_log->address.stream += "_" + added.name;
  };
  if (db) add("", *db);
  for (auto const& text : namespaces) {
    auto parsed = parse_namespace(text);
    if (!parsed) return parsed.error();
    if (find(stores, parsed->name) != nullptr) return wrong_store("--namespace: " + parsed->name + " is given twice");
    add(std::move(parsed->name), parsed->value);
  }
  if (auto const checked = check_folders(stores); !checked) return checked.error();
  return stores;
}

Result<std::vector<Named>> split_by_namespace(std::string const& flag, std::vector<std::string> const& values,
                                              std::vector<StoreConfig> const& stores) {
  bool const are_named = std::ranges::any_of(stores, [](StoreConfig const& each) { return !each.name.empty(); });
  std::vector<Named> all;
  for (auto const& value : values) {
    auto const equals = value.find('=');
    Named one{.name = "", .value = value};
    if (are_named && equals != std::string::npos && net::is_namespace_name(value.substr(0, equals))) {
      one = {.name = value.substr(0, equals), .value = value.substr(equals + 1)};
      if (std::ranges::find(stores, one.name, &StoreConfig::name) == stores.end())
        return wrong_store(flag + ": no namespace is called " + one.name);
    }
    if (std::ranges::find(all, one.name, &Named::name) != all.end())
      return wrong_store(flag + " is given twice for " + (one.name.empty() ? "the root" : "namespace " + one.name));
    all.push_back(std::move(one));
  }
  return all;
}

Result<void> set_files(std::vector<std::string> const& values, std::vector<StoreConfig>& stores) {
  auto const folders = split_by_namespace("--files", values, stores);
  if (!folders) return folders.error();
  for (auto const& folder : *folders) {
    auto* const store = find(stores, folder.name);
    if (store == nullptr)
      return wrong_store("--files: there is no store at the root; a namespace's folder is NAME=DIR");
    store->engine.files = folder.value;
    for (auto const& other : stores) {
      if (&other != store && !other.engine.files.empty() && plain(other.engine.files) == plain(folder.value))
        return wrong_store("--files: one folder for " + called(*store) + " and " + called(other));
    }
  }
  return {};
}

Result<void> read_tokens(std::vector<Named> const& token_files, std::vector<StoreConfig>& stores,
                         std::vector<net::Token>& root_tokens) {
  for (auto const& file : token_files) {
    auto tokens = net::read_token_file(file.value);
    if (!tokens) return wrong_store("--tokens: " + tokens.error().message);
    if (auto* const store = find(stores, file.name)) store->tokens = *tokens;
    if (file.name.empty()) root_tokens = std::move(*tokens);
  }
  auto const open = std::ranges::find_if(stores, [](StoreConfig const& each) { return each.tokens.empty(); });
  if (token_files.empty() || open == stores.end()) return {};
  return wrong_store("--tokens: " + called(*open) + " has none, so that everybody would be admin of it");
}

}  // namespace whence::tools
