// A read from params to pages.

#include "net/session/read.hpp"

#include "net/base/errors.hpp"
#include "net/params/params.hpp"
#include "net/rpc/cursor.hpp"
#include "queries/view/moments.hpp"
#include "schema/base/limits.hpp"
#include "schema/base/suggest.hpp"
#include "schema/json/json.hpp"

#include <algorithm>
#include <cassert>
#include <limits>

namespace whence::net {

namespace {

namespace json = boost::json;

// A piece of a stream: whichever bound is met first.
constexpr std::size_t stream_items_max = 500;
constexpr std::size_t stream_bytes_about = std::size_t{64} << 10;
constexpr std::size_t stream_step_items = 50;

// Of a stream whose items are made as they are taken: those that are there come after this time.
constexpr std::chrono::milliseconds piece_time_max{100};

constexpr std::size_t uncounted_bytes_max = std::size_t{64} << 10;

// Of a prefix: a page costs as much as all before it and holds them while it is made. Anybody can make a cursor that
// names a late page, so that is claimed before it is evaluated.
constexpr std::uint32_t prefix_items_max = 100'000;
constexpr std::size_t prefix_item_bytes_about = 1024;

// Moves the members of `T` out of `from`.
template <schema::Described T>
json::object take_members(json::object& from) {
  json::object taken;
  schema::for_each_field<T>([&](auto const& field) {
    auto const found = from.find(field.name);
    if (found == from.end()) return;
    if (!found->value().is_null()) taken.emplace(field.name, std::move(found->value()));
    from.erase(found);
  });
  return taken;
}

template <schema::Described T>
void take_and_decode(json::object& from, T& into, std::vector<Violation>& violations) {
  decode_params(take_members<T>(from), into, violations);
}

void move_members(json::object& from, json::object& to) {
  for (auto& member : from) to.insert_or_assign(member.key(), std::move(member.value()));
}

void check_limit(PageParams const& page, std::uint32_t page_max, std::vector<Violation>& violations) {
  schema::Rule const rule = limit_rule(page_max);
  if (!page.limit || (*page.limit >= rule.number_min && *page.limit <= rule.number_max)) return;
  schema::Report(violations, Errc::invalid_params)
      .add("/limit", "range", std::to_string(*page.limit), "limit must be 1 to " + std::to_string(page_max));
}

Error no_room() {
  return busy_error("there is not enough memory for this answer now; ask for less at once");
}

/// The params that all reads of a kind share are in tables of their own: an unknown one may be one of them misspelt.
void suggest_shared(Shape shape, std::vector<Violation>& violations) {
  std::vector<std::string_view> names;
  schema::json::add_members<ReadParams>(names);
  if (shape != Shape::whole) schema::json::add_members<PageParams>(names);
  if (has_pages(shape)) schema::json::add_members<CursorParams>(names);
  for (auto& each : violations) {
    bool const is_param = each.rule == "unknown_field" && each.path.find('/', 1) == std::string::npos;
    if (is_param && each.message == "is no field here") {
      each.message += schema::did_you_mean(std::string_view(each.path).substr(1), names);
    }
  }
}

}  // namespace

Result<std::shared_ptr<Read>> Read::prepare(ServiceState& service, std::shared_ptr<PeerMemory> memory,
                                            Method const& method, Request& request, ReadRights const& rights) {
  std::shared_ptr<Read> read(new Read(service, std::move(memory), method));
  if (auto error = read->take_params(request, rights)) return std::move(*error);
  return read;
}

std::optional<Error> Read::take_params(Request& request, ReadRights const& rights) {
  std::vector<Violation> violations = duplicate_violations(request.duplicates);
  hides_purged_texts_ = rights.role < Role::admin;
  params_ = std::move(request.params);
  place_ = take_members<ReadParams>(params_);
  if (method_.shape != Shape::whole) {
    take_and_decode(params_, page_, violations);
    check_limit(page_, service_.config.page_max, violations);
    if (page_.stream && !rights.may_stream) {
      violations.push_back(param_violation("stream", "/stream", "", "streams need a WebSocket connection"));
    }
  }
  if (has_pages(method_.shape)) {
    CursorParams carried;
    take_and_decode(params_, carried, violations);
    cursor_ = std::move(carried.cursor);
  }
  decode_params(place_, common_, violations);
  place_.erase("timeout_ms");
  auto const& config = service_.config;
  auto const longest =
      std::max(rights.role == Role::admin ? config.timeout_max_admin : config.timeout_max, config.read_timeout);
  auto const timeout = common_.timeout_ms ? timeout_of(*common_.timeout_ms) : config.read_timeout;
  deadline_ = request.received + std::min(timeout, longest);
  if (cursor_) {
    if (!violations.empty()) return error_from(std::move(violations));
    if (auto error = resume(*cursor_)) return error;
  }
  auto query = method_.parse_query(params_);
  if (!query) {
    // The params came out of a cursor, so the client did not send what is wrong with them.
    if (resumed_tx_) return cursor_error("the cursor's params are not accepted");
    Error const error = query.error();
    violations.insert(violations.end(), error.violations.begin(), error.violations.end());
    suggest_shared(method_.shape, violations);
  }
  if (!violations.empty()) return error_from(std::move(violations));
  query_ = std::move(*query);
  return std::nullopt;
}

// Takes over what the cursor carries; what is given beside it must be the same.
std::optional<Error> Read::resume(std::string const& cursor_text) {
  auto cursor = decode_cursor(cursor_text);
  if (!cursor) return cursor.error();
  if (cursor->method != method_.name) return cursor_error("the cursor belongs to " + cursor->method);
  if (cursor->epoch != service_.epoch) return cursor_error("the cursor belongs to another log");
  if (cursor->tx > service_.engine.snapshot().tx()) return cursor_error("the cursor is ahead of the log");
  auto carried = schema::json::parse(cursor->params);
  if (!carried) return cursor_error("the cursor is damaged");
  move_members(place_, params_);
  json::object& first = carried->value.get_object();
  for (auto const& member : params_) {
    if (member.value().is_null()) continue;
    auto const same = first.find(member.key());
    bool const is_same = same != first.end() && schema::json::to_canonical_text(same->value()) ==
                                                    schema::json::to_canonical_text(member.value());
    if (!is_same) return cursor_error("\"" + std::string(member.key()) + "\" differs from the cursor's request");
  }
  params_ = std::move(first);
  place_ = take_members<ReadParams>(params_);
  resumed_tx_ = cursor->tx;
  begin_ = position_ = cursor->offset;
  return std::nullopt;
}

std::optional<schema::TxId> Read::awaited_tx() const {
  if (!common_.min_tx || *common_.min_tx <= number(service_.engine.snapshot().tx())) return std::nullopt;
  return schema::TxId{*common_.min_tx};
}

std::optional<std::uint32_t> Read::stream_credit() const noexcept {
  if (!page_.stream) return std::nullopt;
  return page_.stream->credit;
}

std::uint64_t Read::work_total() const {
  return snapshot_ ? snapshot_->vertex_count() + snapshot_->edge_count() : 0;
}

std::uint32_t Read::limit() const noexcept {
  if (page_.limit) return *page_.limit;
  return page_.stream ? service_.config.page_max : std::min(schema::limits::page_default, service_.config.page_max);
}

// From the first item on: what a query whose work depends on it has to find.
std::uint32_t Read::items_needed() const noexcept {
  if (method_.shape != Shape::prefix) return limit();
  std::uint64_t const before = std::min<std::uint64_t>(begin_, prefix_items_max);
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(before + limit(), prefix_items_max));
}

