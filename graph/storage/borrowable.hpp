#pragma once
// Arrays that are freed with their owner, unless they lie in memory of somebody else.

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <type_traits>

namespace whence::graph::impl {

struct FreeUnlessBorrowed {
  bool is_borrowed = false;
  template <class T>
  void operator()(T* array) const noexcept {
    if (!is_borrowed) std::free(array);  // NOLINT(cppcoreguidelines-no-malloc): from calloc
  }
};

template <class T>
using BorrowableArray = std::unique_ptr<T[], FreeUnlessBorrowed>;

/// `count` elements of zero bytes. A large array costs nothing until it is used: the system gives its pages, zeroed, at
/// the first touch of each, where constructing the elements would write all of them at once, 0.1 s for some hundred MiB
/// in the middle of somebody's write.
template <class T>
[[nodiscard]] BorrowableArray<T> zeroed_array(std::size_t count) {
  static_assert(std::is_trivially_destructible_v<T> && alignof(T) <= alignof(std::max_align_t));
  auto* const array = static_cast<T*>(std::calloc(count, sizeof(T)));  // NOLINT(cppcoreguidelines-no-malloc)
  if (array == nullptr) throw std::bad_alloc();
  return BorrowableArray<T>{array};
}

}  // namespace whence::graph::impl
