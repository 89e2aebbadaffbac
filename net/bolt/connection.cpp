// Reads and answers on the connection's executor; steps of statements and large messages run on workers, whose results
// come back by `post_back` as long as the connection is there. What they throw is carried to the end of `serve`.

#include "net/bolt/connection.hpp"

#include "net/base/version.hpp"
#include "net/bolt/bookmark.hpp"
#include "net/bolt/handshake.hpp"
#include "net/state/service_state.hpp"
#include "net/tracing/tracer.hpp"
#include "net/work/request_interrupt.hpp"

#include <algorithm>
#include <chrono>
#include <new>
#include <utility>

#include <boost/asio/post.hpp>

namespace whence::net::bolt {

namespace {

constexpr std::size_t logon_bytes_max = std::size_t{64} << 10;       ///< of a message before a valid token
constexpr std::size_t inline_message_bytes = std::size_t{64} << 10;  ///< a larger one is decoded by a worker
constexpr std::size_t batch_bytes_max = std::size_t{64} << 10;       ///< of rows made in one step
constexpr std::uint64_t batch_rows_max = 4'096;
constexpr std::size_t address_bytes_max = 300;
constexpr int silent_pings_max = 2;
constexpr std::int64_t route_ttl_s = 300;
constexpr std::int64_t cluster_ttl_s =
    30;  ///< of a table of several nodes, any of which may have been silent for a short time

std::int64_t millis_since(Moment began) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - began).count();
}

/// Runs a step on a worker. Lack of memory is an answer.
template <class T, class Work>
Outcome<T> guarded_step(Work const& work) {
  try {
    return work();
  } catch (std::bad_alloc const&) {
    return Failure{.kind = FailureKind::out_of_memory, .message = "there is not enough memory for this statement now"};
  }
}

WorkerPool& pool_of(ServerShared const& shared) {
  return shared.namespaces.stores().front()->service->state().pool;
}

/// A statement that is counted until it is gone.
struct OpenResult {
  std::shared_ptr<Counted> counted;
  std::unique_ptr<Cursor> cursor;
};

std::shared_ptr<Cursor> counted_cursor(std::unique_ptr<Cursor> cursor, std::shared_ptr<Counted> counted) {
  auto const open = std::make_shared<OpenResult>(OpenResult{std::move(counted), std::move(cursor)});
  return {open, open->cursor.get()};
}

/// What a decoded message may take beside its text.
std::size_t decoded_bytes(std::size_t message_bytes) {
  return message_bytes + std::min<std::size_t>(message_bytes, PackLimits{}.values_max) * sizeof(Entry);
}

}  // namespace

/// What one step made.
struct Connection::Batch {
  std::string text = {};
  std::size_t rows = 0;
  bool has_more = false;
  Map summary = {};
};

Connection::Connection(std::shared_ptr<BufferedStream> stream, ServerShared const& shared, Namespace const* only,
                       Claims claims, std::string peer, std::shared_ptr<PeerMemory> memory)
    : stream_{std::move(stream)},
      shared_{shared},
      memory_{std::move(memory)},
      incoming_{memory_},
      link_{std::make_shared<Link>()},
      peer_{std::move(peer)},
      login_{shared.namespaces, only,
             Shown{.claims = std::move(claims), .certificate_role = shared.config.tls_client_role}},
      queue_{pool_of(shared), 1, pool_of(shared).group_of(client_of({}, peer_))},
      decoding_{pool_of(shared), 1, pool_of(shared).group_of(client_of({}, peer_))},
      opened_at_{std::chrono::steady_clock::now()},
      heard_at_{opened_at_},
      said_at_{opened_at_} {
  link_->executor = stream_->get_executor();
  ++shared_.counts.bolt_connections;
}

Connection::~Connection() {
  --shared_.counts.bolt_connections;
  end();
}

Awaitable<bool> Connection::run_plain() {
  carrier_ = carry_plain(stream_);
  stream_->set_deadline(opened_at_ + shared_.config.hello_timeout);
  bool const has_bytes = co_await carrier_->read(input_);
  if (!has_bytes) co_return true;
  if (input_.front() >= 'A' && input_.front() <= 'Z') {
    stream_->unread(input_);
    carrier_.reset();
    co_return false;
  }
  error_code ignored;
  stream_->socket().set_option(asio::socket_base::keep_alive{true}, ignored);
  co_await serve();
  co_return true;
}

