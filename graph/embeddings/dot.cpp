// One implementation for every processor, in the vector types of GCC and clang, which become whatever registers there
// are; one for x86 processors since about 2013, chosen when the program runs. Not `target_clones`: it chooses through
// an ifunc, which runs before sanitizers are ready, and GCC 12 widens 256 bits of the vector types in two halves.
//
// A scan is bound by memory, so there is no pass in binary32 before: 16 sums took 7.3 ms against 6.5 ms in binary32
// (100,000 rows of 384, AVX2); where rows fit a cache, 1.4 to 1.6 times as long. 32 sums were no faster and spill where
// registers are narrow; AVX-512, prefetching and pages of 2 MiB made no difference above the noise.
#include "graph/embeddings/dot.hpp"

#include <cstring>
#include <utility>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace whence::graph::impl {

namespace {

using TwoFloats [[gnu::vector_size(8)]] = float;
using TwoDoubles [[gnu::vector_size(16)]] = double;

[[gnu::always_inline]] inline void add_products(TwoDoubles& sums, float const* row, double const* asked) {
  TwoFloats narrow;
  TwoDoubles wide;
  std::memcpy(&narrow, row, sizeof narrow);
  std::memcpy(&wide, asked, sizeof wide);
  sums += __builtin_convertvector(narrow, TwoDoubles) * wide;
}

/// `I`: 0 to 7, one for each pair of lanes. A pack and not a loop, so that the sums stay in registers whatever the
/// level of optimisation makes of loops.
template <std::size_t... I>
double product_of(float const* row, std::size_t length, double const* asked, std::index_sequence<I...> /*pairs*/) {
  TwoDoubles sums[sizeof...(I)] = {};
  for (std::size_t at = 0; at < length; at += dot_lanes) {
    (add_products(sums[I], row + at + 2 * I, asked + at + 2 * I), ...);
  }
  double lanes[dot_lanes];
  std::memcpy(lanes, sums, sizeof lanes);
  for (std::size_t half = dot_lanes / 2; half != 0; half /= 2) {
    for (std::size_t lane = 0; lane < half; ++lane) lanes[lane] += lanes[lane + half];
  }
  return lanes[0];
}

#if defined(__x86_64__)
/// Four sums of four lanes each.
__attribute__((target("avx2,fma"))) void dot_products_avx2(float const* rows, std::size_t count, std::size_t length,
                                                           double const* asked, double* products) {
  for (std::size_t r = 0; r < count; ++r) {
    __m256d sums[4] = {_mm256_setzero_pd(), _mm256_setzero_pd(), _mm256_setzero_pd(), _mm256_setzero_pd()};
    for (std::size_t at = 0; at < length; at += dot_lanes) {
      float const* const row = rows + r * length + at;
      double const* const factors = asked + at;
      sums[0] = _mm256_fmadd_pd(_mm256_cvtps_pd(_mm_load_ps(row)), _mm256_load_pd(factors), sums[0]);
      sums[1] = _mm256_fmadd_pd(_mm256_cvtps_pd(_mm_load_ps(row + 4)), _mm256_load_pd(factors + 4), sums[1]);
      sums[2] = _mm256_fmadd_pd(_mm256_cvtps_pd(_mm_load_ps(row + 8)), _mm256_load_pd(factors + 8), sums[2]);
      sums[3] = _mm256_fmadd_pd(_mm256_cvtps_pd(_mm_load_ps(row + 12)), _mm256_load_pd(factors + 12), sums[3]);
    }
    __m256d const four = _mm256_add_pd(_mm256_add_pd(sums[0], sums[2]), _mm256_add_pd(sums[1], sums[3]));
    __m128d const two = _mm_add_pd(_mm256_castpd256_pd128(four), _mm256_extractf128_pd(four, 1));
    products[r] = _mm_cvtsd_f64(_mm_add_sd(two, _mm_unpackhi_pd(two, two)));
  }
}
#endif

}  // namespace

void dot_products(float const* rows, std::size_t count, std::size_t length, double const* asked, double* products) {
  for (std::size_t r = 0; r < count; ++r) {
    products[r] = product_of(rows + r * length, length, asked, std::make_index_sequence<dot_lanes / 2>{});
  }
}

DotProducts fastest_dot_products() noexcept {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return dot_products_avx2;
#endif
  return dot_products;
}

}  // namespace whence::graph::impl
