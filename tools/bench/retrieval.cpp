// Exact cosine retrieval over vectors of 384 and of 1,536 numbers, compared with a bare scan in binary32 (the limit)
// and, if OpenBLAS is installed, its matrix-vector product (a peer).

#include "graph/embeddings/vectors.hpp"
#include "graph/graph.hpp"
#include "tools/bench/parts.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <random>
#include <span>
#include <stdexcept>
#include <string_view>
#include <thread>

#ifdef WHENCE_HAVE_OPENBLAS
#include <cblas.h>
#endif
#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace whence::bench {
namespace {

using graph::Vectors;
using schema::VertexId;

constexpr std::string_view model = "bench";
constexpr std::uint32_t large_vectors_max = 25'000;  ///< of 1,536 numbers: the bytes of 100,000 of 384
constexpr std::size_t questions_a_round = 20;
constexpr std::uint32_t vectors_max = 1'000'000;
constexpr std::uint32_t document_chunks = 100;

struct Hit {
  std::uint32_t number;
  double similarity;
};

bool is_better(Hit const& a, Hit const& b) {
  return a.similarity != b.similarity ? a.similarity > b.similarity : a.number < b.number;
}

/// Keeps the `count` best candidates; few pass the first comparison.
class BestHits {
 public:
  explicit BestHits(std::size_t count) : count_{count} {}

  void offer(std::uint32_t number, double similarity) {
    if (hits_.size() == count_ && similarity <= hits_.back().similarity) return;
    Hit const hit{number, similarity};
    hits_.insert(std::upper_bound(hits_.begin(), hits_.end(), hit, is_better), hit);
    if (hits_.size() > count_) hits_.pop_back();
  }
  [[nodiscard]] std::vector<Hit> const& hits() const { return hits_; }

 private:
  std::size_t count_;
  std::vector<Hit> hits_;
};

/// Contiguous unit vectors from an address divisible by 64, the best layout for all peers.
class Matrix {
 public:
  Matrix(std::uint32_t rows, std::size_t dimension, std::uint64_t seed)
      : rows_{rows},
        dimension_{dimension},
        numbers_{static_cast<float*>(std::aligned_alloc(64, rows * dimension * sizeof(float))), std::free} {
    std::mt19937_64 random{seed};
    std::normal_distribution<double> normal;
    std::vector<double> numbers(dimension);
    for (std::uint32_t r = 0; r < rows; ++r) {
      double square = 0;
      for (double& each : numbers) {
        each = normal(random);
        square += each * each;
      }
      std::transform(numbers.begin(), numbers.end(), numbers_.get() + r * dimension,
                     [square](double each) { return static_cast<float>(each / std::sqrt(square)); });
    }
  }

  [[nodiscard]] std::uint32_t rows() const { return rows_; }
  [[nodiscard]] std::size_t dimension() const { return dimension_; }
  [[nodiscard]] float const* data() const { return numbers_.get(); }
  [[nodiscard]] std::span<float const> row(std::uint32_t r) const { return {data() + r * dimension_, dimension_}; }

 private:
  std::uint32_t rows_;
  std::size_t dimension_;
  std::unique_ptr<float, void (*)(void*)> numbers_;
};

/// Inner product in binary32 of multiples of 48 numbers: six sums of eight numbers hide the latency of the additions.
#if defined(__x86_64__)
__attribute__((target("avx2,fma"))) float product_avx2(float const* a, float const* b, std::size_t dimension) {
  __m256 s0 = _mm256_setzero_ps(), s1 = s0, s2 = s0, s3 = s0, s4 = s0, s5 = s0;
  for (std::size_t at = 0; at < dimension; at += 48) {
    s0 = _mm256_fmadd_ps(_mm256_load_ps(a + at), _mm256_load_ps(b + at), s0);
    s1 = _mm256_fmadd_ps(_mm256_load_ps(a + at + 8), _mm256_load_ps(b + at + 8), s1);
    s2 = _mm256_fmadd_ps(_mm256_load_ps(a + at + 16), _mm256_load_ps(b + at + 16), s2);
    s3 = _mm256_fmadd_ps(_mm256_load_ps(a + at + 24), _mm256_load_ps(b + at + 24), s3);
    s4 = _mm256_fmadd_ps(_mm256_load_ps(a + at + 32), _mm256_load_ps(b + at + 32), s4);
    s5 = _mm256_fmadd_ps(_mm256_load_ps(a + at + 40), _mm256_load_ps(b + at + 40), s5);
  }
  __m256 const eight =
      _mm256_add_ps(_mm256_add_ps(_mm256_add_ps(s0, s1), _mm256_add_ps(s2, s3)), _mm256_add_ps(s4, s5));
  __m128 const four = _mm_add_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
  __m128 const two = _mm_add_ps(four, _mm_movehl_ps(four, four));
  return _mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two)));
}
#endif