Awaitable<void> Connection::run_websocket(HttpRequest const& request) {
  is_websocket_ = true;
  stream_->set_deadline(opened_at_ + shared_.config.hello_timeout);
  carrier_ = co_await carry_websocket(stream_, request);
  if (carrier_) co_await serve();
}

Awaitable<void> Connection::serve() {
  stream_->on_room([weak = weak_from_this()] {
    if (auto const self = weak.lock()) self->on_room();
  });
  bool const is_agreed = co_await shake_hands();
  if (is_agreed) co_await take_messages();
  end();
  co_await carrier_->finish();
  if (failure_) std::rethrow_exception(failure_);
}

/// False where there is no version that both speak: the connection ends.
Awaitable<bool> Connection::shake_hands() {
  while (input_.size() < handshake_bytes) {
    if (!magic.starts_with(std::string_view{input_}.substr(0, magic.size()))) co_return false;
    bool const has_bytes = co_await carrier_->read(input_);
    if (!has_bytes) co_return false;
  }
  auto handshake = answer_handshake(std::string_view{input_}.substr(0, handshake_bytes));
  input_.erase(0, handshake_bytes);
  if (!handshake.answer.empty()) carrier_->write(handshake.answer);
  while (handshake.step == Handshake::Step::manifest) {
    std::string_view rest{input_};
    auto const chosen = take_choice(rest);
    input_.erase(0, input_.size() - rest.size());
    if (chosen) {
      handshake = *chosen;
      break;
    }
    bool const has_bytes = co_await carrier_->read(input_);
    if (!has_bytes) co_return false;
  }
  if (handshake.step != Handshake::Step::agreed) {
    close();
    co_return false;
  }
  machine_.emplace(handshake.version, *this);
  if (shared_.is_draining) machine_->drain();
  co_return true;
}

/// Until the peer ends, or the connection is closed.
Awaitable<void> Connection::take_messages() {
  while (!is_closing_) {
    std::string_view rest{input_};
    auto const taken = dechunker_.take(rest, message_bytes_max());
    input_.erase(0, input_.size() - rest.size());
    bool const is_too_large = taken == Dechunker::Step::too_large;
    if (taken == Dechunker::Step::message) {
      incomplete_since_.reset();
      co_await take_message(dechunker_.message());
      while (!is_closing_ && stream_->is_open() && machine_->is_behind()) co_await stream_->async_wait(awaited);
      continue;
    }
    auto const held = dechunker_.capacity();
    bool const is_short = held > inline_message_bytes && !is_too_large && !incoming_.try_set(held);
    if (is_short) count_refusal(FailureKind::out_of_memory);
    if (is_short || is_too_large) {
      // The rest of the message is not read, so that the connection ends.
      auto const* const why = is_short ? "there is not enough memory for this message now" : "the message is too large";
      machine_->on_undecodable({.kind = FailureKind::request_invalid, .message = why});
      while (!is_closing_ && stream_->is_open()) co_await stream_->async_wait(awaited);
      co_return;
    }
    bool const has_bytes = co_await carrier_->read(input_);
    if (!has_bytes) co_return;
  }
}

std::size_t Connection::message_bytes_max() const {
  auto const bytes_max = shared_.config.message_bytes_max;
  return machine_->awaits_logon() ? std::min(bytes_max, logon_bytes_max) : bytes_max;
}

Awaitable<void> Connection::take_message(std::string_view message) {
  asked_at_ = std::chrono::steady_clock::now();
  if (message.size() > inline_message_bytes) {
    co_await decode_on_worker(message);
    co_return;
  }
  incoming_.set(0);
  auto request = decode_request(message, machine_->version(), machine_->dialect());
  if (request) {
    machine_->on_request(std::move(*request));
  } else {
    machine_->on_undecodable(std::move(request).error());
  }
}

