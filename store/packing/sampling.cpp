// Dictionaries tried out before one is taken.

#include "store/packing/sampling.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace whence::store {
namespace {

constexpr std::size_t even_sample_bytes_max = std::size_t{4} << 20;
constexpr std::size_t even_content_bytes_max = std::size_t{16} << 10;
constexpr std::array dictionary_bytes_tried = {std::size_t{8} << 10, std::size_t{16} << 10, std::size_t{32} << 10,
                                               dictionary_bytes_max};

enum class Half : std::uint8_t { even, odd, both };

bool is_in(Half half, std::size_t i) {
  return half == Half::both || (i % 2 == 0) == (half == Half::even);
}

Samples samples_of(EvenSamples const& from, Half half) {
  Samples some;
  for (std::size_t i = 0; i < from.contents().size(); ++i) {
    Bytes const& content = from.contents()[i];
    if (!is_in(half, i) || content.empty()) continue;
    put_bytes(some.bytes, content);
    some.sizes.push_back(content.size());
  }
  return some;
}

/// What the odd samples become.
std::uint64_t packed_bytes(EvenSamples const& from, Bytes const* dictionary) {
  Compressor compressor{pack_level_thorough};
  std::optional<PackDictionary> prepared;
  if (dictionary != nullptr) prepared.emplace(*dictionary, pack_level_thorough);
  std::uint64_t sum = 0;
  Bytes frame;
  for (std::size_t i = 1; i < from.contents().size(); i += 2) {
    frame.clear();
    bool const is_shorter = compressor.append(from.contents()[i], prepared ? &*prepared : nullptr, frame);
    sum += is_shorter ? frame.size() : from.contents()[i].size();
  }
  return sum;
}

}  // namespace

void EvenSamples::add(std::span<std::byte const> content) {
  auto const kept = content.first(std::min(content.size(), even_content_bytes_max));
  contents_.emplace_back(kept.begin(), kept.end());
  bytes_ += kept.size();
  if (bytes_ <= even_sample_bytes_max) return;
  std::vector<Bytes> half;
  bytes_ = 0;
  for (std::size_t i = 0; i < contents_.size(); i += 2) {
    bytes_ += contents_[i].size();
    half.push_back(std::move(contents_[i]));
  }
  contents_ = std::move(half);
  step_ *= 2;
}

std::optional<Bytes> find_best_dictionary(EvenSamples const& samples) {
  Samples const trained_on = samples_of(samples, Half::even);
  std::uint64_t const contents_per_sample = 2 * samples.step();  // only one half is packed
  std::uint64_t least = contents_per_sample * packed_bytes(samples, nullptr);
  std::size_t best = 0;
  for (std::size_t const bytes_max : dictionary_bytes_tried) {
    std::optional<Bytes> const tried = train_dictionary(trained_on, bytes_max);
    if (!tried) continue;
    std::uint64_t const bytes = tried->size() + contents_per_sample * packed_bytes(samples, &*tried);
    if (bytes >= least) continue;
    least = bytes;
    best = bytes_max;
  }
  if (best == 0) return std::nullopt;
  return train_dictionary(samples_of(samples, Half::both), best);
}

}  // namespace whence::store
