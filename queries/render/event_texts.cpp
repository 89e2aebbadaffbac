// Events as text. The inner loop of every replay: refs and names are appended from where they lie, records are read in
// one go.

#include "queries/render/event_texts.hpp"

#include "queries/render/forms.hpp"
#include "queries/view/order.hpp"

#include <algorithm>
#include <cassert>
#include <charconv>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace whence::queries {

using graph::DeltaEdge;
using graph::DeltaEvent;
using graph::EventOp;

namespace {

bool has_record(EventOp op) {
  return op == EventOp::put || op == EventOp::version;
}

void append_number(std::string& out, std::uint64_t number) {
  char digits[20];
  auto const end = std::to_chars(std::begin(digits), std::end(digits), number).ptr;
  out.append(digits, end);
}

}  // namespace

/// Writes the events of one transaction one after the other.
class EventWriter {
 public:
  using Piece = EventTexts::Piece;

  /// `before` comes before the time of each event. Appends to `text`, which outlives the writer.
  EventWriter(Events const& events, EventParts const& parts, std::string_view before, std::string& text)
      : events_(events), snapshot_(events.view().snapshot), parts_(parts), text_(text), head_(before) {
    head_.append(R"(,"at":")" + schema::format_rfc3339(snapshot_.committed_at(events.delta().tx)) + R"(","op":")");
    if (!events.is_snapshot()) edges_tx_ = events.delta().tx;
  }

  /// Writes the events at `wanted` and calls `visit(Piece const&)` after each until it returns false.
  template <class Visit>
  [[nodiscard]] Result<void> write(std::span<std::uint32_t const> wanted, Visit const& visit) {
    std::vector<VertexId> vertices;
    std::vector<std::size_t> places;  // in `wanted`, of those that show a record
    for (std::size_t i = 0; i < wanted.size() && parts_.has_record; ++i) {
      auto const event = events_.event(wanted[i]);
      if (!has_record(event.op) || snapshot_.gone(event.vertex)) continue;
      vertices.push_back(event.vertex);
      places.push_back(i);
    }
    std::size_t next = 0;
    bool goes_on = true;
    auto const write_up_to = [&](std::size_t place) {
      for (; goes_on && next < place; ++next) goes_on = visit(end(begin(wanted[next])));
      return goes_on;
    };
    auto read = read_whole(events_.view(), vertices, [&](std::size_t i, graph::Said&& said) {
      auto* const record = said.find();
      if (record == nullptr) return true;  // since the snapshot was asked: it is written without one
      if (!write_up_to(places[i])) return false;
      auto const begun = begin(wanted[next++]);
      Writer out(text_.append(R"(,"record":)"));
      write_record(out, std::move(*record), snapshot_);
      goes_on = visit(end(begun));
      return goes_on;
    });
    if (!read) return read;
    write_up_to(wanted.size());
    return {};
  }

 private:
  /// Everything before the record.
  Piece begin(std::uint32_t position) {
    auto const event = events_.event(position);
    Piece piece{.event = position, .head = at()};
    text_.append(head_).append(schema::name_of(event.op)).append(R"(","ref":)");
    Writer out(text_);
    write_ref(out, snapshot_, event.vertex);
    piece.record = at();
    return piece;
  }

  /// Everything after it.
  Piece end(Piece piece) {
    auto const event = events_.event(piece.event);
    piece.status = at();
    write_status(event);
    piece.edges = at();
    if (parts_.has_edges && has_record(event.op)) write_edges(event);
    piece.flags = at();
    write_gone(event);
    if (events_.is_snapshot()) text_.append(R"(,"snapshot":true)");
    if (events_.is_entered(piece.event)) text_.append(R"(,"entered":true)");
    if (auto const newer = events_.newer(piece.event)) {
      Writer out(text_.append(R"(,"newer":)"));
      write_ref(out, snapshot_, *newer);
    }
    text_.push_back('}');
    piece.end = at();
    return piece;
  }

  [[nodiscard]] std::uint32_t at() const noexcept { return static_cast<std::uint32_t>(text_.size()); }

  void write_status(DeltaEvent const& event) {
    bool const has_state = schema::info(snapshot_.type(event.vertex)).has_status;
    if (event.op == EventOp::status && !has_state) {
      text_.append(event.is_active ? R"(,"status":"active")" : R"(,"status":"inactive")");
      return;
    }
    if (!has_state || (event.op != EventOp::status && !events_.is_snapshot())) return;
    auto const state = snapshot_.state(event.vertex);
    if (events_.is_snapshot() && state.status == graph::UnitStatus::active) return;
    text_.append(R"(,"status":")").append(schema::name_of(state.status)).push_back('"');
    if (!event.has_score) return;
    text_.append(R"(,"score":)");
    schema::json::append_number(text_, state.score);
  }

  /// Of an event that has no record because the content is gone by now, and of the event that says so.
  void write_gone(DeltaEvent const& event) {
    bool const is_expiry = event.op == EventOp::expire;
    auto const why = !parts_.is_lasting && has_record(event.op) ? snapshot_.gone(event.vertex) : std::nullopt;
    if (why) write_time(event);
    if (why) text_.append(R"(,"expired":true)");
    if (why == graph::GoneWhy::purged || (is_expiry && event.is_purged)) text_.append(R"(,"purged":true)");
    if (is_expiry || event.op == EventOp::remove) write_reason();
    if (!is_expiry) return;
    // Several deleted nodes may have had the ref.
    auto const deleted = snapshot_.deleted_at(event.vertex);
    if (!deleted || *deleted > events_.delta().tx) return;
    text_.append(R"(,"put":)");
    append_number(text_, number(snapshot_.created(event.vertex)));
  }