/// What comes behind it waits, so that requests keep their order.
Awaitable<void> Connection::decode_on_worker(std::string_view message) {
  if (!incoming_.try_set(decoded_bytes(message.size()))) {
    count_refusal(FailureKind::out_of_memory);
    machine_->on_undecodable(
        {.kind = FailureKind::out_of_memory, .message = "there is not enough memory for this message now"});
    co_return;
  }
  auto const decoded = std::make_shared<std::optional<Outcome<Request>>>();
  auto task = [link = link_, weak = weak_from_this(), decoded, text = std::string{message},
               version = machine_->version(), dialect = machine_->dialect()] {
    auto request = guarded_step<Request>([&] { return decode_request(text, version, dialect); });
    post_back(link, weak, [decoded, made = std::make_shared<Outcome<Request>>(std::move(request))](Connection& self) {
      *decoded = std::move(*made);
      self.stream_->wake();
    });
  };
  decoding_.post(std::move(task));
  while (!*decoded && !is_closing_ && stream_->is_open()) co_await stream_->async_wait(awaited);
  if (!*decoded) co_return;
  if (**decoded) {
    machine_->on_request(std::move(***decoded));
  } else {
    count_refusal((*decoded)->error().kind);
    machine_->on_undecodable((*decoded)->error());
  }
}

void Connection::count_refusal(FailureKind failure) const {
  bool const is_busy = failure == FailureKind::out_of_memory || failure == FailureKind::unavailable;
  if (is_busy && !shared_.is_draining) ++shared_.counts.busy_bolt;
}

void Connection::post_back(std::shared_ptr<Link> const& link, std::weak_ptr<Connection> const& self,
                           std::function<void(Connection&)> task) {
  std::lock_guard const lock(link->mutex);
  if (!link->executor) return;
  asio::post(*link->executor, [self, task = std::move(task)] {
    auto const connection = self.lock();
    if (!connection || connection->is_ended_) return;
    try {
      task(*connection);
      connection->stream_->wake();  // the reader may have waited for requests to be answered
    } catch (...) {                 // carried to where the connection ends
      connection->failure_ = std::current_exception();
      connection->stream_->close();
    }
  });
}

void Connection::on_tick(Moment now) {
  if (!machine_ || is_closing_) return;
  if (login_.has_end()) check_token();
  if (stream_->take_heard()) {
    heard_at_ = now;
    pings_ = 0;
  }
  // A peer that sends its message a byte at a time is alive, and holds what has arrived of it all the same.
  if (!dechunker_.is_within()) {
    incomplete_since_.reset();
  } else if (!incomplete_since_) {
    incomplete_since_ = now;
  } else if (now - *incomplete_since_ >= shared_.config.body_timeout) {
    return stream_->close();
  }
  bool const takes_nothing = stream_->queued_bytes() > 0 && now - heard_at_ >= shared_.config.body_timeout;
  if (takes_nothing) return stream_->close();
  if (is_websocket_ && now - heard_at_ >= shared_.config.ping_idle * (pings_ + 1)) {
    if (pings_ == silent_pings_max) return stream_->close();
    ++pings_;
    carrier_->ping();
  }
  // A result that is not read on holds a moment of the graph and its rows. A driver begins again on another connection.
  bool const is_left = transaction_ && machine_->is_idle() && now - asked_at_ >= shared_.config.idle_transaction_max;
  if (is_left) return close();
  // A driver gives up a connection on which it waits and hears nothing.
  if (!machine_->is_idle() && now - said_at_ >= shared_.config.ping_idle) send(std::string{noop});
}

void Connection::check_token() {
  if (!machine_ || is_closing_ || login_.still_holds()) return;
  shared_.audit->ended(login_.who(), peer_);
  close();
}

void Connection::drain() {
  if (machine_) machine_->drain();
}

bool Connection::is_idle() const {
  return !machine_ || machine_->is_idle();
}

void Connection::finish() {
  if (!machine_) return stream_->close();
  machine_->finish();
}

void Connection::end() noexcept {
  if (is_ended_) return;
  is_ended_ = true;
  {
    std::lock_guard const lock(link_->mutex);
    link_->executor.reset();
  }
  if (step_) step_->is_cancelled = true;
  if (alarm_ != 0) alarms_->forget(alarm_);
  if (machine_) machine_->on_closed();
}

