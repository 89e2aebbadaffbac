#pragma once
// An image on its way into a checkpoint.

#include "graph/image/image.hpp"
#include "store/checkpoint/checkpoint.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <stop_token>

namespace whence::engine {

/// Writes until `stop` is requested. Throws std::system_error.
class CheckpointSink final : public graph::ImageSink {
 public:
  /// Both outlive it.
  CheckpointSink(store::CheckpointWriter& writer, std::stop_token const& stop) : writer_{writer}, stop_{stop} {}

  [[nodiscard]] bool write(std::span<std::byte const> bytes) override {
    writer_.write(bytes);
    return !stop_.stop_requested();
  }
  [[nodiscard]] bool skip(std::uint64_t count) override {
    writer_.skip(count);
    return !stop_.stop_requested();
  }

 private:
  store::CheckpointWriter& writer_;
  std::stop_token const& stop_;
};

}  // namespace whence::engine
