#pragma once
// The best dictionary for contents that are all there already.

#include "store/packing/codec.hpp"
#include "store/rows/bytes.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace whence::store {

/// Samples spread evenly over contents whose number is not known before the last: every n-th, where n doubles whenever
/// they become too many. At most 4 MiB.
class EvenSamples {
 public:
  /// To be called once for each content, in order: whether it is to be added.
  [[nodiscard]] bool wants_next() noexcept { return seen_++ % step_ == 0; }
  /// Adds the first 16 KiB of the content that was wanted.
  void add(std::span<std::byte const> content);

  [[nodiscard]] std::vector<Bytes> const& contents() const noexcept { return contents_; }
  /// How many contents each sample represents.
  [[nodiscard]] std::uint64_t step() const noexcept { return step_; }

 private:
  std::vector<Bytes> contents_;
  std::size_t bytes_ = 0;
  std::uint64_t seen_ = 0;
  std::uint64_t step_ = 1;
};

/// A dictionary's pieces stand side by side without a mark, about 50 bytes each: the end of one after the beginning of
/// another can read as a word that no content has, and is no text that was removed.
///
/// The dictionary with which all contents, and it, take the least room, found by packing one half of the samples with
/// dictionaries of several lengths trained on the other. Nothing where none is worth its room. Up to some seconds.
[[nodiscard]] std::optional<Bytes> find_best_dictionary(EvenSamples const& samples);

}  // namespace whence::store
