#include "store/replicated/nats_log.hpp"

#include "schema/base/digest.hpp"
#include "store/replicated/group_parts.hpp"
#include "store/replicated/nats_arrivals.hpp"
#include "store/replicated/nats_handles.hpp"
#include "store/replicated/nats_publisher.hpp"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <thread>
#include <utility>

#include <nats/nats.h>

namespace whence::store {
namespace {

using schema::TxId;
using Clock = std::chrono::steady_clock;
using Bytes = std::vector<std::byte>;

constexpr std::int64_t header_bytes = 1024;  // more than the headers of a part take
constexpr std::int64_t reconnect_wait_ms = 100;
constexpr std::chrono::seconds asked_every{1};

Error silent_error(std::string const& what, natsStatus status, jsErrCode code) {
  return {.code = Errc::busy,
          .message = "the replicated log does not answer: " + what + ": " + text_of(status, code),
          .retry_after_ms = 500};
}

std::optional<MessageLabel> read_label(natsMsg* message) {
  char const* part = nullptr;
  char const* moment = nullptr;
  if (natsMsgHeader_Get(message, nats_header::part, &part) != NATS_OK) return std::nullopt;
  if (natsMsgHeader_Get(message, nats_header::moment, &moment) != NATS_OK) return std::nullopt;
  auto name = parse_part_name(part);
  std::string_view const numbers{moment};
  std::uint64_t base = 0;
  std::uint64_t head = 0;
  auto const [slash, failed] = std::from_chars(numbers.data(), numbers.data() + numbers.size(), base);
  if (!name || failed != std::errc{} || slash == numbers.data() + numbers.size() || *slash != '/') return std::nullopt;
  if (std::from_chars(slash + 1, numbers.data() + numbers.size(), head).ec != std::errc{}) return std::nullopt;
  return MessageLabel{std::move(*name), TxId{base}, TxId{head}};
}

class NatsLog final : public SharedLog {
 public:
  explicit NatsLog(NatsOptions options)
      : options_(std::move(options)), subject_("whence." + options_.address.stream), publisher_(subject_) {}
  ~NatsLog() override {
    watch_ = {};
    arrivals_.close();
    subscription_.reset();
    if (connection_) natsConnection_Close(connection_.get());  // no callback comes after it
    context_.reset();
    connection_.reset();
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
    if (!is_answering_) static_cast<void>(stream_info());  // asks whether it does again
    while (auto arrived = arrivals_.take(wait)) {
      if (arrived->sequence <= position_) continue;  // what this node wrote, or got before
      if (arrived->sequence != position_ + 1) {
        return Error{Errc::corrupt, "the replicated log lacks its message " + std::to_string(position_ + 1)};
      }
      if (!arrived->label) {
        return Error{Errc::corrupt, "message " + std::to_string(arrived->sequence) + " of the log is no group"};
      }
      position_ = arrived->sequence;
      last_ = std::max(last_.load(), position_.load());
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
      publisher_.send(*context_, part_bytes_max(), group, position_);
    } catch (std::bad_alloc const&) {
      unsent_ = "there is no memory for the message";
    }
  }

  /// While the stream has no leader nobody receives a group: then all are sent again until one is there.
  std::vector<Published> settle() override {
    auto const until = Clock::now() + options_.wait;
    auto const outgoing = std::exchange(outgoing_, {});
    auto const unsent = std::exchange(unsent_, {});
    if (!unsent.empty()) {
      publisher_.forget();
      return std::vector<Published>(outgoing.size(), {Publication::unknown, unsent});
    }
    for (;;) {
      auto const left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now());
      auto settled = publisher_.settle(std::max(left, std::chrono::milliseconds{0}));
      if (!settled.is_without_leader || Clock::now() >= until) {
        note(settled);
        return std::move(settled.groups);
      }
      nats_Sleep(reconnect_wait_ms);
      for (auto const& each : outgoing) publisher_.send(*context_, part_bytes_max(), each, position_);
    }
  }

  Result<bool> is_at_end() override {
    if (auto const started = start(); !started) return started.error();
    auto const info = stream_info();
    if (!info) return info.error();
    last_ = (*info)->State.LastSeq;
    return position_ >= last_;
  }

  void on_arrival(std::function<void()> arrived) override {
    arrived_ = std::move(arrived);
    watch_ = std::jthread{[this](std::stop_token const& stop) { watch(stop); }};
  }

