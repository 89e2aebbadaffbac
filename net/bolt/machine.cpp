// Each request in each state.

#include "net/bolt/machine.hpp"

#include <algorithm>
#include <array>
#include <ostream>
#include <sstream>
#include <utility>

namespace whence::net::bolt {

namespace {

constexpr std::size_t pending_max = 64;
constexpr std::size_t pending_bytes_max = std::size_t{1} << 20;
constexpr std::size_t results_max = 16;  ///< open in one transaction

Failure not_now(RequestKind kind, State state) {
  std::ostringstream message;
  message << kind << " is not possible in the state " << state;
  return {.kind = FailureKind::request_invalid, .message = message.str()};
}

/// `n` of a PULL or DISCARD: at least 1, or -1 for all.
Outcome<Pull> read_pull(Map const& extra) {
  auto const invalid = [](char const* message) {
    return Failure{.kind = FailureKind::request_invalid, .message = message};
  };
  Pull pull{.qid = -1};
  auto const* const rows = find_as<std::int64_t>(extra, "n");
  if (rows == nullptr || *rows == 0 || *rows < -1) return invalid("n: a number of rows, or -1, is expected");
  if (*rows > 0) pull.rows = static_cast<std::uint64_t>(*rows);
  auto const* const qid = find_as<std::int64_t>(extra, "qid");
  if (qid == nullptr && find(extra, "qid") != nullptr) return invalid("qid: an integer is expected");
  if (qid != nullptr) pull.qid = *qid;
  if (pull.qid < -1) return invalid("qid: the number of a result, or -1, is expected");
  return pull;
}

bool takes_time(RequestKind kind) {
  return kind == RequestKind::begin || kind == RequestKind::run || kind == RequestKind::pull ||
         kind == RequestKind::discard;
}

bool asks_for_utc(Map const& extra) {
  auto const* const patches = find_as<List>(extra, "patch_bolt");
  return patches != nullptr && std::ranges::find(*patches, Value{std::string{"utc"}}) != patches->end();
}

}  // namespace

std::ostream& operator<<(std::ostream& out, State state) {
  constexpr std::array<std::string_view, 8> names = {"negotiation", "authentication", "ready",  "streaming",
                                                     "tx_ready",    "tx_streaming",   "failed", "defunct"};
  return out << names[static_cast<std::size_t>(state)];
}

Machine::Machine(Version version, MachineHost& host)
    : host_{&host}, version_{version}, dialect_{Dialect::of(version)} {}

bool Machine::is_behind() const noexcept {
  return pending_.size() >= pending_max || pending_bytes_ >= pending_bytes_max;
}

void Machine::on_request(Request request) {
  if (host_ == nullptr || state_ == State::defunct) return;
  if (request.kind == RequestKind::reset) {
    ++resets_;
    if (is_busy_) host_->interrupt();
  }
  pending_bytes_ += request.bytes;
  pending_.emplace_back(std::move(request));
  advance();
}

void Machine::on_undecodable(Failure failure) {
  if (host_ == nullptr || state_ == State::defunct) return;
  pending_.emplace_back(std::move(failure));
  advance();
}

/// The host may answer within the call that asked it: then the loop that runs goes on.
void Machine::advance() {
  if (is_advancing_) return;
  is_advancing_ = true;
  while (host_ != nullptr && !is_busy_ && !pending_.empty()) {
    auto next = std::move(pending_.front());
    pending_.pop_front();
    if (auto* const request = std::get_if<Request>(&next)) {
      pending_bytes_ -= request->bytes;
      handle(*request);
      continue;
    }
    auto const& failure = std::get<Failure>(next);
    bool const is_protocol = failure.kind == FailureKind::request_invalid || awaits_logon();
    if (is_protocol) {
      break_off(failure);
    } else if (resets_ > 0 || state_ == State::failed) {
      std::string out;
      write_ignored(out);
      host_->send(std::move(out));
    } else {
      fail(failure);
    }
  }
  is_advancing_ = false;
}

bool Machine::is_in_transaction() const noexcept {
  return state_ == State::tx_ready || state_ == State::tx_streaming;
}

bool Machine::allows(RequestKind kind) const noexcept {
  switch (kind) {
    case RequestKind::hello:
      return state_ == State::negotiation;
    case RequestKind::logon:
      return state_ == State::authentication;
    case RequestKind::logoff:
    case RequestKind::begin:
    case RequestKind::route:
      return state_ == State::ready;
    case RequestKind::run:
      return state_ == State::ready || is_in_transaction();
    case RequestKind::pull:
    case RequestKind::discard:
      return state_ == State::streaming || state_ == State::tx_streaming;
    case RequestKind::commit:
    case RequestKind::rollback:
      return is_in_transaction();
    case RequestKind::telemetry:
    case RequestKind::reset:
      return !awaits_logon();
    case RequestKind::goodbye:
      return true;
  }
  return false;
}

void Machine::handle(Request& request) {
  if (request.kind == RequestKind::goodbye) return close();
  if (request.kind == RequestKind::reset) return handle_reset();
  if (!awaits_logon() && (resets_ > 0 || state_ == State::failed)) {
    std::string out;
    write_ignored(out);
    return host_->send(std::move(out));
  }
  if (leaves_result(request.kind)) leave_result();
  if (!allows(request.kind)) return break_off(not_now(request.kind, state_));
  if (takes_time(request.kind)) answering_ = Answered{.kind = request.kind, .received = request.received};
  switch (request.kind) {
    case RequestKind::hello:
      return handle_hello(request);
    case RequestKind::logon:
      return handle_logon(request);
    case RequestKind::logoff:
      host_->log_off();
      state_ = State::authentication;
      return succeed();
    case RequestKind::run:
      return handle_run(request);
    case RequestKind::begin:
      return handle_begin(request);
    case RequestKind::pull:
    case RequestKind::discard:
      return handle_pull(request);
    case RequestKind::commit:
    case RequestKind::rollback:
      return handle_end(request.kind == RequestKind::commit);
    case RequestKind::route:
      return handle_route(request);
    case RequestKind::telemetry:
      return succeed();
    case RequestKind::reset:
    case RequestKind::goodbye:
      return;
  }
}

bool Machine::leaves_result(RequestKind kind) const noexcept {
  bool const begins_anew = kind == RequestKind::begin || kind == RequestKind::run || kind == RequestKind::route ||
                           kind == RequestKind::logoff;
  return state_ == State::streaming && begins_anew;
}

void Machine::leave_result() {
  host_->end_transaction();
  results_.clear();
  is_single_ = false;
  state_ = State::ready;
}

void Machine::handle_reset() {
  --resets_;
  if (!allows(RequestKind::reset)) return break_off(not_now(RequestKind::reset, state_));
  leave_result();
  succeed();
}

void Machine::handle_hello(Request const& request) {
  auto metadata = host_->greet(request.extra);
  if (version_ < version_5_0 && asks_for_utc(request.extra)) {
    dialect_.is_utc = true;
    metadata.push_back(entry_of("patch_bolt", List{Value{std::string{"utc"}}}));
  }
  if (version_ < version_5_1) {
    if (auto const entered = host_->log_on(request.extra); !entered) return break_off(entered.error());
    state_ = State::ready;
  } else {
    state_ = State::authentication;
  }
  succeed(metadata);
}

void Machine::handle_logon(Request const& request) {
  if (auto const entered = host_->log_on(request.extra); !entered) return break_off(entered.error());
  state_ = State::ready;
  succeed();
}

std::optional<TxSettings> Machine::take_settings(Request const& request) {
  trace_.reset();
  auto settings = read_settings(request.extra);
  if (settings) trace_ = settings->trace;
  if (settings && !is_draining_) return *std::move(settings);
  fail(settings ? Failure{.kind = FailureKind::unavailable, .message = "the server is shutting down"}
                : settings.error());
  return std::nullopt;
}

void Machine::handle_begin(Request const& request) {
  auto settings = take_settings(request);
  if (!settings) return;
  is_busy_ = true;
  is_single_ = false;
  host_->begin(std::move(*settings));
}

void Machine::handle_run(Request& request) {
  if (is_in_transaction()) {
    if (results_.size() >= results_max) {
      return fail({.kind = FailureKind::resource_exhausted, .message = "16 results of this transaction are open"});
    }
    is_busy_ = true;
    return host_->run(++last_qid_, std::move(request.statement), std::move(request.parameters));
  }
  auto settings = take_settings(request);
  if (!settings) return;
  is_busy_ = true;
  is_single_ = true;
  statement_ = std::move(request.statement);
  parameters_ = std::move(request.parameters);
  host_->begin(std::move(*settings));
}

void Machine::on_begun(Outcome<void> const& begun) {
  if (host_ == nullptr || state_ == State::defunct) return;
  is_busy_ = false;
  if (is_ignored()) return advance();
  if (!begun) {
    fail(begun.error());
  } else if (is_single_) {
    is_busy_ = true;
    last_qid_ = 0;
    host_->run(last_qid_, std::exchange(statement_, {}), std::exchange(parameters_, {}));
  } else {
    last_qid_ = -1;
    state_ = State::tx_ready;
    succeed();
  }
  advance();
}

void Machine::on_started(Outcome<Started> started) {
  if (host_ == nullptr || state_ == State::defunct) return;
  is_busy_ = false;
  if (is_ignored()) return advance();
  if (!started) {
    fail(started.error());
    return advance();
  }
  results_.insert(last_qid_);
  List fields;
  for (auto& name : started->fields) fields.push_back({std::move(name)});
  Map metadata;
  metadata.push_back(entry_of("fields", std::move(fields)));
  metadata.push_back(entry_of("t_first", started->millis));
  if (!is_single_) metadata.push_back(entry_of("qid", last_qid_));
  state_ = is_single_ ? State::streaming : State::tx_streaming;
  succeed(metadata);
  advance();
}

void Machine::handle_pull(Request const& request) {
  auto pull = read_pull(request.extra);
  if (!pull) return break_off(pull.error());
  pull->is_discard = request.kind == RequestKind::discard;
  if (pull->qid < 0) pull->qid = last_qid_;
  if (!results_.contains(pull->qid)) {
    return fail({.kind = FailureKind::request_invalid, .message = "qid: there is no open result of this number"});
  }
  is_busy_ = true;
  pull_ = *pull;
  host_->pull(*pull);
}

void Machine::on_pulled(Outcome<Pulled> pulled) {
  if (host_ == nullptr || state_ == State::defunct) return;
  is_busy_ = false;
  if (is_ignored()) return advance();
  if (!pulled) {
    fail(pulled.error());
    return advance();
  }
  Map metadata;
  if (pulled->has_more) {
    metadata.push_back(entry_of("has_more", true));
    succeed(metadata);
    return advance();
  }
  note_answer({});
  results_.erase(pull_.qid);
  metadata = std::move(pulled->summary);
  metadata.push_back(entry_of("type", std::string{"r"}));
  metadata.push_back(entry_of("t_last", pulled->millis));
  metadata.push_back(entry_of("db", host_->database()));
  if (is_single_) {
    metadata.push_back(entry_of("bookmark", host_->bookmark()));
    host_->end_transaction();
    is_single_ = false;
    state_ = State::ready;
  } else if (results_.empty()) {
    state_ = State::tx_ready;
  }
  succeed(metadata);
  advance();
}

void Machine::handle_end(bool is_commit) {
  Map metadata;
  if (is_commit) metadata.push_back(entry_of("bookmark", host_->bookmark()));
  host_->end_transaction();
  results_.clear();
  state_ = State::ready;
  succeed(metadata);
}

void Machine::handle_route(Request const& request) {
  auto const table = host_->route(request);
  if (!table) return fail(table.error());
  succeed(*table);
}

bool Machine::is_ignored() {
  if (resets_ == 0) return false;
  note_answer(FailureKind::transaction_terminated);
  std::string out;
  write_ignored(out);
  host_->send(std::move(out));
  return true;
}

void Machine::finish() {
  if (host_ == nullptr || state_ == State::defunct) return;
  if (is_busy_) {
    note_answer(FailureKind::transaction_terminated);
    host_->interrupt();
    std::string out;
    write_failure(out, dialect_, {.kind = FailureKind::transaction_terminated, .message = "the server shuts down"});
    host_->send(std::move(out));
  }
  close();
}

void Machine::on_closed() {
  if (host_ == nullptr) return;
  if (is_busy_) host_->interrupt();
  note_answer(FailureKind::transaction_terminated);
  host_->end_transaction();
  host_ = nullptr;
  state_ = State::defunct;
  pending_.clear();
}

void Machine::note_answer(std::optional<FailureKind> failure) {
  if (!answering_) return;
  auto answered = *std::exchange(answering_, std::nullopt);
  answered.trace = trace_;
  answered.failure = failure;
  host_->on_answered(answered);
}

void Machine::succeed(Map const& metadata) {
  note_answer({});
  std::string out;
  write_success(out, dialect_, metadata);
  host_->send(std::move(out));
}

void Machine::fail(Failure const& failure) {
  note_answer(failure.kind);
  host_->end_transaction();
  results_.clear();
  is_single_ = false;
  state_ = State::failed;
  std::string out;
  write_failure(out, dialect_, failure);
  host_->send(std::move(out));
}

void Machine::break_off(Failure const& failure) {
  note_answer(failure.kind);
  std::string out;
  write_failure(out, dialect_, failure);
  host_->send(std::move(out));
  close();
}

void Machine::close() {
  host_->end_transaction();
  results_.clear();
  pending_.clear();
  pending_bytes_ = 0;
  state_ = State::defunct;
  host_->close();
}

}  // namespace whence::net::bolt
