#pragma once
// What the services of one process have together: the worker threads, and what requests may hold in memory.

#include "net/base/service_config.hpp"
#include "net/work/memory_budget.hpp"
#include "net/work/worker_pool.hpp"

#include <memory>

namespace whence::net {

/// Connections take turns at the workers whichever service they belong to. The services end together: the first that
/// ends stops the workers.
struct SharedWork {
  std::shared_ptr<WorkerPool> pool;
  std::shared_ptr<MemoryBudget> memory;

  [[nodiscard]] static SharedWork make(ServiceConfig const& config) {
    auto const bytes = config.request_memory_bytes;
    return {.pool = std::make_shared<WorkerPool>(config.workers, trouble_report(config.log)),
            .memory = bytes > 0 ? std::make_shared<MemoryBudget>(bytes) : std::make_shared<MemoryBudget>()};
  }
};

}  // namespace whence::net