  [[nodiscard]] SharedLogFigures figures() const override {
    std::chrono::duration<double> const silence = Clock::now().time_since_epoch() - heard_.load();
    return {.is_connected = is_connected_ && is_answering_,
            .position = position_,
            .last = last_,
            .last_contact_s = heard_.load() == Clock::duration{} ? 0 : silence.count(),
            .refused = refused_,
            .unknown = unknown_};
  }

 private:
  /// Where the node stands after groups were settled.
  void note(NatsPublisher::Settled const& settled) {
    if (settled.last != 0) {
      position_ = settled.last;
      last_ = std::max(last_.load(), position_.load());
      heard();
    }
    for (auto const& each : settled.groups) {
      if (each.what == Publication::accepted) continue;
      if (each.what == Publication::refused) {
        heard();
        ++refused_;
      } else {
        is_answering_ = false;
        ++unknown_;
      }
      return;  // what follows shares its fate
    }
  }

  [[nodiscard]] std::size_t part_bytes_max() const {
    auto const room = natsConnection_GetMaxPayload(connection_.get()) - header_bytes;
    return static_cast<std::size_t>(std::max<std::int64_t>(room, header_bytes));
  }

  /// Calls for `next` while the log does not answer: nothing else would make an idle node ask again.
  void watch(std::stop_token const& stop) {
    std::mutex mutex;
    std::condition_variable_any ends;
    std::unique_lock lock(mutex);
    while (!ends.wait_for(lock, stop, asked_every, [&] { return stop.stop_requested(); })) {
      if (!is_following_ || !is_answering_) arrived_();
    }
  }

  // --- Getting to the stream ---

  /// Connects and finds the place of `head_`, unless that was done.
  [[nodiscard]] Result<void> start() {
    if (subscription_) return {};
    if (auto connected = connect(); !connected) return connected;
    auto const info = stream_info();
    if (!info) return info.error();
    auto const& state = (*info)->State;
    last_ = state.LastSeq;
    if (auto found = find_place(state.FirstSeq, state.LastSeq); !found) return found;
    return subscribe();
  }

  [[nodiscard]] Result<void> connect() {
    if (context_) return {};
    natsOptions* made = nullptr;
    if (auto const status = natsOptions_Create(&made); status != NATS_OK) return silent("options", status);
    NatsConnectionOptions const options{made};
    std::vector<char const*> servers;
    for (auto const& each : options_.address.servers) servers.push_back(each.c_str());
    auto status = natsOptions_SetServers(made, servers.data(), static_cast<int>(servers.size()));
    if (status == NATS_OK) status = natsOptions_SetName(made, "whence");
    if (status == NATS_OK) status = natsOptions_SetMaxReconnect(made, -1);
    if (status == NATS_OK) status = natsOptions_SetReconnectWait(made, reconnect_wait_ms);
    if (status == NATS_OK) status = natsOptions_SetSendAsap(made, true);  // a thread that flushes later costs a switch
    if (status == NATS_OK) status = natsOptions_SetTimeout(made, options_.wait.count());
    if (status == NATS_OK) status = natsOptions_SetDisconnectedCB(made, set_connected<false>, this);
    if (status == NATS_OK) status = natsOptions_SetReconnectedCB(made, set_connected<true>, this);
    if (status == NATS_OK) status = set_credentials(made);
    if (status != NATS_OK) return Error{Errc::invalid_params, "the address of the log: " + text_of(status)};
    natsConnection* connection = nullptr;
    status = natsConnection_Connect(&connection, made);
    if (status != NATS_OK) return silent("connecting", status);
    connection_.reset(connection);
    jsOptions js_options;
    jsOptions_Init(&js_options);
    js_options.Wait = options_.wait.count();
    js_options.PublishAsync.AckHandler = NatsPublisher::take_answer;
    js_options.PublishAsync.AckHandlerClosure = &publisher_;
    jsCtx* context = nullptr;
    status = natsConnection_JetStream(&context, connection_.get(), &js_options);
    if (status != NATS_OK) return silent("JetStream", status);
    context_.reset(context);
    is_connected_ = true;
    heard();
    return {};
  }

  [[nodiscard]] natsStatus set_credentials(natsOptions* options) const {
    auto const given = [](std::string const& file) { return file.empty() ? nullptr : file.c_str(); };
    natsStatus status = NATS_OK;
    if (!options_.credentials.empty())
      status = natsOptions_SetUserCredentialsFromFiles(options, given(options_.credentials), nullptr);
    if (status == NATS_OK && !options_.ca.empty())
      status = natsOptions_LoadCATrustedCertificates(options, given(options_.ca));
    if (status == NATS_OK && !options_.certificate.empty())
      status = natsOptions_LoadCertificatesChain(options, given(options_.certificate), given(options_.key));
    return status;
  }