// The first page of a list needs no more; an answer for further pages is kept whole.
std::size_t Read::items_in_order() const noexcept {
  bool const is_first_page = method_.shape == Shape::list && !resumed_tx_ && !page_.stream;
  return is_first_page ? limit() : std::numeric_limits<std::size_t>::max();
}

ItemRange Read::range() const noexcept {
  std::size_t const size = answer_->size();
  bool const is_whole = !has_pages(method_.shape) || (page_.stream && !page_.limit);
  return {begin_, is_whole ? size : std::min<std::size_t>(size, begin_ + limit())};
}

Result<Read::Step> Read::run(RequestInterrupt const& interrupt, std::size_t items_max, std::string& out) {
  if (!answer_) {
    auto evaluated = evaluate(interrupt);
    if (!evaluated || *evaluated == Step::too_long) return evaluated;
  }
  if (page_.stream) return Step::done;
  return render(interrupt, items_max, out);
}

std::optional<Error> Read::find_snapshot() {
  graph::Snapshot const head = shown_to(service_.engine.snapshot(), !hides_purged_texts_);
  if (resumed_tx_) {
    snapshot_ = head.as_of(*resumed_tx_);
    return std::nullopt;
  }
  auto snapshot = queries::snapshot_as_of(head, common_.as_of);
  if (!snapshot) return snapshot.error();
  snapshot_ = std::move(*snapshot);
  return std::nullopt;
}