void Connection::send(std::string chunks) {
  said_at_ = std::chrono::steady_clock::now();
  carrier_->write(std::move(chunks));
}

/// The agent begins with `Neo4j/` because the Python driver refuses a server whose agent does not; 5.13 is the release
/// that came with Bolt 5.4. The rest says what it really is.
Map Connection::greet(Map const& extra) {
  if (auto const* const routing = find_as<Map>(extra, "routing")) {
    auto const* const address = find_as<std::string>(*routing, "address");
    if (address != nullptr && address->size() <= address_bytes_max) address_ = *address;
  }
  wants_notices_ = wants_notices(extra).value_or(true);
  auto const patience = shared_.config.ping_idle * (silent_pings_max + 1);
  Map hints;
  hints.push_back(entry_of("connection.recv_timeout_seconds", std::int64_t{patience.count()}));
  hints.push_back(entry_of("telemetry.enabled", false));
  auto& state = shared_.namespaces.stores().front()->service->state();
  Map metadata;
  metadata.push_back(entry_of("server", "Neo4j/5.13 compatible (Whence/" + std::string{version()} + ")"));
  metadata.push_back(entry_of("connection_id", "bolt-" + std::to_string(++state.last_peer)));
  metadata.push_back(entry_of("hints", std::move(hints)));
  return metadata;
}

Outcome<void> Connection::log_on(Map const& token) {
  auto entered = login_.enter(token);
  if (!entered) shared_.audit->refused(login_.who(), "Bolt", peer_, entered.error().message);
  if (entered) stream_->set_deadline(Moment::max());
  return entered;
}

void Connection::log_off() {
  login_.leave();
  stream_->set_deadline(std::chrono::steady_clock::now() + shared_.config.hello_timeout);
}

std::string Connection::own_address() const {
  if (!address_.empty()) return address_;
  error_code gone;
  auto const local = stream_->socket().local_endpoint(gone);
  auto const host = local.address().to_string();
  return (local.address().is_v6() ? "[" + host + "]" : host) + ":" + std::to_string(local.port());
}

/// Every node that writes the same log does everything. This one is where its client has found it, the others where
/// they say that they are.
Outcome<Map> Connection::route(Request const& request) {
  auto const* const name = find_as<std::string>(request.extra, "db");
  auto const where = login_.find(name == nullptr ? std::string_view{} : *name);
  if (!where) return where.error();
  List addresses;
  addresses.push_back({own_address()});
  for (auto const& node : (*where)->engine->shared_log_picture().nodes) {
    if (!node.is_self && !node.bolt.empty()) addresses.push_back({node.bolt});
  }
  bool const is_cluster = addresses.size() > 1;
  List servers;
  for (auto const* const role : {"ROUTE", "READ", "WRITE"}) {
    Map server;
    server.push_back(entry_of("addresses", addresses));
    server.push_back(entry_of("role", std::string{role}));
    servers.push_back({std::move(server)});
  }
  Map table;
  table.push_back(entry_of("ttl", is_cluster ? cluster_ttl_s : route_ttl_s));
  table.push_back(entry_of("db", Login::name_of(**where)));
  table.push_back(entry_of("servers", std::move(servers)));
  Map metadata;
  metadata.push_back(entry_of("rt", std::move(table)));
  return metadata;
}

