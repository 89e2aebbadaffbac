// Publishes with an answer for each message or for all together, and reads everything back with the same kind of
// consumer as the log.

#include "tools/bench/replicated/stream.hpp"

#include "tools/bench/report.hpp"

#include <array>
#include <atomic>
#include <stdexcept>

#include <nats/nats.h>

namespace whence::bench {
namespace {

constexpr std::int64_t wait_ms = 30'000;

void require(natsStatus status, char const* what) {
  if (status != NATS_OK) throw std::runtime_error(std::string{what} + ": " + natsStatus_GetText(status));
}

/// On a thread of libnats.
void count_message(natsConnection*, natsSubscription*, natsMsg* message, void* counter) {
  ++*static_cast<std::atomic<std::uint64_t>*>(counter);
  natsMsg_Destroy(message);
}

}  // namespace

BareStream::BareStream(std::vector<std::string> const& urls, std::string name)
    : name_(std::move(name)), subject_("whence." + name_) {
  natsOptions* options = nullptr;
  require(natsOptions_Create(&options), "options");
  std::vector<char const*> servers;
  for (auto const& each : urls) servers.push_back(each.c_str());
  auto status = natsOptions_SetServers(options, servers.data(), static_cast<int>(servers.size()));
  if (status == NATS_OK) status = natsConnection_Connect(&connection_, options);
  natsOptions_Destroy(options);
  require(status, "connecting");
  jsOptions js_options;
  jsOptions_Init(&js_options);
  js_options.Wait = wait_ms;
  require(natsConnection_JetStream(&context_, connection_, &js_options), "JetStream");
  jsStreamInfo* info = nullptr;
  jsStreamConfig config;
  jsStreamConfig_Init(&config);
  std::array<char const*, 1> subjects{subject_.c_str()};
  config.Name = name_.c_str();
  config.Subjects = subjects.data();
  config.SubjectsLen = 1;
  config.Replicas = static_cast<std::int64_t>(urls.size());
  if (js_GetStreamInfo(&info, context_, name_.c_str(), nullptr, nullptr) != NATS_OK)
    require(js_AddStream(&info, context_, &config, nullptr, nullptr), "making the stream");
  jsStreamInfo_Destroy(info);
}

BareStream::~BareStream() {
  jsCtx_Destroy(context_);
  natsConnection_Destroy(connection_);
}

StreamFigures BareStream::figures() const {
  jsStreamInfo* info = nullptr;
  require(js_GetStreamInfo(&info, context_, name_.c_str(), nullptr, nullptr), "the stream");
  auto const* const leader = info->Cluster == nullptr ? nullptr : info->Cluster->Leader;
  StreamFigures figures{info->State.Msgs, info->State.Bytes, leader == nullptr ? "" : leader};
  jsStreamInfo_Destroy(info);
  return figures;
}

void BareStream::publish(std::string const& payload) const {
  jsPubAck* acknowledgement = nullptr;
  auto const status = js_Publish(&acknowledgement, context_, subject_.c_str(), payload.data(),
                                 static_cast<int>(payload.size()), nullptr, nullptr);
  jsPubAck_Destroy(acknowledgement);
  require(status, "publishing");
}

void BareStream::publish_all(std::string const& payload, unsigned count) const {
  for (unsigned i = 0; i < count; ++i) {
    require(js_PublishAsync(context_, subject_.c_str(), payload.data(), static_cast<int>(payload.size()), nullptr),
            "publishing");
  }
  require(js_PublishAsyncComplete(context_, nullptr), "publishing");
}

double BareStream::read_rate() const {
  auto const messages = figures().messages;
  jsSubOptions options;
  jsSubOptions_Init(&options);
  options.Stream = name_.c_str();
  options.Ordered = true;
  std::atomic<std::uint64_t> came = 0;
  natsSubscription* subscription = nullptr;
  Stopwatch const watch;
  require(js_Subscribe(&subscription, context_, subject_.c_str(), count_message, &came, nullptr, &options, nullptr),
          "subscribing");
  while (came < messages) nats_Sleep(1);
  auto const seconds = watch.seconds();
  natsSubscription_Destroy(subscription);
  return static_cast<double>(messages) / seconds;
}

}  // namespace whence::bench
