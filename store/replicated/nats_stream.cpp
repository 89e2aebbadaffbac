// The place of a store's head is found by bisection over the labels of messages, since the bases of groups never
// decrease. The group there must then be the one that the store ends with.

#include "store/replicated/nats_stream.hpp"

#include "store/replicated/group_parts.hpp"
#include "store/replicated/nats_publisher.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <thread>
#include <utility>
#include <vector>

namespace whence::store {
namespace {

using schema::TxId;

constexpr std::int64_t header_bytes = 1024;  // more than the headers of a part take
constexpr std::int64_t reconnect_wait_ms = 100;
// Servers that have just started may not have found each other: before it is asked again.
constexpr std::chrono::milliseconds placement_wait{100};

jsOptions waiting(std::chrono::milliseconds time) {
  jsOptions options;
  jsOptions_Init(&options);
  options.Wait = time.count();
  return options;
}

Error no_group(std::uint64_t sequence) {
  return {Errc::corrupt, "message " + std::to_string(sequence) + " of the log is no group"};
}

}  // namespace

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

NatsStream::NatsStream(NatsOptions options, jsPubAckHandler answered, void* closure)
    : options_(std::move(options)),
      subject_("whence." + options_.address.stream),
      answered_(answered),
      closure_(closure) {}

NatsStream::~NatsStream() {
  close();
}

void NatsStream::close() {
  if (connection_) natsConnection_Close(connection_.get());
}

Result<void> NatsStream::connect() {
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
  if (status == NATS_OK) status = set_credentials(made);
  if (status != NATS_OK) return Error{Errc::invalid_params, "the address of the log: " + text_of(status)};
  natsConnection* connection = nullptr;
  status = natsConnection_Connect(&connection, made);
  if (status != NATS_OK) return silent("connecting", status);
  connection_.reset(connection);
  jsOptions js_options;
  jsOptions_Init(&js_options);
  js_options.Wait = options_.wait.count();
  js_options.PublishAsync.AckHandler = answered_;
  js_options.PublishAsync.AckHandlerClosure = closure_;
  jsCtx* context = nullptr;
  status = natsConnection_JetStream(&context, connection_.get(), &js_options);
  if (status != NATS_OK) return silent("JetStream", status);
  context_.reset(context);
  visible_connection_ = connection;
  heard();
  return {};
}

natsStatus NatsStream::set_credentials(natsOptions* options) const {
  auto const given = [](std::string const& file) { return file.empty() ? nullptr : file.c_str(); };
  natsStatus status = NATS_OK;
  if (!options_.user.empty()) {
    std::ifstream file{options_.password};
    std::string password;
    if (!std::getline(file, password)) return NATS_INVALID_ARG;
    status = natsOptions_SetUserInfo(options, options_.user.c_str(), password.c_str());
  }
  if (status == NATS_OK && !options_.credentials.empty())
    status = natsOptions_SetUserCredentialsFromFiles(options, given(options_.credentials), nullptr);
  if (status == NATS_OK && !options_.nkey.empty())
    status = natsOptions_SetNKeyFromSeed(options, options_.nkey.c_str(), options_.nkey_seed.c_str());
  if (status == NATS_OK && !options_.ca.empty())
    status = natsOptions_LoadCATrustedCertificates(options, given(options_.ca));
  if (status == NATS_OK && !options_.certificate.empty())
    status = natsOptions_LoadCertificatesChain(options, given(options_.certificate), given(options_.key));
  return status;
}

bool NatsStream::is_connected() const {
  auto* const connection = visible_connection_.load();
  return connection != nullptr && natsConnection_Status(connection) == NATS_CONN_STATUS_CONNECTED;
}

Result<NatsStreamInfo> NatsStream::info(Missing missing, std::chrono::milliseconds wait) {
  jsStreamInfo* info = nullptr;
  auto options = waiting(wait);
  auto code = static_cast<jsErrCode>(0);
  auto const status = js_GetStreamInfo(&info, context_.get(), options_.address.stream.c_str(), &options, &code);
  if (status == NATS_OK) {
    heard();
    return NatsStreamInfo{info};
  }
  bool const is_missing = code == JSStreamNotFoundErr || status == NATS_NOT_FOUND;
  if (is_missing && missing == Missing::is_made) return make();
  if (is_missing) return Error{Errc::not_found, "there is no stream " + options_.address.stream};
  return silent("the stream " + options_.address.stream, status, code);
}

Result<NatsStreamInfo> NatsStream::make() {
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
  auto const until = std::chrono::steady_clock::now() + options_.wait;
  for (;;) {
    jsStreamInfo* info = nullptr;
    auto code = static_cast<jsErrCode>(0);
    auto const status = js_AddStream(&info, context_.get(), &config, nullptr, &code);
    if (status == NATS_OK) return NatsStreamInfo{info};
    if (code == JSClusterNoPeersErr && std::chrono::steady_clock::now() < until) {
      std::this_thread::sleep_for(placement_wait);
      continue;
    }
    if (code != JSStreamReplicasNotSupportedErr || options_.replicas > 1 || config.Replicas == 1)
      return silent("making the stream " + options_.address.stream, status, code);
    config.Replicas = 1;  // a server alone
  }
}

Result<NatsMessage> NatsStream::read(std::uint64_t sequence, std::chrono::milliseconds wait) {
  natsMsg* message = nullptr;
  auto options = waiting(wait);
  auto code = static_cast<jsErrCode>(0);
  auto const status = js_GetMsg(&message, context_.get(), options_.address.stream.c_str(), sequence, &options, &code);
  if (status == NATS_OK) return NatsMessage{message};
  if (code == JSNoMessageFoundErr)
    return Error{Errc::corrupt, "the replicated log lacks its message " + std::to_string(sequence)};
  return silent("message " + std::to_string(sequence), status, code);
}

Result<std::optional<MessageLabel>> NatsStream::label_of(std::uint64_t sequence) {
  auto const message = read(sequence);
  if (!message) return message.error();
  return read_label(message->get());
}

/// The bases of messages never decrease, not even those of parts that were interrupted and are void. Messages that no
/// node has written have none: they count as those after them.
Result<NatsStream::Place> NatsStream::find_place(TxId head, SharedLog::CheckHead const& check, std::uint64_t first,
                                                 std::uint64_t last) {
  if (first == 0 || first > last) return Place{.position = last};  // empty
  std::uint64_t low = first;
  std::uint64_t high = last + 1;
  while (low < high) {  // the first message whose group begins at or after the head
    auto const middle = low + (high - low) / 2;
    auto at = middle;
    auto label = label_of(at);
    while (label && !*label && at + 1 < high) label = label_of(++at);
    if (!label) return label.error();
    *label && (*label)->base < head ? low = at + 1 : high = middle;
  }
  auto const shown_head = std::to_string(schema::number(head));
  auto own = low;  // behind the last message of a node before `low`
  Result<std::optional<MessageLabel>> before = std::optional<MessageLabel>{};
  while (own > first && before && !*before) before = label_of(--own);
  if (!before) return before.error();
  if (*before) {
    auto const& label = **before;
    bool const made_head = label.head == head && label.part.number == label.part.count;
    if (!made_head) {
      return Error{Errc::conflict,
                   "the replicated log ends before transaction " + shown_head + ", which this store has"};
    }
    Place const place{.group = own + 1 - label.part.count, .position = low - 1};
    if (auto checked = check_group(place.group, label.part.count, check); !checked) return checked.error();
    return place;
  }
  Result<std::optional<MessageLabel>> next = std::optional<MessageLabel>{};
  for (auto at = low; at <= last && next && !*next; ++at) next = label_of(at);
  if (!next) return next.error();
  if (!*next && head != TxId{0})
    return Error{Errc::conflict, "the replicated log has no group, and this store ends with transaction " + shown_head};
  if (!*next || (*next)->base == head) return Place{.position = low - 1};
  return Error{Errc::resume_impossible, "the replicated log begins after transaction " +
                                            std::to_string(schema::number((*next)->base)) + "; this store ends with " +
                                            shown_head + ": restore a backup of another node"};
}

Result<void> NatsStream::check_group(std::uint64_t first, std::uint32_t parts, SharedLog::CheckHead const& check) {
  GroupAssembly assembly;
  for (std::uint64_t sequence = first; sequence < first + parts; ++sequence) {
    auto const message = read(sequence);
    if (!message) return message.error();
    auto const label = read_label(message->get());
    if (!label) return no_group(sequence);
    if (auto const group = assembly.add(label->part, bytes_of(message->get()))) return check(*group);
  }
  return Error{Errc::corrupt, "the group at message " + std::to_string(first) + " of the log is not whole"};
}

Result<void> NatsStream::remove_before(std::uint64_t sequence) {
  auto purge = waiting(options_.wait);
  purge.Stream.Purge.Sequence = sequence;
  auto code = static_cast<jsErrCode>(0);
  auto const status = js_PurgeStream(context_.get(), options_.address.stream.c_str(), &purge, &code);
  if (status != NATS_OK) return silent("removing messages", status, code);
  heard();
  return {};
}

Error NatsStream::silent(std::string const& what, natsStatus status, jsErrCode code) {
  is_answering_ = false;
  return {.code = Errc::busy,
          .message = "the replicated log does not answer: " + what + ": " + text_of(status, code),
          .retry_after_ms = 500};
}

void NatsStream::heard() {
  heard_ = Clock::now().time_since_epoch();
  is_answering_ = true;
}

std::size_t NatsStream::part_bytes_max() const {
  auto const room = natsConnection_GetMaxPayload(connection_.get()) - header_bytes;
  return static_cast<std::size_t>(std::max<std::int64_t>(room, header_bytes));
}

double NatsStream::silence() const {
  auto const heard = heard_.load();
  if (heard == Clock::duration{}) return 0;
  return std::chrono::duration<double>(Clock::now().time_since_epoch() - heard).count();
}

}  // namespace whence::store