void Connection::begin(TxSettings settings) {
  auto const where = login_.find(settings.database);
  if (!where) return machine_->on_begun(where.error());
  auto& state = (*where)->service->state();
  auto const newest = newest_of(settings.bookmarks, state.epoch);
  if (!newest) return machine_->on_begun(newest.error());
  auto const now = std::chrono::steady_clock::now();
  transaction_.emplace(Transaction{.where = *where,
                                   .is_reading = settings.is_reading,
                                   .wants_notices = settings.wants_notices.value_or(wants_notices_),
                                   .as_of = settings.as_of,
                                   .counted = std::make_unique<Counted>(state.bolt_figures, &Figures::transactions)});
  if (settings.timeout) {
    auto const longest = std::max(state.config.timeout_max_admin, state.config.read_timeout);
    transaction_->deadline = now + std::min<std::chrono::milliseconds>(*settings.timeout, longest);
  }
  if (*newest <= schema::number(state.engine.snapshot().tx())) return fix_transaction();
  step_ = std::make_shared<Step>();
  alarms_ = state.alarms;
  auto ring = [link = link_, weak = weak_from_this(), step = step_](bool is_visible) {
    post_back(link, weak, [step, is_visible](Connection& self) {
      if (self.step_ != step) return;  // interrupted
      self.alarm_ = 0;
      if (is_visible) return self.fix_transaction();
      self.machine_->on_begun(Failure{.kind = FailureKind::bookmark_timeout,
                                      .message = "the transaction of a bookmark is not visible yet"});
    });
  };
  alarm_ = alarms_->set({.tx = schema::TxId{*newest}, .deadline = deadline_of_step()}, std::move(ring));
}

/// Everything that the transaction reads is of one moment.
void Connection::fix_transaction() {
  transaction_->tx = schema::number(transaction_->where->service->state().engine.snapshot().tx());
  if (!transaction_->as_of) transaction_->as_of = schema::TxId{transaction_->tx};
  machine_->on_begun({});
}

Moment Connection::deadline_of_step() const {
  if (transaction_->deadline) return *transaction_->deadline;
  return std::chrono::steady_clock::now() + transaction_->where->service->state().config.read_timeout;
}

void Connection::run(std::int64_t qid, std::string statement, Map parameters) {
  auto const& transaction = *transaction_;
  step_ = std::make_shared<Step>();
  auto const asked = std::make_shared<Statement>(Statement{.text = std::move(statement),
                                                           .parameters = std::move(parameters),
                                                           .as_of = *transaction.as_of,
                                                           .is_reading = transaction.is_reading,
                                                           .wants_notices = transaction.wants_notices,
                                                           .caller = login_.caller(),
                                                           .memory = memory_});
  transaction.where->service->state().audit.read(login_.who(), "bolt", peer_, asked->text);
  auto const& figures = transaction.where->service->state().bolt_figures;
  ++figures->statements;
  // Until the statement itself is gone: a worker may have it longer than this connection.
  auto const counted = std::make_shared<Counted>(figures, &Figures::results);
  queue_.post([link = link_, weak = weak_from_this(), step = step_, runner = transaction.where->runner, asked, qid,
               counted, deadline = deadline_of_step()] {
    RequestInterrupt const interrupt{step->is_cancelled, deadline, RequestInterrupt::steps_unbounded};
    auto made = guarded_step<std::unique_ptr<Cursor>>([&] { return runner->start(std::move(*asked), interrupt); });
    auto const cursor = std::make_shared<Outcome<std::shared_ptr<Cursor>>>(
        made ? Outcome<std::shared_ptr<Cursor>>{counted_cursor(std::move(*made), counted)} : made.error());
    post_back(link, weak, [step, cursor, qid](Connection& self) {
      if (self.step_ != step) return;
      if (!*cursor) return self.machine_->on_started(cursor->error());
      self.cursors_[qid] = **cursor;
      self.machine_->on_started(Started{.fields = (**cursor)->fields(), .millis = millis_since(step->began)});
    });
  });
}

void Connection::pull(Pull pull) {
  step_ = std::make_shared<Step>();
  pull_ = pull;
  if (!pull.is_discard || pull.rows) return pump();
  // The rows are not wanted, so they are not evaluated.
  auto const cursor = std::exchange(cursors_[pull.qid], nullptr);
  cursors_.erase(pull.qid);
  pull_.reset();
  machine_->on_pulled(Pulled{.summary = cursor->summary()});
}