Result<Read::Step> Read::evaluate(RequestInterrupt const& interrupt) {
  if (!snapshot_) {
    if (auto error = find_snapshot()) return std::move(*error);
  }
  if (query_.begin) return evaluate_items(interrupt);
  // A prefix in the cache would end before the page that is asked for.
  bool const may_be_cached = resumed_tx_ && method_.shape == Shape::list;
  if (may_be_cached) answer_ = service_.cache.find(cache_key(canonical_params()));
  if (!answer_) {
    if (begin_ > 0 && method_.shape == Shape::prefix && !memory_.try_set(items_needed() * prefix_item_bytes_about)) {
      return no_room();
    }
    queries::View const view = service_.view_of(*snapshot_);
    auto answer = query_.answer(view, items_needed(), {interrupt, service_.config.vertices_max, items_in_order()});
    if (!answer) {
      if (interrupt.is_too_long()) return Step::too_long;
      if (answer.error().code != Errc::deadline_exceeded || !answers_late()) return answer.error();
      is_out_of_time_ = true;
      return Step::done;
    }
    answer_ = std::make_shared<PagedAnswer const>(std::move(*answer), snapshot_->tx());
    if (auto error = count_memory()) return std::move(*error);
  }
  if (begin_ > answer_->size()) return cursor_error("the cursor lies beyond its answer");
  return Step::done;
}

Result<Read::Step> Read::evaluate_items(RequestInterrupt const& interrupt) {
  // An evaluation that goes on may not be begun again: it is left to a thread on which nothing is too long.
  if (begin_ > 0 && interrupt.is_bounded()) return Step::too_long;
  auto const give_up = [&](Error error) -> Result<Step> {
    reader_.reset();
    if (interrupt.is_too_long()) return Step::too_long;
    return error;
  };
  if (auto error = find_reader(interrupt)) return give_up(std::move(*error));
  if (page_.stream) return Step::done;
  auto items = take_items(interrupt);
  if (!items) return give_up(items.error());
  auto const has_more = reader_->has_next(interrupt);
  if (!has_more) return give_up(has_more.error());
  if (begin_ > 0 && reader_->position() < begin_) return give_up(cursor_error("the cursor lies beyond its answer"));
  set_page(std::move(*items), *has_more);
  return Step::done;
}

/// The evaluation of the page before, else a new one.
std::optional<Error> Read::find_reader(RequestInterrupt const& interrupt) {
  if (begin_ > 0) reader_ = service_.kept_readers->take(cache_key(canonical_params()), begin_);
  if (reader_) return std::nullopt;
  if (begin_ > prefix_items_max) {
    return cursor_error("the evaluation that this cursor continues is kept no longer, and more than " +
                        std::to_string(prefix_items_max) + " items are not made again: ask for a stream");
  }
  auto run = query_.begin(service_.view_of(*snapshot_), interrupt, peer_);
  if (!run) return run.error();
  reader_ = std::make_unique<ItemReader>(std::move(*run), begin_, peer_);
  return std::nullopt;
}

Result<std::vector<std::string>> Read::take_items(RequestInterrupt const& interrupt) {
  std::vector<std::string> items;
  std::size_t bytes = 0;
  while (items.size() < limit()) {
    auto const has_next = reader_->has_next(interrupt);
    if (!has_next) return has_next.error();
    if (!*has_next) break;
    items.push_back(reader_->take());
    bytes += items.back().size() + sizeof(std::string);
    if (bytes > memory_.bytes() + uncounted_bytes_max && !memory_.try_set(bytes)) return no_room();
  }
  return items;
}

