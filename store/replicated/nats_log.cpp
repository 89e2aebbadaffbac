// Messages come by an ordered consumer. What that does not bring in time is read from the stream's leader, since a
// consumer does not say that its server lags or is gone. All nodes step over messages that none of them wrote, so that
// what follows is the same for all.

#include "store/replicated/nats_log.hpp"

#include "schema/threads/thread_guard.hpp"
#include "store/replicated/group_parts.hpp"
#include "store/replicated/nats_arrivals.hpp"
#include "store/replicated/nats_callee.hpp"
#include "store/replicated/nats_handles.hpp"
#include "store/replicated/nats_peers.hpp"
#include "store/replicated/nats_publisher.hpp"
#include "store/replicated/nats_stream.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>
#include <utility>

#include <nats/nats.h>

namespace whence::store {
namespace {

using schema::TxId;
using Clock = std::chrono::steady_clock;
using Bytes = std::vector<std::byte>;

constexpr std::int64_t resend_wait_ms = 100;
constexpr std::chrono::milliseconds answer_wait{2000};  // then a part is sent again
constexpr std::chrono::seconds asked_every{1};
constexpr std::chrono::seconds looked_every{3};
constexpr std::chrono::milliseconds question_wait{2000};  // for what the writer asks on its own; a write may be waiting
constexpr std::chrono::seconds stalled_after{1};  // then what the consumer does not bring is read from the stream

/// The one server that is connected to, where it has no cluster: by its identity, which is its name where none was set.
std::vector<SharedLogPicture::Server> lone_server(natsConnection& connection) {
  std::array<char, 128> identity{};
  if (natsConnection_GetConnectedServerId(&connection, identity.data(), identity.size()) != NATS_OK) return {};
  return {{.name = identity.data(), .is_leader = true, .is_current = true}};
}

std::vector<SharedLogPicture::Server> servers_of(jsStreamInfo const& info, natsConnection& connection) {
  std::vector<SharedLogPicture::Server> servers;
  if (info.Cluster == nullptr) return lone_server(connection);
  if (info.Cluster->Leader != nullptr) {
    servers.push_back({.name = info.Cluster->Leader, .is_leader = true, .is_current = true});
  }
  for (int i = 0; i < info.Cluster->ReplicasLen; ++i) {
    auto const& each = *info.Cluster->Replicas[i];
    servers.push_back({.name = each.Name, .is_current = each.Current && !each.Offline, .lag = each.Lag});
  }
  std::ranges::sort(servers, {}, &SharedLogPicture::Server::name);
  return servers;
}

class NatsLog final : public SharedLog {
 public:
  explicit NatsLog(NatsOptions options)
      : publisher_("whence." + options.address.stream),
        peers_(options.address.stream),
        stream_(std::move(options), NatsPublisher::take_answer, publisher_.closure()) {}
  ~NatsLog() override {
    watch_ = {};
    arrivals_.close();
    subscription_.reset();
    stream_.close();
  }

  Result<void> start_after(TxId head, CheckHead check) override {
    head_ = head;
    check_ = std::move(check);
    return start();
  }

  Result<std::optional<Bytes>> next(std::chrono::milliseconds wait) override {
    if (auto const started = start(); !started) {
      if (started.error().code != Errc::busy) return started.error();
      return std::optional<Bytes>{};
    }
    ask_after_silence();
    for (;;) {
      auto arrived = arrivals_.take(wait);
      if (arrived && arrived->sequence > position_) behind_since_ = {};
      if (!arrived && is_stalled()) {
        auto read = read_next();
        if (!read) return read.error();
        arrived = std::move(*read);
      }
      if (!arrived) break;
      if (arrived->sequence <= position_) continue;  // what this node wrote, or got before
      if (arrived->sequence != position_ + 1) {
        return Error{Errc::corrupt, "the replicated log lacks its message " + std::to_string(position_ + 1)};
      }
      position_ = arrived->sequence;
      last_ = std::max(last_.load(), position_.load());
      if (!arrived->label) {  // every node steps over it: what follows is the same for all
        last_foreign_ = arrived->sequence;
        ++foreign_;
        continue;
      }
      if (auto group = assembly_.add(arrived->label->part, std::move(arrived->bytes))) return group;
    }
    return std::optional<Bytes>{};
  }

  void send(OutgoingGroup const& group) override {
    outgoing_.push_back(group);
    if (!unsent_.empty()) return;  // it follows one that was not sent
    if (auto const started = start(); !started) {
      unsent_ = started.error().message;
      return;
    }
    try {
      publisher_.send(stream_.context(), stream_.part_bytes_max(), group, position_);
    } catch (std::bad_alloc const&) {
      unsent_ = "there is no memory for the message";
    }
  }

