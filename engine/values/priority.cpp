// What Linux offers to threads without privileges: nice values, and slices of their own.
#include "engine/values/priority.hpp"

#include <cstdint>

#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace whence::engine {

namespace {

constexpr std::uint64_t short_slice_ns = 100'000;  // the least that Linux takes

/// `struct sched_attr` of Linux, as sched_setattr(2) has it. glibc 2.36 does not declare it.
struct SchedulingAttributes {
  std::uint32_t size = sizeof(SchedulingAttributes);
  std::uint32_t policy = SCHED_OTHER;
  std::uint64_t flags = 0;
  std::int32_t nice = 0;
  std::uint32_t priority = 0;
  std::uint64_t runtime = 0;  ///< of SCHED_OTHER: the slice
  std::uint64_t deadline = 0;
  std::uint64_t period = 0;
};

}  // namespace

void work_behind_others(int nice) noexcept {
  // On Linux a nice value belongs to the thread.
  static_cast<void>(::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), nice));
}

void answer_soon() noexcept {
  if (::sched_getscheduler(0) != SCHED_OTHER) return;  // another was chosen when the process was started
  SchedulingAttributes attributes;
  attributes.nice = ::getpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()));
  attributes.runtime = short_slice_ns;
  static_cast<void>(::syscall(SYS_sched_setattr, 0, &attributes, 0));
}

}  // namespace whence::engine