  template <bool is_connected>
  static void set_connected(natsConnection*, void* self) {
    static_cast<NatsLog*>(self)->is_connected_ = is_connected;
  }

  /// Of the stream, which is made where it is missing.
  [[nodiscard]] Result<NatsStreamInfo> stream_info() {
    jsStreamInfo* info = nullptr;
    auto code = static_cast<jsErrCode>(0);
    auto const status = js_GetStreamInfo(&info, context_.get(), options_.address.stream.c_str(), nullptr, &code);
    if (status == NATS_OK) {
      heard();
      return NatsStreamInfo{info};
    }
    if (code == JSStreamNotFoundErr || status == NATS_NOT_FOUND) return make_stream();
    return silent("the stream " + options_.address.stream, status, code);
  }

  [[nodiscard]] Result<NatsStreamInfo> make_stream() {
    jsStreamConfig config;
    jsStreamConfig_Init(&config);
    char const* subjects[] = {subject_.c_str()};
    config.Name = options_.address.stream.c_str();
    config.Description = "The log of a provenance graph; its messages must not be altered or removed by hand";
    config.Subjects = subjects;
    config.SubjectsLen = 1;
    config.Storage = js_FileStorage;
    config.Discard = js_DiscardNew;  // a full stream refuses; it never forgets
    config.DenyDelete = true;
    config.Replicas = options_.replicas == 0 ? 3 : options_.replicas;
    for (;;) {
      jsStreamInfo* info = nullptr;
      auto code = static_cast<jsErrCode>(0);
      auto const status = js_AddStream(&info, context_.get(), &config, nullptr, &code);
      if (status == NATS_OK) return NatsStreamInfo{info};
      if (code != JSStreamReplicasNotSupportedErr || options_.replicas > 1 || config.Replicas == 1)
        return silent("making the stream " + options_.address.stream, status, code);
      config.Replicas = 1;  // a server alone
    }
  }

  [[nodiscard]] Result<NatsMessage> read(std::uint64_t sequence) {
    natsMsg* message = nullptr;
    auto code = static_cast<jsErrCode>(0);
    auto const status = js_GetMsg(&message, context_.get(), options_.address.stream.c_str(), sequence, nullptr, &code);
    if (status == NATS_OK) return NatsMessage{message};
    if (code == JSNoMessageFoundErr)
      return Error{Errc::corrupt, "the replicated log lacks its message " + std::to_string(sequence)};
    return silent("message " + std::to_string(sequence), status, code);
  }

  /// Sets `position_` to the last message of the group that made `head_`. O(log messages) requests.
  [[nodiscard]] Result<void> find_place(std::uint64_t first, std::uint64_t last) {
    position_ = last;
    if (first == 0 || first > last) return {};  // empty
    position_ = first - 1;
    std::uint64_t low = first;
    std::uint64_t high = last + 1;
    while (low < high) {  // the first message whose group ends at or after the head
      auto const middle = low + (high - low) / 2;
      auto const label = label_of(middle);
      if (!label) return label.error();
      label->head < head_ ? low = middle + 1 : high = middle;
    }
    if (low > last) {
      return Error{Errc::conflict, "the replicated log ends before transaction " +
                                       std::to_string(schema::number(head_)) + ", which this store has"};
    }
    auto const label = label_of(low);
    if (!label) return label.error();
    if (label->base > head_) {
      return Error{Errc::resume_impossible, "the replicated log begins after transaction " +
                                                std::to_string(schema::number(label->base)) +
                                                "; this store ends with " + std::to_string(schema::number(head_)) +
                                                ": restore a backup of another node"};
    }
    if (label->base == head_ || head_ == TxId{0}) {
      position_ = low - 1;
      return {};
    }
    return check_head(low, label->part.count);
  }

  [[nodiscard]] Result<MessageLabel> label_of(std::uint64_t sequence) {
    auto const message = read(sequence);
    if (!message) return message.error();
    auto label = read_label(message->get());
    if (!label) return Error{Errc::corrupt, "message " + std::to_string(sequence) + " of the log is no group"};
    return std::move(*label);
  }

