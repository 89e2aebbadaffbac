#pragma once
// The text of one row while it is written: bounded, counted, interruptible. A value may be small and its text large:
// nodes are written with their properties, and one value may be in many places.

#include "net/work/memory_budget.hpp"
#include "queries/cypher/base/error.hpp"
#include "schema/base/interrupt.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace whence::net {

/// One row. All that it is given outlives it.
class RowBound {
 public:
  /// What `text` grows by is counted in `claim`.
  RowBound(std::string const& text, std::uint64_t bytes_max, MemoryClaim& claim,
           schema::Interrupt const& interrupt) noexcept
      : text_{text},
        begin_{text.size()},
        next_{text.size() + step},
        bytes_max_{bytes_max},
        claim_{claim},
        interrupt_{interrupt} {}

  /// Whether writing may go on with a part of `more` bytes. It looks at the bounds every `step` bytes.
  [[nodiscard]] bool may_go_on(std::size_t more = 0) { return text_.size() + more < next_ || look(more); }
  /// Why it may not.
  [[nodiscard]] std::optional<queries::cypher::QueryError> const& problem() const noexcept { return problem_; }

 private:
  static constexpr std::size_t step = std::size_t{1} << 20;

  [[nodiscard]] bool look(std::size_t more);

  std::string const& text_;
  std::size_t const begin_;
  std::size_t next_;
  std::uint64_t const bytes_max_;
  MemoryClaim& claim_;
  schema::Interrupt const& interrupt_;
  std::optional<queries::cypher::QueryError> problem_;
};

inline bool RowBound::look(std::size_t more) {
  using queries::cypher::ErrorKind;
  auto const fail = [this](ErrorKind kind, std::string detail, std::string message) {
    if (!problem_) {
      problem_ = {.kind = kind, .detail = std::move(detail), .message = std::move(message), .is_compile_time = false};
    }
    return false;
  };
  if (problem_) return false;
  auto const bytes = text_.size() - begin_ + more;
  next_ = text_.size() + more + step;
  if (bytes > bytes_max_)
    return fail(ErrorKind::limit_exceeded, "bytes", "a row takes more than " + std::to_string(bytes_max_) + " bytes");
  if (!claim_.try_set(bytes))
    return fail(ErrorKind::out_of_memory, "memory", "there is not enough memory for this row now");
  switch (interrupt_.check(step / 64)) {
    case schema::Stop::none:
    case schema::Stop::too_long:
      return true;
    case schema::Stop::cancelled:
      return fail(ErrorKind::cancelled, "", "the query was cancelled");
    case schema::Stop::timeout:
      return fail(ErrorKind::timeout, "time", "the query takes longer than it may");
  }
  return true;
}

}  // namespace whence::net
