#pragma once
// Objects that libnats calls on threads of its own, and may still call when they are gone: closing a connection does
// not wait for callbacks.

#include "schema/threads/thread_guard.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>

namespace whence::store {

/// What libnats is given instead of a pointer to `object`. The destructor waits for callbacks that run; later ones do
/// nothing.
template <class T>
class NatsCallee {
 public:
  explicit NatsCallee(T& object) : slot_(std::make_shared<Slot>()) {
    slot_->object = &object;
    std::lock_guard const lock(registry().mutex);
    number_ = ++registry().last;
    registry().slots.emplace(number_, slot_);
  }
  ~NatsCallee() {
    {
      std::lock_guard const lock(registry().mutex);
      registry().slots.erase(number_);
    }
    std::lock_guard const lock(slot_->mutex);
    slot_->object = nullptr;
  }
  NatsCallee(NatsCallee const&) = delete;
  NatsCallee& operator=(NatsCallee const&) = delete;

  /// The closure of a callback.
  [[nodiscard]] void* closure() const {
    return reinterpret_cast<void*>(number_);  // NOLINT(performance-no-int-to-ptr): never followed
  }

  /// Calls `use` with the object, if it is still there.
  template <class Use>
  static void call(void* closure, Use&& use) {
    auto const slot = find(reinterpret_cast<std::uintptr_t>(closure));
    if (!slot) return;
    std::shared_lock const lock(slot->mutex);
    if (slot->object == nullptr) return;
    schema::ThreadGuard guard{{}, "log", "what was missed is asked for"};  // libnats knows no exceptions
    guard.run([&] { use(*slot->object); });
  }

 private:
  struct Slot {
    std::shared_mutex mutex;
    T* object = nullptr;
  };
  struct Registry {
    std::mutex mutex;
    std::map<std::uintptr_t, std::shared_ptr<Slot>> slots;
    std::uintptr_t last = 0;
  };

  static Registry& registry() {
    static auto* const one = new Registry;  // never destroyed: callbacks may come while the process ends
    return *one;
  }
  static std::shared_ptr<Slot> find(std::uintptr_t number) {
    std::lock_guard const lock(registry().mutex);
    auto const found = registry().slots.find(number);
    return found == registry().slots.end() ? nullptr : found->second;
  }

  std::shared_ptr<Slot> slot_;
  std::uintptr_t number_;
};

}  // namespace whence::store
