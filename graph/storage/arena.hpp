#pragma once
// Where ids are kept: bytes appended one after the other, never moved.

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <string_view>
#include <vector>

namespace whence::graph::impl {

/// Texts of up to 65,535 bytes, each stored as two bytes of length and its bytes. One writer; a text may be read by
/// the holder of its address, until it is rewound over.
class Arena {
 public:
  struct Mark {
    std::size_t chunk = 0;
    std::size_t used = 0;
  };

  [[nodiscard]] char const* add(std::string_view text) {
    assert(text.size() <= std::numeric_limits<std::uint16_t>::max());
    auto const length = static_cast<std::uint16_t>(text.size());
    auto const bytes = sizeof length + text.size();
    if (chunks_.empty() || at_.used + bytes > chunk_bytes) next_chunk();
    char* const place = chunks_[at_.chunk].get() + at_.used;
    std::memcpy(place, &length, sizeof length);
    std::memcpy(place + sizeof length, text.data(), text.size());
    at_.used += bytes;
    return place;
  }
  [[nodiscard]] static std::string_view text_at(char const* place) noexcept {
    std::uint16_t length;
    std::memcpy(&length, place, sizeof length);
    return {place + sizeof length, length};
  }

  [[nodiscard]] Mark mark() const noexcept { return at_; }
  /// Forgets what was added since `mark`.
  void rewind(Mark mark) noexcept { at_ = mark; }

  [[nodiscard]] std::uint64_t bytes() const noexcept { return at_.chunk * chunk_bytes + at_.used; }

 private:
  static constexpr std::size_t chunk_bytes = std::size_t{1} << 18;

  void next_chunk() {
    // After a rewind the chunks behind the mark are there already.
    at_ = {.chunk = chunks_.empty() ? 0 : at_.chunk + 1, .used = 0};
    if (at_.chunk == chunks_.size()) chunks_.push_back(std::make_unique_for_overwrite<char[]>(chunk_bytes));
  }

  std::vector<std::unique_ptr<char[]>> chunks_;
  Mark at_;
};

}  // namespace whence::graph::impl