  [[nodiscard]] Result<void> check_head(std::uint64_t first, std::uint32_t parts) {
    GroupAssembly assembly;
    for (std::uint64_t sequence = first; sequence < first + parts; ++sequence) {
      auto const message = read(sequence);
      if (!message) return message.error();
      auto const label = read_label(message->get());
      if (!label) return Error{Errc::corrupt, "message " + std::to_string(sequence) + " of the log is no group"};
      auto const group = assembly.add(label->part, bytes_of(message->get()));
      if (!group) continue;
      if (auto checked = check_(*group); !checked) return checked;
    }
    position_ = first + parts - 1;
    return {};
  }

  [[nodiscard]] Result<void> subscribe() {
    jsSubOptions options;
    jsSubOptions_Init(&options);
    options.Stream = options_.address.stream.c_str();
    options.Ordered = true;
    options.Config.DeliverPolicy = js_DeliverByStartSequence;
    options.Config.OptStartSeq = position_ + 1;
    natsSubscription* subscription = nullptr;
    auto code = static_cast<jsErrCode>(0);
    auto const status =
        js_Subscribe(&subscription, context_.get(), subject_.c_str(), take_in, this, nullptr, &options, &code);
    if (status != NATS_OK) return silent("subscribing", status, code);
    subscription_.reset(subscription);
    is_following_ = true;
    return {};
  }

  /// On a thread of libnats.
  static void take_in(natsConnection*, natsSubscription*, natsMsg* given, void* self) {
    NatsMessage const message{given};
    auto& log = *static_cast<NatsLog*>(self);
    jsMsgMetaData* made = nullptr;
    if (natsMsg_GetMetaData(&made, given) != NATS_OK) return;  // none of the stream's
    NatsPlace const place{made};
    log.heard();
    log.arrivals_.put({place->Sequence.Stream, read_label(given), bytes_of(given)});
    if (log.arrived_) log.arrived_();
  }

  [[nodiscard]] Error silent(std::string const& what, natsStatus status, jsErrCode code = static_cast<jsErrCode>(0)) {
    is_answering_ = false;
    return silent_error(what, status, code);
  }

  void heard() {
    heard_ = Clock::now().time_since_epoch();
    is_answering_ = true;
  }

  NatsOptions const options_;
  std::string const subject_;
  std::function<void()> arrived_;
  TxId head_ = TxId{0};
  CheckHead check_;
  GroupAssembly assembly_;
  std::atomic<std::uint64_t> position_ = 0;
  std::atomic<std::uint64_t> last_ = 0;
  std::atomic<std::uint64_t> refused_ = 0;
  std::atomic<std::uint64_t> unknown_ = 0;
  std::atomic<bool> is_connected_ = false;
  std::atomic<bool> is_following_ = false;  // the consumer was made
  std::atomic<bool> is_answering_ = false;  // the last request was
  std::atomic<Clock::duration> heard_ = Clock::duration{};
  NatsArrivals arrivals_;
  NatsPublisher publisher_;
  std::vector<OutgoingGroup> outgoing_;  // sent, not settled
  std::string unsent_;                   // why they were not; empty: they were
  NatsConnection connection_;
  NatsContext context_;
  NatsSubscription subscription_;  // its callbacks use the rest
  std::jthread watch_;             // likewise
};

}  // namespace

Result<NatsAddress> parse_nats_address(std::string_view text) {
  auto const wrong = [&] {
    return Error{Errc::invalid_params, "\"" + std::string{text} + "\" is not nats://HOST:PORT[,HOST:PORT]/STREAM"};
  };
  auto const scheme_end = text.find("://");
  if (scheme_end == std::string_view::npos) return wrong();
  auto const scheme = text.substr(0, scheme_end);
  auto const slash = text.rfind('/');
  if ((scheme != "nats" && scheme != "tls") || slash < scheme_end + 3) return wrong();
  NatsAddress address{.servers = {}, .stream = std::string{text.substr(slash + 1)}};
  if (address.stream.empty() || address.stream.find_first_of(". *>\t") != std::string::npos) return wrong();
  auto rest = text.substr(scheme_end + 3, slash - scheme_end - 3);
  while (!rest.empty()) {
    auto const comma = std::min(rest.find(','), rest.size());
    if (comma == 0) return wrong();
    address.servers.push_back(std::string{scheme} + "://" + std::string{rest.substr(0, comma)});
    rest = rest.substr(std::min(comma + 1, rest.size()));
  }
  if (address.servers.empty()) return wrong();
  return address;
}

std::unique_ptr<SharedLog> make_nats_log(NatsOptions options) {
  return std::make_unique<NatsLog>(std::move(options));
}

}  // namespace whence::store
