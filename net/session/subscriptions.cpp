// Delivery to one connection. Events leave while the connection's queue is short; what the log still holds is read by a
// worker in slices, ahead by at most one.

#include "net/session/subscriptions.hpp"

#include "graph/snapshot/unknown.hpp"
#include "net/params/params.hpp"
#include "net/rpc/envelope.hpp"
#include "schema/json/writer.hpp"

#include <algorithm>
#include <exception>
#include <new>
#include <utility>

namespace whence::net {

namespace {

constexpr std::size_t message_bytes = std::size_t{64} << 10;     ///< a message of more is not begun with another event
constexpr std::size_t ready_bytes_max = std::size_t{256} << 10;  ///< of a slice: read ahead of the connection
constexpr std::size_t ahead_bytes_max = std::size_t{1} << 20;    ///< the same over all subscriptions
constexpr std::size_t ahead_step = std::size_t{64} << 10;        ///< of what is counted
constexpr std::size_t slice_transactions_max = 4096;
constexpr std::chrono::milliseconds finish_interval{10};

Error resume_impossible(std::string message, std::string const& epoch, schema::TxId head) {
  return {.code = Errc::resume_impossible, .message = std::move(message), .tx = number(head), .epoch = epoch};
}

Result<void> check_walks(queries::Match const& match, graph::Snapshot const& head) {
  if (match.depth && !match.downstream_of && !match.upstream_of) {
    return error_from(
        param_violation("depth", "/match/depth", std::to_string(*match.depth), "needs downstream_of or upstream_of"));
  }
  std::vector<Violation> unknown;
  auto const check = [&](std::optional<schema::NodeRef> const& ref, char const* path) {
    if (ref && !head.find(ref->type, ref->id)) unknown.push_back(graph::unknown_ref(head, *ref, path));
  };
  check(match.downstream_of, "/match/downstream_of");
  check(match.upstream_of, "/match/upstream_of");
  if (!unknown.empty()) return error_from(std::move(unknown));
  return {};
}

/// Records that are no nodes have no events of their own: what they become has.
Result<void> check_types(queries::Match const& match) {
  if (!match.types) return {};
  std::vector<Violation> violations;
  for (std::size_t i = 0; i < match.types->size(); ++i) {
    auto const& type = schema::info((*match.types)[i]);
    if (type.is_node) continue;
    violations.push_back(param_violation("enum", "/match/types/" + std::to_string(i),
                                         '"' + std::string(type.name) + '"', "is no type of node"));
  }
  if (!violations.empty()) return error_from(std::move(violations));
  return {};
}

}  // namespace

Subscriptions::Subscriptions(ServiceState& service, SessionHost& host, std::shared_ptr<HostLink> link,
                             SubscriptionLimits const& limits, std::shared_ptr<PeerMemory> memory)
    : service_(service),
      host_(&host),
      link_(std::move(link)),
      limits_(limits),
      memory_(std::move(memory)),
      work_(service.pool, service.pool.share_max()),
      queued_(std::make_shared<QueueBytes>(memory_)),
      ahead_(memory_) {}

Subscriptions::~Subscriptions() {
  on_closed();
}

void Subscriptions::post_back(HostLink& link, std::weak_ptr<Subscriptions> const& weak,
                              std::function<void(Subscriptions&)> task) {
  link.post([weak, task = std::move(task)] {
    auto const self = weak.lock();
    if (self && self->host_ != nullptr) task(*self);
  });
}

Result<Subscriptions::Made> Subscriptions::subscribe(boost::json::object const& params, bool is_admin) {
  auto asked = parse_params<SubscribeParams>(params);
  if (!asked) return asked.error();
  auto match = asked->match.value_or(queries::Match{});
  if (auto const checked = check_types(match); !checked) return checked.error();
  auto const head = shown_to(service_.engine.snapshot(), is_admin);
  if (auto const checked = check_walks(match, head); !checked) return checked.error();
  auto const from = start_of(*asked, head);
  if (!from) return from.error();
  if (subscriptions_.size() >= limits_.count_max) {
    return Error{.code = Errc::limit_exceeded,
                 .message = "a connection has at most " + std::to_string(limits_.count_max) + " subscriptions"};
  }
  auto const made = std::make_shared<Subscription>(Subscription{.id = "s" + std::to_string(++last_id_),
                                                                .match = std::move(match),
                                                                .parts = queries::parts_of(asked->include),
                                                                .credit = asked->credit,
                                                                .done = *from,
                                                                .is_in_snapshot = asked->snapshot});
  catch_up(*made, *from, asked->snapshot);
  subscriptions_.emplace(made->id, made);
  ++service_.subscriptions;
  std::string result;
  schema::json::Writer out(result);
  out.begin_object().member("sub", made->id).member("from_tx", number(*from)).end_object();
  return Made{.id = made->id, .result = std::move(result)};
}

/// The transaction after which events are wanted.
Result<schema::TxId> Subscriptions::start_of(SubscribeParams const& params, graph::Snapshot const& head) const {
  if (params.epoch && *params.epoch != service_.epoch) {
    return resume_impossible("the log is another one", service_.epoch, head.tx());
  }
  if (!params.since.moment) return head.tx();
  if (auto const* time = std::get_if<schema::Time>(&*params.since.moment)) return head.last_tx_at(*time);
  auto const since = std::get<schema::TxId>(*params.since.moment);
  if (since > head.tx()) return resume_impossible("the log ends before this transaction", service_.epoch, head.tx());
  return since;
}

/// From now on the log is read; the feed takes over where the reading meets it.
void Subscriptions::catch_up(Subscription& subscription, schema::TxId position, bool has_snapshot) {
  subscription.reading = std::make_shared<Reading>(
      Replay(service_.engine, subscription.match, subscription.parts, position, has_snapshot));
  subscription.read_up_to = position;
  subscription.owes_caught_up = true;
  auto wake = [weak = weak_from_this(), link = link_, id = subscription.id] {
    post_back(*link, weak, [id](Subscriptions& self) {
      auto const known = self.subscriptions_.find(id);
      if (known != self.subscriptions_.end()) self.pump(*Ptr(known->second));
    });
  };
  subscription.subscriber =
      std::make_shared<Subscriber>(subscription.match, subscription.parts, queued_, memory_, std::move(wake));
}

void Subscriptions::begin(std::string const& id) {
  auto const known = subscriptions_.find(id);
  if (known == subscriptions_.end()) return;
  Ptr const subscription = known->second;
  subscription->has_begun = true;
  if (heartbeat_alarm_ == 0) set_heartbeat();
  pump(*subscription);
}

Result<std::string> Subscriptions::unsubscribe(boost::json::object const& params) {
  auto const asked = parse_params<UnsubscribeParams>(params);
  if (!asked) return asked.error();
  auto const known = subscriptions_.find(asked->sub);
  if (known == subscriptions_.end()) {
    auto unknown = param_violation("unknown_subscription", "/sub", '"' + asked->sub + '"', "is no subscription here");
    unknown.code = Errc::not_found;
    return error_from(std::move(unknown));
  }
  Ptr const subscription = known->second;
  auto const resume = progress(*subscription).value_or(subscription->done);
  drop(*subscription);
  std::string result;
  schema::json::Writer out(result);
  out.begin_object().member("sub", subscription->id).member("tx", number(resume)).end_object();
  return result;
}

void Subscriptions::add_credit(boost::json::object const& params) {
  SubscriptionCreditParams credit;
  std::vector<Violation> violations;
  decode_params(params, credit, violations);
  auto const known = subscriptions_.find(credit.sub);
  if (!violations.empty() || known == subscriptions_.end() || !known->second->credit) return;
  *known->second->credit += credit.n;
  pump(*Ptr(known->second));
  read_waiting();
}

void Subscriptions::on_room() {
  auto const all = subscriptions_;
  for (auto const& [id, subscription] : all) pump(*subscription);
  read_waiting();
}

bool Subscriptions::can_send(Subscription const& subscription) const {
  return host_ != nullptr && host_->has_room() && subscription.may_send();
}

/// Sends what can be sent, and sees to it that more comes: from the feed's queue, or from the log.
void Subscriptions::pump(Subscription& subscription) {
  if (!subscription.has_begun) return;
  for (;;) {
    send_caught_up(subscription);
    if (!can_send(subscription)) break;
    refill(subscription);
    if (subscription.ready.empty()) break;
    send_events(subscription);
  }
  if (host_ == nullptr || !subscriptions_.contains(subscription.id)) return;
  if (subscription.is_live() && subscription.ready.empty() && subscription.subscriber->overflowed_after()) {
    fall_back(subscription);
  }
  bool const wants_more =
      subscription.ready.empty() || (can_send(subscription) && subscription.ready_bytes < ready_bytes_max);
  if (!subscription.is_live() && !subscription.is_reading() && wants_more && host_->has_room()) {
    want_slice(subscriptions_.at(subscription.id));
  }
  count_ahead(subscription);
}

/// Once what was read from the log is sent and the feed has taken over.
void Subscriptions::send_caught_up(Subscription& subscription) {
  if (!subscription.is_live() || !subscription.ready.empty()) return;
  if (!std::exchange(subscription.owes_caught_up, false)) return;
  subscription.done = std::max(subscription.done, subscription.read_up_to);
  notify("$/caught_up", subscription,
         [&](schema::json::Writer& out) { out.member("tx", number(subscription.read_up_to)); });
}

/// Takes what the feed has for a live subscription, but nothing past the transaction that `$/caught_up` still has to
/// name, and no more than may be sent: what waits is the feed's to bound.
void Subscriptions::refill(Subscription& subscription) {
  if (!subscription.is_live() || subscription.owes_caught_up) return;
  std::size_t events = 0;
  for (auto const& each : subscription.ready) events += each.events->size();
  auto const may_take = [&] { return !subscription.credit || std::cmp_less(events, *subscription.credit); };
  while (subscription.ready_bytes < message_bytes && may_take()) {
    auto delivery = subscription.subscriber->take();
    if (!delivery) return;
    events += delivery->events->size();
    subscription.ready_bytes += delivery->texts->bytes();
    subscription.ready.push_back(std::move(*delivery));
  }
}

/// One message of whole transactions; of a snapshot, as many nodes as fit.
void Subscriptions::send_events(Subscription& subscription) {
  std::string text;
  text.reserve(message_bytes + message_bytes / 8);
  begin_notification(text, "event");
  text.append(R"({"sub":")").append(subscription.id).append(R"(","events":[)");
  while (!subscription.ready.empty() && text.size() < message_bytes && subscription.may_send()) {
    auto& front = subscription.ready.front();
    auto const tx = front.texts->tx();
    auto& at = subscription.sent_of_front;
    auto const prev = front.is_snapshot ? schema::TxId{0} : subscription.prev;
    for (; at < front.events->size(); ++at) {
      if (front.is_snapshot && (text.size() >= message_bytes || !subscription.may_send())) break;
      if (text.back() == '}') text.push_back(',');
      front.texts->append(text, (*front.events)[at], prev, subscription.parts);
      if (subscription.credit) --*subscription.credit;
    }
    if (at < front.events->size()) break;
    at = 0;
    subscription.prev = tx;
    subscription.done = std::max(subscription.done, tx);
    subscription.ready_bytes -= front.texts->bytes();
    subscription.ready.pop_front();
  }
  subscription.note_snapshot_end();
  host_->send(text.append("]}}"));
}

/// The feed's queue overflowed: the log has what was dropped.
void Subscriptions::fall_back(Subscription& subscription) {
  auto const position = *subscription.subscriber->overflowed_after();
  auto const at = subscription.prev == schema::TxId{0} ? subscription.done : subscription.prev;
  notify("$/lagged", subscription, [&](schema::json::Writer& out) {
    out.member("at_tx", number(at)).member("head_tx", number(service_.engine.snapshot().tx()));
  });
  catch_up(subscription, position, false);
}

/// Reads a slice, as soon as its turn has come and there is room.
void Subscriptions::want_slice(Ptr const& subscription) {
  if (std::exchange(subscription->is_waiting, true)) return;
  waiting_.emplace_back(subscription);
  read_waiting();
}

/// To be called when something that was read ahead has gone. What waits and cannot go on keeps its place.
void Subscriptions::read_waiting() {
  if (host_ == nullptr || waiting_.empty() || !host_->has_room()) return;
  bool is_stalled = std::ranges::none_of(
      subscriptions_, [](auto const& each) { return each.second->may_send() && each.second->ahead_bytes() > 0; });
  for (auto const& weak : std::exchange(waiting_, {})) {
    auto const subscription = weak.lock();
    if (!subscription || subscription->is_live() || !subscriptions_.contains(subscription->id)) continue;
    auto const slice_bytes = room_for_slice(is_stalled && subscription->may_send());
    if (slice_bytes == 0) {
      waiting_.push_back(weak);
      continue;
    }
    subscription->is_waiting = false;
    is_stalled = is_stalled && !subscription->may_send();
    read_on(subscription, slice_bytes);
    count_ahead(*subscription);
  }
}

/// How many bytes the next slice may have; 0: it has to wait. `is_stalled`: nothing would come that ends the waiting.
std::size_t Subscriptions::room_for_slice(bool is_stalled) {
  auto const bytes = ahead_bytes_ + ready_bytes_max;
  if (bytes <= ahead_bytes_max && ahead_.try_set(bytes)) return ready_bytes_max;
  return is_stalled ? message_bytes : 0;
}

/// To be called when what is read ahead for it has changed. In steps, so that little costs nothing.
void Subscriptions::count_ahead(Subscription& subscription) {
  ahead_bytes_ += subscription.ahead_bytes() - subscription.counted_bytes;
  subscription.counted_bytes = subscription.ahead_bytes();
  auto const counted = ahead_bytes_ / ahead_step * ahead_step;
  if (ahead_.bytes() != counted) ahead_.set(counted);
}

void Subscriptions::read_on(Ptr const& subscription, std::size_t slice_bytes) {
  subscription->slice_bytes = slice_bytes;
  work_.post([weak = weak_from_this(), link = link_, &service = service_, id = subscription->id, slice_bytes,
              reading = subscription->reading, subscriber = subscription->subscriber] {
    if (reading->is_cancelled) return;  // its walks are not needed
    auto const slice = std::make_shared<Slice>();
    bool is_live = false;
    Result<void> read;
    try {
      auto const head = service.view();
      read = reading->replay.read(head, slice_bytes, slice_transactions_max, *slice);
      if (read && !subscriber->try_hold(reading->replay.weight())) {
        read = Error{.code = Errc::busy, .message = "there is not enough memory for the walks"};
      }
      if (read && reading->replay.position() == head.snapshot.tx()) {
        auto const attached = service.feed->attach(subscriber, reading->replay, *slice);
        if (!attached) read = attached.error();
        is_live = attached && *attached;
      }
    } catch (std::bad_alloc const&) {
      read = Error{.code = Errc::busy, .message = "there is not enough memory"};
    } catch (std::exception const& failure) {
      read = Error{.code = Errc::internal_error, .message = failure.what()};
    }
    if (is_live && reading->is_cancelled) service.feed->detach(subscriber);
    post_back(*link, weak, [id, reading, slice, is_live, read](Subscriptions& self) {
      self.take_slice(id, reading, *slice, is_live, read);
    });
  });
}

void Subscriptions::take_slice(std::string const& id, std::shared_ptr<Reading> const& reading, Slice& slice,
                               bool is_live, Result<void> const& read) {
  auto const known = subscriptions_.find(id);
  if (known == subscriptions_.end() || known->second->reading != reading) return;
  Ptr const subscription = known->second;
  subscription->slice_bytes = 0;
  for (auto& delivery : slice.deliveries) subscription->ready.push_back(std::move(delivery));
  subscription->ready_bytes += slice.bytes;
  subscription->read_up_to = reading->replay.position();
  subscription->is_snapshot_read = !reading->replay.is_in_snapshot();
  subscription->note_snapshot_end();
  if (is_live) subscription->reading.reset();
  if (!read) return end(*subscription, read.error().code == Errc::busy ? "memory" : "error");
  pump(*subscription);
  read_waiting();
}

void Subscriptions::notify(std::string_view method, Subscription const& subscription,
                           std::function<void(schema::json::Writer&)> const& write) {
  std::string text;
  begin_notification(text, method);
  schema::json::Writer out(text);
  out.begin_object().member("sub", subscription.id);
  write(out);
  out.end_object();
  host_->send(text.append("}"));
}

void Subscriptions::end(Subscription& subscription, std::string_view reason) {
  auto const resume = progress(subscription).value_or(subscription.done);
  notify("$/ended", subscription,
         [&](schema::json::Writer& out) { out.member("reason", reason).member("tx", number(resume)); });
  drop(subscription);
}

std::optional<schema::TxId> Subscriptions::progress(Subscription const& subscription) const {
  if (subscription.is_in_snapshot) return std::nullopt;
  if (!subscription.ready.empty()) return subscription.done;
  if (!subscription.is_live()) return std::max(subscription.done, subscription.read_up_to);
  // In this order: what the feed puts after the first look is above the position.
  auto const position = service_.feed->position();
  return subscription.subscriber->is_empty() ? std::max(subscription.done, position) : subscription.done;
}

void Subscriptions::set_heartbeat() {
  auto ring = [weak = weak_from_this(), link = link_](bool) {
    post_back(*link, weak, [](Subscriptions& self) { self.heartbeat(); });
  };
  heartbeat_alarm_ =
      service_.alarms->set({.deadline = std::chrono::steady_clock::now() + limits_.heartbeat}, std::move(ring));
}

/// Not sent while its transaction would be lower than before, nor to a client that does not read.
void Subscriptions::heartbeat() {
  heartbeat_alarm_ = 0;
  if (subscriptions_.empty()) return;
  set_heartbeat();
  std::optional<schema::TxId> least;
  for (auto const& [id, subscription] : subscriptions_) {
    auto const progressed = progress(*subscription);
    if (!progressed) return;
    least = std::min(least.value_or(*progressed), *progressed);
  }
  if (*least < last_heartbeat_ || !host_->has_room()) return;
  last_heartbeat_ = *least;
  std::string text;
  begin_notification(text, "$/heartbeat");
  schema::json::Writer out(text);
  out.begin_object().member("tx", number(*least)).end_object();
  host_->send(text.append("}"));
}

void Subscriptions::finish(std::function<void()> done) {
  on_finished_ = std::move(done);
  finish_some();
}

/// Polls, since the feed does not announce that it reached the head without finding anything.
void Subscriptions::finish_some() {
  auto const head = service_.engine.snapshot().tx();
  auto const all = subscriptions_;
  for (auto const& [id, subscription] : all) {
    pump(*subscription);
    bool const is_done = progress(*subscription).value_or(schema::TxId{0}) >= head && subscription->is_live();
    if (is_done || !subscription->may_send()) end(*subscription, "shutdown");
  }
  if (subscriptions_.empty()) return std::exchange(on_finished_, nullptr)();
  auto ring = [weak = weak_from_this(), link = link_](bool) {
    post_back(*link, weak, [](Subscriptions& self) { self.finish_some(); });
  };
  service_.alarms->set({.deadline = std::chrono::steady_clock::now() + finish_interval}, std::move(ring));
}

void Subscriptions::drop(Subscription& subscription) {
  if (subscription.reading) subscription.reading->is_cancelled = true;
  service_.feed->detach(subscription.subscriber);
  --service_.subscriptions;
  ahead_bytes_ -= subscription.counted_bytes;
  subscriptions_.erase(subscription.id);
  read_waiting();
}

void Subscriptions::on_closed() {
  host_ = nullptr;
  auto const all = std::exchange(subscriptions_, {});
  for (auto const& [id, subscription] : all) {
    if (subscription->reading) subscription->reading->is_cancelled = true;
    service_.feed->detach(subscription->subscriber);
    --service_.subscriptions;
  }
  ahead_.set(0);
  if (heartbeat_alarm_ != 0) service_.alarms->forget(std::exchange(heartbeat_alarm_, 0));
}

}  // namespace whence::net
