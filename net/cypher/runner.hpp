#pragma once
// Runs the statements of Bolt in openCypher.

#include "net/bolt/runner.hpp"

#include <memory>

namespace whence::net {

class Service;

/// `service` outlives it and its cursors.
[[nodiscard]] std::shared_ptr<bolt::QueryRunner> make_cypher_runner(Service& service);

}  // namespace whence::net
