#pragma once
// Arrays that are freed with their owner, unless they lie in memory of somebody else.

#include <memory>

namespace whence::graph::impl {

struct FreeUnlessBorrowed {
  bool is_borrowed = false;
  template <class T>
  void operator()(T* array) const noexcept {
    if (!is_borrowed) delete[] array;
  }
};

template <class T>
using BorrowableArray = std::unique_ptr<T[], FreeUnlessBorrowed>;

}  // namespace whence::graph::impl