void Connection::pump() {
  is_waiting_for_room_ = !pull_->is_discard && !stream_->has_room();
  if (is_waiting_for_room_) return;
  auto const rows_max = std::min<std::uint64_t>(pull_->rows.value_or(batch_rows_max), batch_rows_max);
  RowBounds const bounds{.rows_max = static_cast<std::size_t>(rows_max), .bytes_max = batch_bytes_max};
  queue_.post([link = link_, weak = weak_from_this(), step = step_, cursor = cursors_.at(pull_->qid), bounds,
               dialect = machine_->dialect(), deadline = deadline_of_step()] {
    RequestInterrupt const interrupt{step->is_cancelled, deadline, RequestInterrupt::steps_unbounded};
    auto made = guarded_step<Batch>([&]() -> Outcome<Batch> {
      RowSink rows{dialect};
      auto const has_more = cursor->next(rows, bounds, interrupt);
      if (!has_more) return has_more.error();
      Batch batch{.text = std::move(rows.text()), .rows = rows.rows(), .has_more = *has_more};
      if (!batch.has_more) batch.summary = cursor->summary();
      return batch;
    });
    auto const batch = std::make_shared<Outcome<Batch>>(std::move(made));
    post_back(link, weak, [step, batch](Connection& self) {
      if (self.step_ == step) self.on_batch(std::move(*batch));
    });
  });
}

void Connection::on_batch(Outcome<Batch> batch) {
  auto const pull = *pull_;
  if (batch && !step_->is_cancelled) {
    if (!pull.is_discard && !batch->text.empty()) {
      transaction_->where->service->state().bolt_figures->rows += batch->rows;
      send(std::move(batch->text));
    }
    if (pull_->rows) *pull_->rows -= std::min<std::uint64_t>(*pull_->rows, batch->rows);
    if (batch->has_more && (!pull_->rows || *pull_->rows > 0)) return pump();
  }
  pull_.reset();
  if (!batch) return machine_->on_pulled(std::move(batch).error());
  auto const millis = millis_since(step_->began);
  if (batch->has_more) return machine_->on_pulled(Pulled{.has_more = true, .millis = millis});
  cursors_.erase(pull.qid);
  machine_->on_pulled(Pulled{.summary = std::move(batch->summary), .millis = millis});
}

/// Called within a completion of the stream.
void Connection::on_room() {
  if (!is_waiting_for_room_ || is_ended_) return;
  is_waiting_for_room_ = false;
  post_back(link_, weak_from_this(), [step = step_](Connection& self) {
    if (self.step_ == step && self.pull_) self.pump();
  });
}

void Connection::end_transaction() {
  cursors_.clear();
  pull_.reset();
  transaction_.reset();
  step_.reset();
  is_waiting_for_room_ = false;
}

/// A step on a worker answers by itself. What waits for something else is answered here, not within this call.
void Connection::interrupt() {
  if (!step_) return;
  step_->is_cancelled = true;
  Failure const stopped{.kind = FailureKind::transaction_terminated, .message = "interrupted"};
  if (alarm_ != 0) {
    alarms_->forget(std::exchange(alarm_, 0));
    step_.reset();
    post_back(link_, weak_from_this(), [stopped](Connection& self) { self.machine_->on_begun(stopped); });
  } else if (is_waiting_for_room_) {
    is_waiting_for_room_ = false;
    pull_.reset();
    post_back(link_, weak_from_this(), [stopped](Connection& self) { self.machine_->on_pulled(stopped); });
  }
}

std::string Connection::bookmark() const {
  return bookmark_of(transaction_->where->service->state().epoch, transaction_->tx);
}

std::string Connection::database() const {
  return Login::name_of(*transaction_->where);
}

void Connection::on_answered(Answered const& answered) {
  if (answered.failure) count_refusal(*answered.failure);
  auto const& tracer = shared_.namespaces.stores().front()->service->state().config.tracer;
  if (!tracer) return;
  auto const failure = answered.failure ? std::optional{code_of(*answered.failure)} : std::nullopt;
  tracer->note({.system = TracedSystem::bolt,
                .method = name_of(answered.kind),
                .failure = failure,
                .taken = std::chrono::steady_clock::now() - answered.received,
                .namespace_name = transaction_ ? std::string_view{transaction_->where->name} : std::string_view{}},
               answered.trace);
}

void Connection::close() {
  if (is_closing_) return;
  is_closing_ = true;
  carrier_->close();
  stream_->wake();
}

}  // namespace whence::net::bolt
