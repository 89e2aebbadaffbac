#pragma once
// What drivers have open in one store, and what they have asked: for `/metrics`.

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

namespace whence::net::bolt {

/// Any thread may use it.
struct Figures {
  std::atomic<std::uint64_t> transactions = 0;  ///< open ones, those of single statements included
  std::atomic<std::uint64_t> results = 0;       ///< statements that begin, or whose rows have not all been made
  std::atomic<std::uint64_t> statements = 0;    ///< begun so far
  std::atomic<std::uint64_t> rows = 0;          ///< made so far for clients
};

/// Counts something in one of the open figures while it exists.
class Counted {
 public:
  using Which = std::atomic<std::uint64_t> Figures::*;

  Counted(std::shared_ptr<Figures> figures, Which which) : figures_{std::move(figures)}, which_{which} {
    ++(*figures_.*which_);
  }
  ~Counted() { --(*figures_.*which_); }
  Counted(Counted const&) = delete;
  Counted& operator=(Counted const&) = delete;

 private:
  std::shared_ptr<Figures> figures_;
  Which which_;
};

}  // namespace whence::net::bolt
