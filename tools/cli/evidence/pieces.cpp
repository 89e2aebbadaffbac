// A transaction is in one piece.

#include "tools/cli/evidence/pieces.hpp"

namespace whence::tools {

std::string event_key(std::uint64_t tx, std::string_view op, std::string_view ref) {
  bool const writes = op == "put" || op == "version" || op == "content";
  return std::to_string(tx).append(writes ? " write " : " ").append(writes ? "" : op).append(" ").append(ref);
}

void Pieces::add(std::uint64_t tx, std::string_view op, std::string const& ref, bool is_of_scope) {
  if (first_tx_ == 0) first_tx_ = tx;
  last_tx_ = tx;
  if (!is_of_scope) {
    if (known_.contains(ref)) pieces_.back().others.insert(event_key(tx, op, ref));
    return;
  }
  ++events_;
  bool const goes_on = !pieces_.empty() && (pieces_.back().last_tx == tx || !is_full(pieces_.back()));
  if (!goes_on) {
    if (pieces_.size() == pieces_max) return;
    pieces_.push_back({.first_tx = tx});
    known_.clear();
  }
  auto& piece = pieces_.back();
  piece.last_tx = tx;
  ++piece.events;
  if (!has_scope_ || !known_.insert(ref).second) return;
  piece.refs.push_back(ref);
  piece.since.push_back(tx);
}

bool Pieces::is_full(Piece const& piece) noexcept {
  return piece.events >= piece_events_max || piece.refs.size() >= piece_refs_max;
}

}  // namespace whence::tools