/// For other processors: sixteen independent sums, which a compiler can vectorize.
float product_plain(float const* a, float const* b, std::size_t dimension) {
  float sums[16] = {};
  for (std::size_t at = 0; at < dimension; at += 16) {
    for (std::size_t lane = 0; lane < 16; ++lane) sums[lane] += a[at + lane] * b[at + lane];
  }
  float sum = 0;
  for (float const each : sums) sum += each;
  return sum;
}

template <float (*Product)(float const*, float const*, std::size_t)>
std::vector<Hit> scan(Matrix const& stored, float const* question, std::size_t count) {
  BestHits best{count};
  for (std::uint32_t r = 0; r < stored.rows(); ++r) {
    best.offer(r, static_cast<double>(Product(stored.row(r).data(), question, stored.dimension())));
  }
  return best.hits();
}

/// The limit: binary32, no deletions, no past moments, no ties by id, immutable data.
std::vector<Hit> limit_scan(Matrix const& stored, float const* question, std::size_t count) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    return scan<product_avx2>(stored, question, count);
  }
#endif
  return scan<product_plain>(stored, question, count);
}

#ifdef WHENCE_HAVE_OPENBLAS
std::vector<Hit> blas_scan(Matrix const& stored, float const* question, std::size_t count) {
  thread_local std::vector<float> products;
  products.resize(stored.rows());
  cblas_sgemv(CblasRowMajor, CblasNoTrans, static_cast<int>(stored.rows()), static_cast<int>(stored.dimension()), 1.0F,
              stored.data(), static_cast<int>(stored.dimension()), question, 1, 0.0F, products.data(), 1);
  BestHits best{count};
  for (std::uint32_t r = 0; r < stored.rows(); ++r) best.offer(r, static_cast<double>(products[r]));
  return best.hits();
}
#endif

/// The expected result: plain sums of binary64 products.
std::vector<Hit> naive_scan(Matrix const& stored, std::span<float const> question, std::size_t count) {
  auto const product = [](std::span<float const> a, std::span<float const> b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += static_cast<double>(a[i]) * static_cast<double>(b[i]);
    return sum;
  };
  BestHits best{count};
  for (std::uint32_t r = 0; r < stored.rows(); ++r) {
    auto const row = stored.row(r);
    double const cosine = product(row, question) / std::sqrt(product(row, row) * product(question, question));
    best.offer(r, std::clamp(cosine, 0.0, 1.0));
  }
  return best.hits();
}

/// The same vectors as embeddings of a graph's chunks; vertex numbers are row numbers.
struct Store {
  explicit Store(Matrix const& stored) {
    graph.begin(schema::TxId{1}, {1, 0});
    for (std::uint32_t r = 0; r < stored.rows(); ++r) {
      auto const chunk = graph.add_vertex(schema::RecordType::retrieved_chunk, "chunk-" + std::to_string(r), {});
      vectors.append(chunk, schema::TxId{1}, stored.row(r), model);
    }
    graph.end();
    vectors.publish();
    graph.publish();
  }

  graph::Graph graph;
  Vectors vectors;
};

struct World {
  Matrix const& stored;
  Matrix const& questions;
  Store const& store;
};

void check(World const& world, std::size_t count) {
  for (std::uint32_t q = 0; q < world.questions.rows(); ++q) {
    auto const expected = naive_scan(world.stored, world.questions.row(q), count);
    auto const found = world.store.vectors.nearest(
        {world.store.graph.snapshot(), world.questions.row(q), count, {}, model}, schema::NoInterrupt{});
    if (!found || found->size() != expected.size()) throw std::runtime_error("retrieval: too few matches");
    for (std::size_t i = 0; i < expected.size(); ++i) {
      bool const is_same = schema::number((*found)[i].vertex) == expected[i].number &&
                           std::fabs((*found)[i].similarity - expected[i].similarity) < 1e-14;
      if (!is_same) throw std::runtime_error("retrieval: the result differs from a plain loop");
    }
  }
}