  /// While the stream has no leader no node receives a group, and what a leader received before its end may be lost:
  /// then it is sent again until `NatsOptions::wait` is over.
  std::vector<Published> settle() override {
    auto const until = Clock::now() + stream_.options().wait;
    auto const outgoing = std::exchange(outgoing_, {});
    auto const unsent = std::exchange(unsent_, {});
    while (unsent.empty()) {
      auto const left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now());
      publisher_.wait_for_answers(std::clamp(left, std::chrono::milliseconds{0}, answer_wait));
      if (Clock::now() >= until || is_given_up_ || !send_again(outgoing)) break;
    }
    auto settled = publisher_.settle();
    if (!unsent.empty()) return std::vector<Published>(outgoing.size(), {Publication::unknown, unsent});
    note(settled);
    return std::move(settled.groups);
  }

  Result<bool> is_at_end() override {
    if (auto const started = start(); !started) return started.error();
    auto const info = stream_.info(NatsStream::Missing::is_error);
    if (!info) return info.error();
    last_ = (*info)->State.LastSeq;
    return position_ >= last_;
  }

  void on_arrival(std::function<void()> arrived) override {
    arrived_ = std::move(arrived);
    watch_ = std::jthread{[this](std::stop_token const& stop) { watch(stop); }};
  }

  void give_up() override { is_given_up_ = true; }

  [[nodiscard]] std::string name() const override { return stream_.options().address.stream; }

  void introduce(Introduction introduction) override { peers_.introduce(std::move(introduction)); }
  void announce_tree(schema::proof::TreeHead const& tree) override { peers_.set_tree(tree); }

  [[nodiscard]] SharedLogPicture picture() const override {
    std::lock_guard const lock(servers_mutex_);
    return {.servers = servers_, .nodes = peers_.nodes()};
  }

  [[nodiscard]] SharedLogFigures figures() const override {
    return {.is_connected = stream_.is_connected() && stream_.is_answering(),
            .position = position_,
            .last = last_,
            .last_contact_s = stream_.silence(),
            .refused = refused_,
            .unknown = unknown_,
            .repeated = repeated_,
            .foreign = foreign_,
            .last_foreign = last_foreign_};
  }

 private:
  [[nodiscard]] bool send_again(std::vector<OutgoingGroup> const& outgoing) {
    try {
      bool const is_sent = publisher_.send_again(stream_.context(), stream_.part_bytes_max(), outgoing);
      if (is_sent) {
        ++repeated_;
        nats_Sleep(resend_wait_ms);
      }
      return is_sent;
    } catch (std::bad_alloc const&) {
      return false;
    }
  }

  /// The node's place after groups were settled.
  void note(NatsPublisher::Settled const& settled) {
    if (settled.last != 0) {
      position_ = settled.last;
      last_ = std::max(last_.load(), position_.load());
      stream_.heard();
    }
    for (auto const& each : settled.groups) {
      if (each.what == Publication::accepted) continue;
      if (each.what == Publication::refused) {
        stream_.heard();
        last_ = std::max(last_.load(), position_ + 1);
        ++refused_;
      } else {
        stream_.set_silent();
        ++unknown_;
      }
      return;  // what follows shares its fate
    }
  }

  /// Calls for `next`: nothing else would make an idle node ask whether it has everything, or take what it had no room
  /// for.
  void watch(std::stop_token const& stop) {
    std::mutex mutex;
    std::condition_variable_any ends;
    std::unique_lock lock(mutex);
    schema::ThreadGuard guard{{}, "log", "it looks again a moment later"};  // what it finds out shows in the figures
    while (!ends.wait_for(lock, stop, asked_every, [&] { return stop.stop_requested(); })) {
      guard.run([this] {
        arrived_();
        if (!stream_.is_connected()) return;
        peers_.announce(*stream_.connection(), position_);
        look_at_servers();
      });
    }
  }

  void look_at_servers() {
    if (Clock::now() - looked_ < looked_every) return;
    looked_ = Clock::now();
    auto const info = stream_.info(NatsStream::Missing::is_error, question_wait);
    if (!info) return;
    std::lock_guard const lock(servers_mutex_);
    servers_ = servers_of(**info, *stream_.connection());
  }

  // --- What the consumer does not bring ---

  /// A consumer does not say that its server lags behind the others, or is gone: the stream's leader does.
  void ask_after_silence() {
    auto const now = Clock::now();
    if (stream_.is_answering() && stream_.silence() < std::chrono::duration<double>(asked_every).count()) return;
    if (now - asked_ < asked_every) return;
    asked_ = now;
    auto const info = stream_.info(NatsStream::Missing::is_error, question_wait);
    if (info) last_ = std::max(last_.load(), (*info)->State.LastSeq);
  }

