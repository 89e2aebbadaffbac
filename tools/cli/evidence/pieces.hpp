#pragma once
// A period in pieces that fit into a bundle each.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace whence::tools {

/// Consecutive transactions.
struct Piece {
  std::uint64_t first_tx = 0;
  std::uint64_t last_tx = 0;
  std::uint64_t events = 0;               ///< of the scope
  std::vector<std::string> refs = {};     ///< whose events these are; empty without a scope
  std::vector<std::uint64_t> since = {};  ///< of each ref: from which transaction on
  /// `event_key` of later events of these refs that are not of the scope: what was deleted may be written again by
  /// somebody else.
  std::unordered_set<std::string> others = {};
};

/// An event as a piece tells it from others of its ref. Of one transaction, what was deleted is one, what was written
/// another.
[[nodiscard]] std::string event_key(std::uint64_t tx, std::string_view op, std::string_view ref);

/// Collects them as events come, in the order of their transactions.
class Pieces {
 public:
  static constexpr std::uint64_t piece_events_max = 20'000;
  static constexpr std::size_t piece_refs_max = 5'000;
  static constexpr std::size_t pieces_max = 1'000;  ///< further events are counted alone

  explicit Pieces(bool has_scope) : has_scope_(has_scope) {}

  /// An event before the period.
  void pass(std::uint64_t tx) noexcept { passed_tx_ = tx; }
  /// An event of the period, of the scope or not.
  void add(std::uint64_t tx, std::string_view op, std::string const& ref, bool is_of_scope);

  [[nodiscard]] std::vector<Piece> const& all() const noexcept { return pieces_; }
  [[nodiscard]] bool has_scope() const noexcept { return has_scope_; }
  [[nodiscard]] std::uint64_t passed_tx() const noexcept { return passed_tx_; }  ///< the last before it; 0: none
  [[nodiscard]] std::uint64_t first_tx() const noexcept { return first_tx_; }    ///< of the period; 0: it has none
  [[nodiscard]] std::uint64_t last_tx() const noexcept { return last_tx_; }
  [[nodiscard]] std::uint64_t events() const noexcept { return events_; }  ///< of the scope, all of them

 private:
  [[nodiscard]] static bool is_full(Piece const& piece) noexcept;

  bool has_scope_;
  std::vector<Piece> pieces_ = {};
  std::unordered_set<std::string> known_ = {};  ///< of the last piece
  std::uint64_t passed_tx_ = 0;
  std::uint64_t first_tx_ = 0;
  std::uint64_t last_tx_ = 0;
  std::uint64_t events_ = 0;
};

}  // namespace whence::tools
