#pragma once
// The declared attributes of GraphML: numbered in the order in which they are first seen.

#include "queries/export/attribute.hpp"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace whence::exports {

/// Names with their kinds. A name is declared once, its kind belongs to it.
class Keys {
 public:
  struct Key {
    std::string name;
    Kind kind;
    std::size_t number;
  };

  void declare(std::string_view name, Kind kind) {
    if (find(name) == nullptr) keys_.push_back({std::string(name), kind, keys_.size()});
  }

  /// A few dozen at most, most of them among the first.
  [[nodiscard]] Key const* find(std::string_view name) const {
    auto const found = std::ranges::find(keys_, name, &Key::name);
    return found == keys_.end() ? nullptr : &*found;
  }

  [[nodiscard]] std::size_t number_of(std::string_view name) const {
    auto const* const key = find(name);
    assert(key != nullptr);
    return key->number;
  }

  [[nodiscard]] std::vector<Key> const& all() const noexcept { return keys_; }

 private:
  std::vector<Key> keys_ = {};
};

}  // namespace whence::exports