void Read::set_page(std::vector<std::string> items, bool has_more) {
  queries::PageSource page;
  auto const size = page_.stream ? position_ : begin_ + items.size();
  auto const write = [made = std::make_shared<std::vector<std::string> const>(std::move(items)), begin = begin_](
                         schema::json::Writer& out, std::size_t from, std::size_t end) -> Result<void> {
    for (std::size_t i = from; i < end; ++i) out.raw((*made)[i - begin]);
    return {};
  };
  page.lists.push_back({.name = method_.lists, .size = size, .write = write});
  if (has_more) page.incomplete = queries::Incomplete::limit;
  answer_ = std::make_shared<PagedAnswer const>(std::move(page), snapshot_->tx());
}

/// Refuses the answer where there is no room for it. Small ones are not counted.
std::optional<Error> Read::count_memory() {
  std::size_t const bytes = answer_->weight();
  if (bytes <= uncounted_bytes_max || memory_.try_set(bytes)) return std::nullopt;
  answer_.reset();
  return no_room();
}

/// What an answer is written to grows with it, and small ones are not counted.
Result<void> Read::count_text(std::string const& out) {
  auto const bytes = out.capacity();
  if (bytes <= std::max(uncounted_bytes_max, text_.bytes()) || text_.try_set(bytes)) return {};
  return no_room();
}

Result<Read::Step> Read::render(RequestInterrupt const& interrupt, std::size_t items_max, std::string& out) {
  if (answer_ && answer_->size_with_attached(range()) > items_max) return Step::too_long;
  std::size_t const start = out.size();
  auto written = write_lists(interrupt, out);
  if (!written || *written == Step::too_long) {
    out.resize(start);
    release_text();
    return written;
  }
  // The header comes first but is known last: it has whether the whole page was written in time.
  std::string header;
  schema::json::Writer writer(header);
  writer.begin_object();
  write_header(writer);
  bool const has_lists = out.size() > start + 2;
  if (has_lists) header.push_back(',');
  out.replace(start, 1, header);
  if (auto const counted = count_text(out); !counted) {
    out = {};
    release_text();
    return counted.error();
  }
  keep_reader();
  return Step::done;
}

Result<Read::Step> Read::write_lists(RequestInterrupt const& interrupt, std::string& out) {
  schema::json::Writer writer(out);
  writer.begin_object();
  if (!answer_) {
    write_empty_lists(writer);
    writer.end_object();
    return Step::done;
  }
  auto stop = schema::Stop::none;
  auto const should_stop = [&] {
    stop = interrupt.check(1);
    return stop != schema::Stop::none;
  };
  auto const end = answer_->write_page(writer, range(), should_stop, [&] { return count_text(out); });
  if (!end) return end.error();
  if (stop == schema::Stop::too_long) return Step::too_long;
  if (stop == schema::Stop::cancelled) return Error{.code = Errc::cancelled, .message = "cancelled"};
  if (stop == schema::Stop::timeout && !answers_late()) {
    return Error{.code = Errc::deadline_exceeded, .message = "the answer was not written in time"};
  }
  is_out_of_time_ = stop == schema::Stop::timeout;
  position_ = *end;
  writer.end_object();
  return Step::done;
}

