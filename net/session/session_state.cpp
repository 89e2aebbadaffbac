// Messages of one connection: taken apart, refused or handed on, cancelled, answered.

#include "net/session/session_state.hpp"

#include "net/access/rights.hpp"
#include "net/base/errors.hpp"
#include "net/params/params.hpp"
#include "net/rpc/request_log.hpp"
#include "net/tracing/tracer.hpp"
#include "schema/base/suggest.hpp"
#include "schema/json/json.hpp"

#include <algorithm>
#include <memory>
#include <new>

namespace whence::net {

namespace {

// A larger message is parsed and decoded by a worker: a batch of thousands of records takes longer than other
// connections of the same I/O thread should wait.
constexpr std::size_t inline_message_bytes_max = std::size_t{64} << 10;

constexpr std::uint32_t retry_after_ms = 100;

/// What a large message takes while it is parsed, times its size: its text, twice while it arrives, the values beside
/// its arrays, and a few records. Many small records take more: then more is claimed. Measured by tests/hostile.
constexpr std::size_t message_memory_factor = 4;
/// Smaller answers are not counted before they are queued.
constexpr std::size_t counted_answer_bytes = std::size_t{64} << 10;
constexpr std::uint16_t close_try_again_later = 1013;

/// How long the requests of a batch are started in one turn: about as long as a message of the largest size that is
/// parsed here takes.
constexpr std::chrono::microseconds slice_max{500};

Error busy(std::string message) {
  return busy_error(std::move(message), retry_after_ms);
}

/// Takes a large message apart as far as that needs its text or takes long: writes are decoded and checked. `memory`
/// grows to what is held then; null: it is not counted.
Message read_large(ServiceState& service, std::string_view text, std::chrono::steady_clock::time_point received,
                   MemoryClaim* memory) {
  Message message = parse_large_message(text, service.config.batch_max, received, text_arrays());
  std::size_t held = 0;  // by the requests before
  for (Request& request : message.requests) {
    Method const* const method = find_method(request.method);
    if (request.refusal || method == nullptr) continue;
    read_arrays(request, method->text_array);
    if (request.refusal || method->kind != Kind::write) continue;
    Intake intake{.engine = service.engine};
    if (service.config.log && notes_records(*method, request.params)) {
      intake.observe = [&noted = request.logged.emplace()](std::size_t place, boost::json::value const& record) {
        note_record(noted, place, record);
      };
    }
    std::size_t own = 0;
    if (memory != nullptr) {
      intake.may_hold = [&](std::size_t bytes) {
        own = bytes;
        return memory->try_set(std::max(memory->bytes(), text.size() + held + own));
      };
    }
    request.intake = &intake;
    auto write = method->parse_write(request);
    request.intake = nullptr;
    request.arrays.clear();
    if (write) write->prepared = service.engine.prepare(std::move(write->batch));
    if (write) held += own;
    request.write = std::make_unique<Result<WriteRequest>>(std::move(write));
  }
  return message;
}

Message unread_message(Error error) {
  Message message;
  message.requests.push_back({.id = "null", .refusal = std::move(error)});
  return message;
}

std::size_t bytes_of(std::vector<std::string> const& answers) {
  std::size_t bytes = 0;
  for (auto const& answer : answers) bytes += answer.size();
  return bytes;
}

std::string joined(std::vector<std::string> const& answers) {
  std::string text;
  text.reserve(bytes_of(answers) + answers.size() + 2);
  text.push_back('[');
  for (std::string const& answer : answers) {
    if (answer.empty()) continue;
    if (text.size() > 1) text.push_back(',');
    text.append(answer);
  }
  return text.size() > 1 ? text + "]" : std::string{};
}

}  // namespace

SessionState::SessionState(ServiceState& owner, SessionConfig settings, SessionHost& carrier, bool may_block)
    : service_(owner),
      config_(std::move(settings)),
      memory_(config_.memory ? config_.memory : std::make_shared<PeerMemory>(owner.memory)),
      host_(&carrier),
      link_(std::make_shared<HostLink>(carrier)),
      work_(owner.pool, owner.pool.share_max(), owner.pool.group_of(client_of(config_.grant, config_.peer))),
      parsing_(owner.pool, 1, owner.pool.group_of(client_of(config_.grant, config_.peer))),
      may_block_(may_block),
      peer_(++owner.last_peer),
      grant_(config_.grant),
      actor_(name_of(config_.grant.role)) {}

void SessionState::post_back(std::shared_ptr<HostLink> const& link, std::weak_ptr<SessionState> const& self,
                             std::function<void(SessionState&)> task) {
  link->post([self, task = std::move(task)] {
    auto const session = self.lock();
    if (!session || session->host_ == nullptr) return;
    task(*session);
    session->settle();
  });
}

void SessionState::on_text(std::string_view text) {
  if (host_ == nullptr) return;
  // A message behind a large one waits for it, so that writes keep their order.
  bool const is_inline = may_block_ || (unparsed_ == 0 && text.size() <= inline_message_bytes_max);
  if (!is_inline) return parse_on_worker(text);
  auto const now = std::chrono::steady_clock::now();
  bool const is_large = text.size() > inline_message_bytes_max;
  accept(is_large ? read_large(service_, text, now, nullptr) : parse_message(text, service_.config.batch_max, now));
  settle();
}

void SessionState::parse_on_worker(std::string_view text) {
  auto const memory = std::make_shared<MemoryClaim>(memory_);
  if (!memory->try_set(text.size() * message_memory_factor)) {
    return host_->close(close_try_again_later, "not enough memory for this message");
  }
  ++unparsed_;
  parsing_.post([self = weak_from_this(), link = link_, text = std::string(text), &service = service_, memory,
                 received = std::chrono::steady_clock::now()] {
    auto const message = std::make_shared<Message>();
    try {
      *message = read_large(service, text, received, memory.get());
    } catch (std::bad_alloc const&) {
      *message = unread_message(busy("there is not enough memory for this message now"));
    }
    post_back(link, self, [message, memory](SessionState& session) {
      bool const was_behind = session.is_behind();
      --session.unparsed_;
      session.accept(std::move(*message), memory);
      session.report_caught_up(was_behind);
    });
  });
}

void SessionState::accept(Message message, std::shared_ptr<MemoryClaim> memory) {
  if (message.requests.empty()) return;
  bool const is_small = !message.is_batch && message.requests.front().bytes <= inline_message_bytes_max;
  if (is_small && waiting_.empty()) return start(message.requests.front(), {}, std::move(memory));
  waiting_.push_back({.message = std::move(message), .memory = std::move(memory)});
  if (!is_advancing_) advance();
}

/// Starts what waits, in order. A batch may hold a thousand requests: they start in slices, between which the other
/// connections of the thread have their turn.
void SessionState::advance() {
  auto const end = std::chrono::steady_clock::now() + slice_max;
  while (host_ != nullptr && !waiting_.empty()) {
    start_next();
    is_advancing_ = !waiting_.empty() && !may_block_ && std::chrono::steady_clock::now() >= end;
    if (!is_advancing_) continue;
    return post_back(link_, weak_from_this(), [](SessionState& session) {
      bool const was_behind = session.is_behind();
      session.advance();
      session.report_caught_up(was_behind);
    });
  }
}

void SessionState::report_caught_up(bool was_behind) {
  if (was_behind && !is_behind() && host_ != nullptr) host_->on_caught_up();
}

/// Starts the next request of the first message that waits.
void SessionState::start_next() {
  Waiting& first = waiting_.front();
  auto& requests = first.message.requests;
  if (first.message.is_batch && !first.batch) {
    first.batch = std::make_shared<BatchAnswers>();
    first.batch->answers.resize(requests.size());
    first.batch->missing = requests.size();
    first.batch->is_refused = inflight_ >= config_.inflight_max;
    first.batch->held = std::make_unique<MemoryClaim>(memory_);
    ++inflight_;
  }
  std::size_t const place = first.started++;
  Request request = std::move(requests[place]);
  Slot slot{.batch = first.batch, .place = place};
  auto memory = first.memory;
  if (first.started == requests.size()) waiting_.pop_front();
  start(request, std::move(slot), std::move(memory));
  // What is left of a large message takes long to free.
  if (request.bytes <= inline_message_bytes_max || may_block_) return;
  parsing_.post([left = std::make_shared<boost::json::object>(std::move(request.params))] {});
}

void SessionState::start(Request& request, Slot slot, std::shared_ptr<MemoryClaim> memory) {
  auto const running = std::make_shared<Running>();
  running->memory = std::move(memory);
  running->id = request.id;
  running->received = request.received;
  running->slot = std::move(slot);
  running->method = find_method(request.method);
  if (request.id.empty() && request.method.starts_with("$/")) {
    notify(request);
    running->is_done = true;
    return give(running->slot, {});
  }
  if (request.refusal) return fail(running, *request.refusal);
  running->is_writing =
      running->method != nullptr && running->method->writes != nullptr && running->method->writes(request.params);
  if (auto const error = refuse(*running, request.method)) return fail(running, *error);
  if (service_.config.log) {
    running->logged =
        log_received(service_.config.log, *running->method, request, service_.engine.snapshot(), service_.clock.now());
  }
  audit_read(*running, request);
  dispatch(running, request);
}

std::optional<Error> SessionState::refuse(Running const& running, std::string_view name) const {
  Method const* const method = running.method;
  bool const is_session = method != nullptr && method->kind == Kind::session;
  bool const is_hello = is_session && method->role == Role::none;
  if (awaits_hello() && !is_hello) {
    return Error{.code = Errc::unauthenticated, .message = "session.hello with a token must come first"};
  }
  if (is_session && !is_hello && config_.is_one_message) {
    return error_from(Violation{.code = Errc::invalid_request,
                                .rule = "websocket_only",
                                .path = "",
                                .message = "subscriptions need a WebSocket"});
  }
  if (is_session && config_.is_one_message) {
    return Error{.code = Errc::method_not_found, .message = "there is no such method here: it belongs to a WebSocket"};
  }
  if (method == nullptr) {
    return Error{.code = Errc::method_not_found,
                 .message = "there is no such method here" + schema::did_you_mean(name, schema::names_in(methods()))};
  }
  Role const needed = running.is_writing ? std::max(method->role, Role::write) : method->role;
  auto const now = service_.clock.now();
  if (has_ended(grant_, now)) return Error{.code = Errc::unauthenticated, .message = "the token is no longer valid"};
  if (!is_hello) {
    if (auto error = check_right(grant_, method->name, needed, now)) return error;
  }
  if (is_draining_) return busy("the server is shutting down");
  bool const is_over = running.slot.batch ? running.slot.batch->is_refused : inflight_ >= config_.inflight_max;
  if (is_over) return busy("too many requests in flight");
  return std::nullopt;
}

void SessionState::dispatch(RunningPtr const& running, Request& request) {
  if (running->is_writing) return start_call(running, request);
  switch (running->method->kind) {
    case Kind::session:
      return (this->*running->method->start)(running, request);
    case Kind::plain:
    case Kind::worker:
      return start_call(running, request);
    case Kind::read:
      return start_read(running, request);
    case Kind::write:
      return start_write(running, request);
  }
}

// `$/cancel {id}`, `$/credit {id, n}` and `$/credit {sub, n}`; anything else, and what does not fit, is ignored as
// notifications are.
void SessionState::notify(Request const& request) {
  if (!request.duplicates.empty()) return;
  bool const is_of_subscription = request.method == "$/credit" && request.params.contains("sub");
  if (!request.refusal && is_of_subscription && subscriptions_) return subscriptions_->add_credit(request.params);
  auto const id = request.params.find("id");
  if (request.refusal || awaits_hello() || id == request.params.end()) return;
  std::string const wanted = schema::json::to_text(id->value());
  std::vector<RunningPtr> named;
  for (auto const& entry : running_) {
    if (entry.second->id == wanted) named.push_back(entry.second);
  }
  if (request.method == "$/cancel") {
    for (RunningPtr const& running : named) {
      // A write is in the writer's hands and answers what became of it.
      if (running->method->kind == Kind::write || running->is_writing) continue;
      fail(running, {.code = Errc::cancelled, .message = "cancelled"});
    }
  } else if (request.method == "$/credit") {
    CreditParams credit;
    std::vector<Violation> violations;
    decode_params(request.params, credit, violations);
    if (!violations.empty()) return;
    for (RunningPtr const& running : named) {
      if (!running->is_streaming) continue;
      running->stream_credit += credit.n;
      pump(running);
    }
  }
}

void SessionState::keep(RunningPtr const& running) {
  if (running->key != 0) return;
  running->key = ++last_key_;
  running_.emplace(running->key, running);
  if (!running->slot.batch) ++inflight_;
}

/// Writes refused since writing has ended, or for want of room: the log says that once.
bool SessionState::is_told_already(Running const& running, std::optional<Errc> error) const {
  bool const is_write = running.is_writing || running.method->kind == Kind::write;
  if (is_write && error == Errc::storage_full) return service_.engine.no_room().has_value();
  return is_write && error == Errc::internal_error && service_.engine.failure().has_value();
}

void SessionState::finish(RunningPtr const& running, std::string answer, std::optional<Errc> error) {
  if (running->is_done) return;
  running->is_done = true;
  running->memory.reset();
  if (running->counted_bytes < answer.size() && !has_room_for(running->slot, answer.size())) {
    error = Errc::busy;
    answer = error_response(running->id, busy("there is not enough memory for this answer now"));
  }
  running->is_cancelled.store(true, std::memory_order_relaxed);  // a worker may stop
  if (running->alarm != 0) service_.alarms->forget(running->alarm);
  if (running->key != 0) {
    running_.erase(running->key);
    if (!running->slot.batch) --inflight_;
  }
  if (config_.is_reported)
    service_.metrics.count(index_of(running->method), error, std::chrono::steady_clock::now() - running->received);
  if (config_.is_reported && service_.config.tracer) {
    service_.config.tracer->note({.method = running->method == nullptr ? "unknown" : running->method->name,
                                  .error = error,
                                  .taken = std::chrono::steady_clock::now() - running->received,
                                  .namespace_name = service_.config.namespace_name},
                                 config_.trace);
  }
  if (config_.is_reported && service_.config.log && running->method != nullptr && !is_told_already(*running, error)) {
    Answered const answered{answer, error, std::chrono::steady_clock::now() - running->received, running->logged};
    log_answered(service_.config.log, *running->method, answered, [this] { return service_.view(); });
    if (!error && !running->logged.records.empty()) log_written(service_.config.log, answered, service_.view());
  }
  audit(*running, error);
  give(running->slot, running->id.empty() ? std::string{} : std::move(answer));
  for (auto& text : running->after_answer) {
    if (host_ != nullptr) host_->send(std::move(text));
  }
}

/// Answers of a batch wait for each other, and the text of all is made beside them: both are counted until then.
bool SessionState::has_room_for(Slot const& slot, std::size_t bytes) const {
  if (!slot.batch || !slot.batch->held) return bytes <= counted_answer_bytes || memory_->has_room(bytes);
  auto& held = *slot.batch->held;
  if (bytes > counted_answer_bytes || held.bytes() > 0) return held.try_set(held.bytes() + 2 * bytes);
  return true;
}

/// What is asked of the records, where that is wanted: not greetings, nor what is told of the server.
void SessionState::audit_read(Running const& running, Request const& request) const {
  auto const& method = *running.method;
  bool const is_read = method.role == Role::read && method.kind != Kind::write && !running.is_writing;
  if (!service_.audit.tells_reads() || !config_.is_reported || !is_read) return;
  if (method.name == "rpc.discover" || method.name == "server.info" || method.name == "unsubscribe") return;
  service_.audit.read(grant_, method.name, config_.peer, schema::json::to_text(request.params));
}

/// What admins do, and what is refused for want of a right.
void SessionState::audit(Running const& running, std::optional<Errc> error) const {
  if (!config_.is_reported) return;
  auto const* const method = running.method;
  bool const is_refused = error == Errc::unauthenticated || error == Errc::forbidden;
  if (is_refused) {
    auto const what = method == nullptr ? std::string_view{"unknown method"} : method->name;
    service_.audit.refused(awaits_hello() ? refused_ : grant_, what, config_.peer, name_of(*error));
  } else if (method != nullptr && method->role == Role::admin) {
    service_.audit.admin_called(grant_, method->name, config_.peer, error);
  }
}

void SessionState::fail(RunningPtr const& running, Error const& error) {
  if (running->id.empty() && !running->is_done && host_ != nullptr) host_->on_unanswered(error);
  finish(running, error_response(running->id, error), error.code);
}

void SessionState::give(Slot const& slot, std::string answer) {
  if (!slot.batch) {
    if (!answer.empty()) host_->send(std::move(answer));
    return;
  }
  slot.batch->answers[slot.place] = std::move(answer);
  if (--slot.batch->missing > 0) return;
  bool const is_small = bytes_of(slot.batch->answers) <= inline_message_bytes_max;
  if (is_small || may_block_) return send_batch(*slot.batch, joined(slot.batch->answers));
  join_on_worker(slot.batch);
}

/// The text of many answers takes long to make: the memory of each page of it is had from the system.
void SessionState::join_on_worker(std::shared_ptr<BatchAnswers> const& batch) {
  work_.post([self = weak_from_this(), link = link_, batch] {
    auto const text = std::make_shared<std::string>();
    try {
      *text = joined(batch->answers);
    } catch (std::bad_alloc const&) {
      *text = error_response("null", busy("there is not enough memory for these answers now"));
    }
    batch->answers.clear();
    post_back(link, self, [batch, text](SessionState& session) { session.send_batch(*batch, std::move(*text)); });
  });
}

void SessionState::send_batch(BatchAnswers& batch, std::string text) {
  --inflight_;
  batch.answers.clear();
  batch.held.reset();  // it is counted as queued from here on
  if (!text.empty()) host_->send(std::move(text));
  for (auto const& subscription : batch.subscriptions) subscriptions_->begin(subscription);
}

void SessionState::settle() {
  if (host_ != nullptr && is_idle()) host_->on_idle();
}

void SessionState::on_drained() {
  if (host_ == nullptr) return;
  std::vector<RunningPtr> streams;
  for (auto const& entry : running_) {
    if (entry.second->is_streaming) streams.push_back(entry.second);
  }
  for (RunningPtr const& running : streams) pump(running);
  if (subscriptions_) subscriptions_->on_room();
  settle();
}

/// Where memory is short, streams whose readers have not asked for more since the last tick end with a cursor.
void SessionState::on_tick() {
  if (host_ == nullptr || running_.empty()) return;
  bool const is_tight = memory_->budget().is_tight();
  std::vector<RunningPtr> idle;
  for (auto const& [key, running] : running_) {
    bool const is_idle = running->is_streaming && !running->is_rendering;
    if (is_idle && running->was_idle && is_tight) idle.push_back(running);
    running->was_idle = is_idle;
  }
  for (RunningPtr const& running : idle) {
    running->read->stop_for_memory();
    end_stream(running);
  }
  if (!idle.empty()) settle();
}

void SessionState::abort_running() {
  if (host_ == nullptr) return;
  while (!waiting_.empty()) start_next();  // refused, as the session drains
  while (!running_.empty()) {
    RunningPtr const running = running_.begin()->second;
    auto ended = busy("the server is shutting down");
    ended.is_outcome_unknown = running->method->kind == Kind::write || running->is_writing;  // the writer may have it
    fail(running, ended);
  }
  settle();
}

void SessionState::finish(std::uint16_t code, std::string_view reason) {
  if (host_ == nullptr) return;
  if (!subscriptions_ || subscriptions_->empty()) return host_->close(code, reason);
  subscriptions_->finish([this, code, reason = std::string(reason)] {
    if (host_ != nullptr) host_->close(code, reason);
  });
}

void SessionState::on_closed() {
  if (host_ != nullptr && !config_.is_one_message) service_.kept_readers->drop(memory_.get());
  link_->cut();
  host_ = nullptr;
  waiting_.clear();
  if (subscriptions_) subscriptions_->on_closed();
  for (auto const& entry : running_) {
    entry.second->is_done = true;
    entry.second->is_cancelled.store(true, std::memory_order_relaxed);
    if (entry.second->alarm != 0) service_.alarms->forget(entry.second->alarm);
  }
  running_.clear();
}

}  // namespace whence::net
