#pragma once
// Events as text, written once for all subscriptions that get them.

#include "queries/live/events.hpp"
#include "schema/base/error.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace whence::queries {

/// Some events of one transaction as text, each but for its `prev`, which differs between subscriptions. Immutable.
class EventTexts {
 public:
  /// Writes the events of `events` at `wanted` (ascending) with `parts`. Fails with `corrupt`.
  [[nodiscard]] static Result<EventTexts> make(Events const& events, std::span<std::uint32_t const> wanted,
                                               EventParts const& parts);

  [[nodiscard]] TxId tx() const noexcept { return tx_; }
  /// About its size in memory.
  [[nodiscard]] std::size_t bytes() const noexcept { return text_.capacity() + pieces_.capacity() * sizeof(Piece); }

  /// Appends the object of one event that was wanted, with those of `parts` that were written.
  void append(std::string& out, std::uint32_t event, TxId prev, EventParts const& parts) const;
  /// The same with all that was written and no `prev`: the event by itself.
  void append_unlinked(std::string& out, std::uint32_t event) const;

 private:
  /// Where the parts of an event begin in `text_`: each ends where the next begins.
  struct Piece {
    std::uint32_t event = 0;
    std::uint32_t head = 0;
    std::uint32_t record = 0;
    std::uint32_t status = 0;
    std::uint32_t edges = 0;
    std::uint32_t flags = 0;
    std::uint32_t end = 0;
  };
  friend class EventWriter;

  [[nodiscard]] Piece const& piece_of(std::uint32_t event) const;

  TxId tx_{0};
  std::string text_;
  std::vector<Piece> pieces_;  // by event, ascending
};

/// Appends the events at `wanted` (ascending) with `parts`, each by itself, without a `prev`. `after`, called after
/// each, may append too; it returns false to stop. Fails with `corrupt`.
[[nodiscard]] Result<void> append_unlinked(Events const& events, std::span<std::uint32_t const> wanted,
                                           EventParts const& parts, std::string& out,
                                           std::function<bool(std::uint32_t event)> const& after);

}  // namespace whence::queries