void Read::write_empty_lists(schema::json::Writer& out) const {
  std::string_view rest = method_.lists;
  while (!rest.empty()) {
    std::size_t const end = std::min(rest.find(' '), rest.size());
    out.key(rest.substr(0, end)).begin_array().end_array();
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
}

std::string_view Read::reason() const noexcept {
  if (is_out_of_memory_) return "memory";
  if (is_out_of_time_) return "timeout";
  if (position_ < answer_->size()) return schema::name_of(queries::Incomplete::limit);
  if (answer_->answer().incomplete == queries::Incomplete::no) return {};
  return schema::name_of(answer_->answer().incomplete);
}

bool Read::has_cursor() const noexcept {
  if (!has_pages(method_.shape)) return false;
  if (is_out_of_time_ || position_ < answer_->size()) return true;
  bool const is_cut = answer_->answer().incomplete == queries::Incomplete::limit;
  return is_cut && method_.shape == Shape::prefix && (query_.begin || position_ < prefix_items_max);
}

void Read::write_header(schema::json::Writer& out) const {
  out.member("tx", number(snapshot_->tx()));
  std::string_view const why = reason();
  out.member("complete", why.empty());
  if (!why.empty()) out.member("reason", why);
  if (has_cursor()) {
    std::string const params = canonical_params();
    bool const is_in_order = answer_ && answer_->answer().ordered_items >= answer_->size();
    if (is_in_order && method_.shape == Shape::list) service_.cache.keep(cache_key(params), answer_);
    out.member("cursor", encode_cursor({.epoch = service_.epoch,
                                        .tx = snapshot_->tx(),
                                        .offset = position_,
                                        .method = std::string{method_.name},
                                        .params = params}));
  }
  if (reader_) reader_->write_members(out);
  if (answer_ && answer_->answer().write_members) answer_->answer().write_members(out);
}

/// For the next page, once everything of this one has been written.
void Read::keep_reader() {
  if (!reader_ || is_out_of_time_ || !has_cursor() || reader_->position() != position_) return;
  service_.kept_readers->keep(cache_key(canonical_params()), std::move(reader_), peer_.get());
}

bool Read::has_more_items() const noexcept {
  if (is_item_stream()) return !is_out_of_time_ && !is_at_end_;
  return !is_out_of_time_ && answer_ && position_ < range().end;
}

std::size_t Read::next_items_max() const {
  if (is_item_stream()) return stream_items_max;
  return std::min(stream_items_max, range().end - position_);
}

Result<void> Read::write_next_items(std::string& out, RequestInterrupt const& interrupt) {
  if (is_item_stream()) return write_made_items(out, interrupt);
  std::size_t const start = out.size();
  std::size_t const end = std::min(range().end, position_ + stream_items_max);
  schema::json::Writer writer(out);
  writer.begin_array();
  while (position_ < end && out.size() - start < stream_bytes_about) {
    ItemRange const step{position_, std::min(end, position_ + stream_step_items)};
    if (auto const written = answer_->write_items(writer, step); !written) return written.error();
    position_ = step.end;
  }
  writer.end_array();
  return {};
}

Result<void> Read::write_made_items(std::string& out, RequestInterrupt const& interrupt) {
  std::size_t const start = out.size();
  std::size_t const end = page_.limit ? begin_ + limit() : std::numeric_limits<std::size_t>::max();
  auto const late = std::chrono::steady_clock::now() + piece_time_max;
  schema::json::Writer writer(out);
  writer.begin_array();
  bool has_next = true;
  for (std::size_t made = 0; made < stream_items_max && out.size() - start < stream_bytes_about; ++made) {
    auto const next = reader_->has_next(interrupt);
    bool const is_late = !next && next.error().code == Errc::deadline_exceeded;
    if (!next && !is_late) return next.error();
    if (is_late) stop_for_time();
    has_next = next && *next;
    if (!has_next || position_ == end) break;
    writer.raw(reader_->take());
    ++position_;
    if (std::chrono::steady_clock::now() >= late) break;
  }
  writer.end_array();
  is_at_end_ = !has_next || position_ == end;
  if (is_at_end_ && !is_out_of_time_) set_page({}, has_next);
  if (!is_at_end_ && !reader_->count_memory()) stop_for_memory();
  return {};
}

void Read::write_final(std::string& out) {
  if (is_item_stream() && !answer_) set_page({}, true);  // ended for time or memory
  schema::json::Writer writer(out);
  writer.begin_object();
  write_header(writer);
  writer.end_object();
  keep_reader();
}

// What the answer depends on, nulls left out: the cursor's content and the cache's key.
std::string Read::canonical_params() const {
  json::object all;
  for (json::object const* members : {&params_, &place_}) {
    for (auto const& member : *members) {
      if (!member.value().is_null()) all.emplace(member.key(), member.value());
    }
  }
  return schema::json::to_canonical_text(all);
}

std::string Read::cache_key(std::string const& params) const {
  return std::string{method_.name} + (hides_purged_texts_ ? " some " : " all ") +
         std::to_string(number(snapshot_->tx())) + ' ' + params;
}

}  // namespace whence::net
