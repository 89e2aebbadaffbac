#pragma once
// What a server serves: one store at its root, or stores of several namespaces, or both.

#include "engine/engine.hpp"
#include "net/access/token_file.hpp"
#include "net/service/service.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace whence::net {

/// A store with its methods. `service` and `engine` outlive the server.
struct ServedStore {
  std::string name;  ///< of its namespace, served below `/ns/NAME/`; empty: at the root
  Service& service;
  engine::Engine& engine;
  std::vector<Token> tokens = {};  ///< who may use it; empty: everybody is admin
};

}  // namespace whence::net