  /// The record's own time, which outlives it.
  void write_time(DeltaEvent const& event) {
    // A first record that has a predecessor is a version.
    bool const is_first = event.op == EventOp::put || snapshot_.created(event.vertex) == events_.delta().tx;
    auto const time = is_first ? snapshot_.time(event.vertex) : std::nullopt;
    if (time) text_.append(R"(,"time":")").append(schema::format_rfc3339(*time)).push_back('"');
  }

  /// Why something was removed; given beside it, so that a log that cannot be read keeps no event back.
  void write_reason() {
    if (!reason_) {
      auto const* const authors = events_.view().authors;
      Result<schema::Author> author = schema::Author{};
      if (authors != nullptr) author = authors->read_author(events_.delta().tx);
      reason_ = author ? std::move(author->reason) : std::string{};
    }
    if (reason_->empty()) return;
    Writer out(text_.append(R"(,"reason":)"));
    out.value(std::string_view(*reason_));
  }

  void write_edges(DeltaEvent const& event) {
    auto const own = events_.delta().edges_of(event);
    edges_.assign(own.begin(), own.end());
    std::ranges::sort(edges_, [&](DeltaEdge const& a, DeltaEdge const& b) { return comes_before(a, b); });
    text_.append(R"(,"edges":[)");
    for (std::size_t i = 0; i < edges_.size(); ++i) {
      if (i > 0) text_.push_back(',');
      Writer out(text_);
      write_edge(out, events_.view(), {edges_[i].from, edges_[i].to, edges_[i].edge},
                 {.tx = edges_tx_, .has_content = !parts_.is_lasting});
    }
    text_.push_back(']');
    if (!parts_.is_lasting && snapshot_.gone(event.vertex)) write_edge_order();
  }

  /// The places of the edges in the order in which the record named them, which is gone with it, where it is another.
  void write_edge_order() {
    std::vector<std::size_t> order(edges_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, {}, [&](std::size_t place) { return edges_[place].edge; });
    if (std::ranges::is_sorted(order)) return;
    text_.append(R"(,"edge_order":[)");
    for (auto const place : order) {
      if (text_.back() != '[') text_.push_back(',');
      append_number(text_, place);
    }
    text_.push_back(']');
  }

  /// By from, to and name of the type.
  [[nodiscard]] bool comes_before(DeltaEdge const& a, DeltaEdge const& b) const {
    if (a.from != b.from) return compare_refs(snapshot_, a.from, b.from) < 0;
    if (a.to != b.to) return compare_refs(snapshot_, a.to, b.to) < 0;
    return schema::name_of(snapshot_.type(a.edge)) < schema::name_of(snapshot_.type(b.edge));
  }

  Events const& events_;
  graph::Snapshot const& snapshot_;
  EventParts const parts_;
  std::string& text_;
  std::string head_;
  std::optional<std::string> reason_ = {};  ///< of the transaction, once it was asked for
  std::optional<TxId> edges_tx_ = {};       ///< of all edges; nothing where they differ
  std::vector<DeltaEdge> edges_;
};

Result<EventTexts> EventTexts::make(Events const& events, std::span<std::uint32_t const> wanted,
                                    EventParts const& parts) {
  EventTexts texts;
  texts.tx_ = events.delta().tx;
  texts.pieces_.reserve(wanted.size());
  EventWriter writer(events, parts, {}, texts.text_);
  auto const written = writer.write(wanted, [&](Piece const& piece) {
    texts.pieces_.push_back(piece);
    return true;
  });
  if (!written) return written.error();
  return texts;
}

Result<void> append_unlinked(Events const& events, std::span<std::uint32_t const> wanted, EventParts const& parts,
                             std::string& out, std::function<bool(std::uint32_t event)> const& after) {
  std::string before = R"({"tx":)";
  append_number(before, number(events.delta().tx));
  EventWriter writer(events, parts, before, out);
  return writer.write(wanted, [&](auto const& piece) { return after(piece.event); });
}

EventTexts::Piece const& EventTexts::piece_of(std::uint32_t event) const {
  auto const piece = std::ranges::lower_bound(pieces_, event, {}, &Piece::event);
  assert(piece != pieces_.end() && piece->event == event);
  return *piece;
}

void EventTexts::append_unlinked(std::string& out, std::uint32_t event) const {
  auto const& piece = piece_of(event);
  append_number(out.append(R"({"tx":)"), number(tx_));
  out.append(text_, piece.head, piece.end - piece.head);
}

void EventTexts::append(std::string& out, std::uint32_t event, TxId prev, EventParts const& parts) const {
  auto const& piece = piece_of(event);
  auto const take = [&](std::uint32_t begin, std::uint32_t end) { out.append(text_, begin, end - begin); };
  out.append(R"({"tx":)");
  append_number(out, number(tx_));
  out.append(R"(,"prev":)");
  append_number(out, number(prev));
  bool const is_all = parts.has_record && parts.has_edges;
  if (is_all) return take(piece.head, piece.end);
  take(piece.head, piece.record);
  if (parts.has_record) take(piece.record, piece.status);
  take(piece.status, piece.edges);
  if (parts.has_edges) take(piece.edges, piece.flags);
  take(piece.flags, piece.end);
}

}  // namespace whence::queries