/// Queries per second in one round; each thread runs all of them.
template <class Answer>
double per_second(World const& world, unsigned thread_count, Answer const& answer) {
  auto const ask_all = [&] {
    for (std::uint32_t q = 0; q < world.questions.rows(); ++q) answer(world.questions.row(q));
  };
  Stopwatch const watch;
  {
    std::vector<std::jthread> others;
    for (unsigned i = 1; i < thread_count; ++i) others.emplace_back(ask_all);
    ask_all();
  }
  return thread_count * static_cast<double>(world.questions.rows()) / watch.seconds();
}

/// Interleaved rounds of all three, so that changes of the machine's load affect them equally.
void compare(World const& world, std::size_t count, unsigned thread_count, unsigned repeats) {
  std::vector<double> whence;
  std::vector<double> limit;
  std::vector<double> blas;
  for (unsigned i = 0; i <= repeats; ++i) {
    auto const round = [&](std::vector<double>& figures, auto const& answer) {
      double const figure = per_second(world, thread_count, answer);
      if (i != 0) figures.push_back(figure);  // the first warms up
    };
    round(whence, [&](std::span<float const> question) {
      (void)world.store.vectors.nearest({world.store.graph.snapshot(), question, count, {}, model},
                                        schema::NoInterrupt{});
    });
    round(limit, [&](std::span<float const> question) { (void)limit_scan(world.stored, question.data(), count); });
#ifdef WHENCE_HAVE_OPENBLAS
    round(blas, [&](std::span<float const> question) { (void)blas_scan(world.stored, question.data(), count); });
#endif
  }
  Row row{.figure = std::to_string(count) + " nearest, " + (thread_count == 1 ? "one thread" : "two threads"),
          .unit = "questions/s",
          .better = Better::higher,
          .whence = median(whence),
          .others = {{"SIMD scan in binary32 (limit; expected at least 0.67x)", median(limit)}}};
  if (!blas.empty()) row.others.emplace_back("OpenBLAS sgemv (peer)", median(blas));
  print(row);
}

/// A query that is limited to one source.
void run_among(World const& world, unsigned repeats) {
  std::vector<VertexId> document;
  for (std::uint32_t i = 0; i < document_chunks; ++i) document.push_back(VertexId{world.stored.rows() / 2 + i});
  double const seconds = median_seconds(repeats, [&] {
    for (std::uint32_t q = 0; q < world.questions.rows(); ++q) {
      (void)world.store.vectors.nearest({world.store.graph.snapshot(), world.questions.row(q), 5, document, model},
                                        schema::NoInterrupt{});
    }
  });
  print({.figure = "5 nearest among the " + std::to_string(document_chunks) + " chunks of one document",
         .unit = "us",
         .better = Better::lower,
         .whence = seconds * 1e6 / static_cast<double>(world.questions.rows()),
         .others = {}});
}

void run_dimension(Options const& options, std::size_t dimension, std::uint32_t rows) {
  Matrix const stored(rows, dimension, 384);
  Matrix const questions(questions_a_round, dimension, 1);
  Store const store(stored);
  World const world{stored, questions, store};
  print_title("Retrieval, exact cosine over " + shown(static_cast<double>(stored.rows())) + " vectors of " +
              shown(static_cast<double>(dimension)) + " numbers");
  for (std::size_t const count : {5, 10}) {
    check(world, count);
    for (unsigned const thread_count : {1, 2}) compare(world, count, thread_count, options.repeats);
  }
  run_among(world, options.repeats);
  print({.figure = "memory of a vector",
         .unit = "bytes",
         .better = Better::lower,
         .whence = static_cast<double>(store.vectors.bytes()) / static_cast<double>(stored.rows()),
         .others = {{"its numbers", static_cast<double>(dimension * sizeof(float))}}});
}

}  // namespace

void run_retrieval(Options const& options) {
#ifdef WHENCE_HAVE_OPENBLAS
  openblas_set_num_threads(1);  // the benchmark has its own threads
#endif
  run_dimension(options, 384, std::min(options.responses, vectors_max));
  run_dimension(options, 1536, std::min(options.responses, large_vectors_max));
}

}  // namespace whence::bench