  /// Whether there is something that the consumer should have brought by now.
  [[nodiscard]] bool is_stalled() {
    if (last_ <= position_) behind_since_ = {};
    if (last_ <= position_) return false;
    if (!behind_since_) behind_since_ = Clock::now();
    return Clock::now() - *behind_since_ >= stalled_after;
  }

  /// The next message from the stream's leader; nothing where it does not answer, or is new and has not got there yet.
  [[nodiscard]] Result<std::optional<NatsArrivals::Arrived>> read_next() {
    auto const sequence = position_ + 1;
    auto const message = stream_.read(sequence, question_wait);
    if (message)
      return std::optional{NatsArrivals::Arrived{sequence, read_label(message->get()), bytes_of(message->get())}};
    if (message.error().code == Errc::busy) return std::optional<NatsArrivals::Arrived>{};
    auto const info = stream_.info(NatsStream::Missing::is_error, question_wait);
    if (!info || (*info)->State.LastSeq <= sequence) return std::optional<NatsArrivals::Arrived>{};
    return message.error();
  }

  /// Connects and finds the place of `head_`, unless that was done.
  [[nodiscard]] Result<void> start() {
    if (subscription_) return {};
    if (auto connected = stream_.connect(); !connected) return connected;
    auto const info = stream_.info(NatsStream::Missing::is_made);
    if (!info) return info.error();
    auto const& state = (*info)->State;
    last_ = state.LastSeq;
    auto const place = stream_.find_place(head_, check_, state.FirstSeq, state.LastSeq);
    if (!place) return place.error();
    position_ = place->position;
    return subscribe();
  }

  [[nodiscard]] Result<void> subscribe() {
    jsSubOptions options;
    jsSubOptions_Init(&options);
    options.Stream = stream_.options().address.stream.c_str();
    options.Ordered = true;
    options.Config.DeliverPolicy = js_DeliverByStartSequence;
    options.Config.OptStartSeq = position_ + 1;
    natsSubscription* subscription = nullptr;
    auto code = static_cast<jsErrCode>(0);
    auto const status = js_Subscribe(&subscription, &stream_.context(), stream_.subject().c_str(), take_in,
                                     callee_.closure(), nullptr, &options, &code);
    if (status != NATS_OK) return stream_.silent("subscribing", status, code);
    subscription_.reset(subscription);
    return {};
  }

  /// On a thread of libnats.
  static void take_in(natsConnection*, natsSubscription*, natsMsg* given, void* closure) {
    NatsMessage const message{given};
    jsMsgMetaData* made = nullptr;
    if (natsMsg_GetMetaData(&made, given) != NATS_OK) return;  // none of the stream's
    NatsPlace const place{made};
    NatsCallee<NatsLog>::call(closure, [&](NatsLog& log) {
      log.stream_.heard();
      auto label = read_label(given);
      bool const is_own = label && log.publisher_.is_own(label->part.group);
      log.arrivals_.put({place->Sequence.Stream, std::move(label), bytes_of(given)});
      if (!is_own && log.arrived_) log.arrived_();  // what this node writes is nothing new to it
    });
  }

  std::function<void()> arrived_;
  TxId head_ = TxId{0};
  CheckHead check_;
  GroupAssembly assembly_;
  std::atomic<std::uint64_t> position_ = 0;
  std::atomic<std::uint64_t> last_ = 0;
  std::atomic<std::uint64_t> refused_ = 0;
  std::atomic<std::uint64_t> unknown_ = 0;
  std::atomic<std::uint64_t> repeated_ = 0;
  std::atomic<std::uint64_t> foreign_ = 0;
  std::atomic<std::uint64_t> last_foreign_ = 0;
  std::atomic<bool> is_given_up_ = false;
  Clock::time_point asked_ = {};                   // when `next` has asked last
  std::optional<Clock::time_point> behind_since_;  // when it was first known that the consumer owes something
  NatsArrivals arrivals_;
  NatsPublisher publisher_;
  NatsPeers peers_;
  mutable std::mutex servers_mutex_;
  std::vector<SharedLogPicture::Server> servers_;  // guarded by `servers_mutex_`
  Clock::time_point looked_ = {};                  // of `watch_`
  std::vector<OutgoingGroup> outgoing_;            // sent, not settled
  std::string unsent_;                             // why they were not; empty: they were
  NatsStream stream_;
  NatsSubscription subscription_;
  NatsCallee<NatsLog> const callee_{*this};  // callbacks use the rest
  std::jthread watch_;                       // likewise
};

}  // namespace

std::unique_ptr<SharedLog> make_nats_log(NatsOptions options) {
  return std::make_unique<NatsLog>(std::move(options));
}

}  // namespace whence::store
