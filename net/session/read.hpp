#pragma once
// One read request from its params to its answer: checked, placed on a snapshot, evaluated, given in pages or pieces.
// Knows no threads: its caller decides where, and how long.

#include "graph/snapshot/snapshot.hpp"
#include "net/params/wire_params.hpp"
#include "net/rpc/envelope.hpp"
#include "net/rpc/item_reader.hpp"
#include "net/rpc/method.hpp"
#include "net/rpc/page.hpp"
#include "net/state/service_state.hpp"
#include "net/work/request_interrupt.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <boost/json/object.hpp>

namespace whence::net {

/// What a read may have of those who ask.
struct ReadRights {
  bool may_stream = false;
  Role role = Role::admin;  ///< an admin's may last longer, and sees which texts were purged
};

/// Used by one thread at a time: prepared, then run (again, elsewhere, where it was too long), then, if it is a stream,
/// asked for items until there are no more, then finished.
class Read {
 public:
  using Moment = std::chrono::steady_clock::time_point;

  /// Checks the params of `request`, which it takes. Fails with `invalid_params` naming every wrong member, or with
  /// `cursor_invalid`. `service` outlives the read. What it evaluates is counted in `memory`.
  [[nodiscard]] static Result<std::shared_ptr<Read>> prepare(ServiceState& service, std::shared_ptr<PeerMemory> memory,
                                                             Method const& method, Request& request,
                                                             ReadRights const& rights);

  /// The transaction to wait for before running, if it is not visible yet.
  [[nodiscard]] std::optional<schema::TxId> awaited_tx() const;
  /// By when: the request's own timeout, or the service's.
  [[nodiscard]] Moment deadline() const noexcept { return deadline_; }
  /// Whether the request itself has a timeout; then a stream ends by it too.
  [[nodiscard]] bool has_own_deadline() const noexcept { return common_.timeout_ms.has_value(); }
  [[nodiscard]] bool wants_progress() const noexcept { return page_.progress; }
  /// The first credit of a stream; nothing where the answer comes in one piece.
  [[nodiscard]] std::optional<std::uint32_t> stream_credit() const noexcept;
  /// Vertices and edges of the snapshot: what an evaluation may have to look at. 0 before it ran.
  [[nodiscard]] std::uint64_t work_total() const;

  enum class Step : std::uint8_t {
    done,
    too_long,  ///< for this thread: run it again elsewhere; what was evaluated is kept
  };

  /// Evaluates, and unless it is a stream renders the page, at most `items_max` items of it, onto `out` as the result
  /// object. Out of time is an answer or `deadline_exceeded`, by the method's shape. On anything but `done`, `out`
  /// is as it was.
  [[nodiscard]] Result<Step> run(RequestInterrupt const& interrupt, std::size_t items_max, std::string& out);

  // Of a stream, after `done`.
  [[nodiscard]] bool has_more_items() const noexcept;
  /// Items of the next piece at most, for deciding where to render it.
  [[nodiscard]] std::size_t next_items_max() const;
  /// Appends the next piece, a few hundred items or some 64 KiB, as a JSON array. Items that are made as they are taken
  /// come after 100 ms at the latest, if there are any, and out of time ends the stream at its present position.
  [[nodiscard]] Result<void> write_next_items(std::string& out, RequestInterrupt const& interrupt);
  /// Ends the stream at its present position because its time is over.
  void stop_for_time() noexcept { is_out_of_time_ = true; }
  /// The same because memory is short: what was evaluated is let go, and evaluated again by who follows the cursor.
  void stop_for_memory() noexcept { is_out_of_time_ = is_out_of_memory_ = true; }
  /// The text of the answer is counted elsewhere from now on.
  void release_text() noexcept { text_.set(0); }
  /// What is counted of it.
  [[nodiscard]] std::size_t text_bytes() const noexcept { return text_.bytes(); }
  /// Appends the result object without its lists.
  void write_final(std::string& out);

 private:
  Read(ServiceState& service, std::shared_ptr<PeerMemory> memory, Method const& method)
      : service_(service), method_(method), peer_(std::move(memory)), memory_(peer_), text_(peer_) {}

  [[nodiscard]] std::optional<Error> take_params(Request& request, ReadRights const& rights);
  [[nodiscard]] std::optional<Error> resume(std::string const& cursor_text);
  [[nodiscard]] std::optional<Error> find_snapshot();
  [[nodiscard]] Result<Step> evaluate(RequestInterrupt const& interrupt);
  /// The same for items that are made as they are taken: those of one page.
  [[nodiscard]] Result<Step> evaluate_items(RequestInterrupt const& interrupt);
  [[nodiscard]] std::optional<Error> find_reader(RequestInterrupt const& interrupt);
  [[nodiscard]] Result<std::vector<std::string>> take_items(RequestInterrupt const& interrupt);
  void set_page(std::vector<std::string> items, bool has_more);
  [[nodiscard]] Result<void> write_made_items(std::string& out, RequestInterrupt const& interrupt);
  [[nodiscard]] bool is_item_stream() const noexcept { return reader_ != nullptr && page_.stream.has_value(); }
  void keep_reader();
  [[nodiscard]] std::optional<Error> count_memory();
  [[nodiscard]] Result<void> count_text(std::string const& out);
  [[nodiscard]] Result<Step> render(RequestInterrupt const& interrupt, std::size_t items_max, std::string& out);
  /// The object of the page's lists.
  [[nodiscard]] Result<Step> write_lists(RequestInterrupt const& interrupt, std::string& out);
  void write_header(schema::json::Writer& out) const;
  void write_empty_lists(schema::json::Writer& out) const;
  /// Whether out of time is an answer rather than an error.
  [[nodiscard]] bool answers_late() const noexcept {
    return method_.shape == Shape::list || method_.shape == Shape::bounded;
  }
  [[nodiscard]] std::string_view reason() const noexcept;
  [[nodiscard]] bool has_cursor() const noexcept;
  [[nodiscard]] std::string canonical_params() const;
  [[nodiscard]] std::string cache_key(std::string const& params) const;
  [[nodiscard]] std::uint32_t limit() const noexcept;
  [[nodiscard]] std::uint32_t items_needed() const noexcept;
  [[nodiscard]] std::size_t items_in_order() const noexcept;
  [[nodiscard]] ItemRange range() const noexcept;

  ServiceState& service_;
  Method const& method_;
  boost::json::object params_ = {};  ///< the method's own; `place_` has the others
  boost::json::object place_ = {};   ///< `as_of` and `min_tx` as given
  ReadParams common_ = {};
  PageParams page_ = {};
  std::optional<std::string> cursor_ = {};
  Query query_ = {};
  Moment deadline_ = {};
  std::optional<schema::TxId> resumed_tx_ = {};  ///< of the cursor

  std::optional<graph::Snapshot> snapshot_ = {};
  std::shared_ptr<PagedAnswer const> answer_ = {};
  std::unique_ptr<ItemReader> reader_ = {};  ///< of items that are made as they are taken
  std::size_t begin_ = 0;                    ///< the first item of this page
  std::size_t position_ = 0;                 ///< items before it have been given
  bool hides_purged_texts_ = false;          ///< from who asks
  bool is_out_of_time_ = false;
  bool is_out_of_memory_ = false;
  bool is_at_end_ = false;  ///< nothing more comes out of `reader_` for this request
  std::shared_ptr<PeerMemory> const peer_;
  MemoryClaim memory_;  ///< of `answer_`
  MemoryClaim text_;    ///< of what it is written to
};

}  // namespace whence::net
