#include "store/replicated/nats_publisher.hpp"

#include <algorithm>
#include <new>
#include <utility>

namespace whence::store {
void NatsPublisher::send(jsCtx& context, std::size_t part_bytes_max, OutgoingGroup const& group, std::uint64_t after) {
  std::string before;
  std::size_t const begin = groups_.empty() ? 0 : groups_.back().end;
  {
    std::lock_guard const lock(mutex_);
    if (groups_.empty()) {
      after_ = after;
    } else {
      before = parts_.back().id;
    }
  }
  auto const pieces = cut(group.bytes, part_bytes_max);
  PartName name{.group = random_name(), .count = static_cast<std::uint32_t>(pieces.size())};
  groups_.push_back({begin, begin + pieces.size()});
  for (auto const piece : pieces) {
    auto const id = to_text(name);
    send_part(context, message_of(group, id, piece), id, before);
    before = id;
    ++name.number;
  }
}

NatsMessage NatsPublisher::message_of(OutgoingGroup const& group, std::string const& id,
                                      std::span<std::byte const> bytes) const {
  natsMsg* made = nullptr;
  auto status = natsMsg_Create(&made, subject_.c_str(), nullptr, reinterpret_cast<char const*>(bytes.data()),
                               static_cast<int>(bytes.size()));
  NatsMessage message{made};
  auto const moment = std::to_string(schema::number(group.base)) + '/' + std::to_string(schema::number(group.head));
  if (status == NATS_OK) status = natsMsgHeader_Set(made, nats_header::part, id.c_str());
  if (status == NATS_OK) status = natsMsgHeader_Set(made, nats_header::moment, moment.c_str());
  if (status != NATS_OK) throw std::bad_alloc{};
  return message;
}

void NatsPublisher::send_part(jsCtx& context, NatsMessage message, std::string const& id, std::string const& before) {
  jsPubOptions conditions;
  jsPubOptions_Init(&conditions);
  conditions.MsgId = id.c_str();
  if (!before.empty()) {
    conditions.ExpectLastMsgId = before.c_str();
  } else if (after_ == 0) {
    conditions.ExpectNoMessage = true;
  } else {
    conditions.ExpectLastSeq = after_;
  }
  {
    std::lock_guard const lock(mutex_);
    parts_.push_back({id, std::nullopt});
    ++unanswered_;
  }
  auto* given = message.release();
  auto const status = js_PublishMsgAsync(&context, &given, &conditions);
  NatsMessage const left{given};  // where it was not taken
  if (status != NATS_OK) take(id.c_str(), {.status = status});
}

void NatsPublisher::take_answer(jsCtx*, natsMsg* message, jsPubAck* accepted, jsPubAckErr* failure, void* closure) {
  NatsMessage const owned{message};
  char const* id = nullptr;
  if (natsMsgHeader_Get(message, nats_header::part, &id) != NATS_OK) return;
  Answer answer;
  if (accepted != nullptr) {
    answer.sequence = accepted->Sequence;
  } else {
    answer.status = failure->Err;
    answer.code = failure->ErrCode;
  }
  NatsCallee<NatsPublisher>::call(closure, [&](NatsPublisher& self) { self.take(id, answer); });
}

/// Answers to what was settled without them are dropped.
void NatsPublisher::take(char const* id, Answer const& answer) {
  std::lock_guard const lock(mutex_);
  auto const part = std::ranges::find(parts_, id, &Part::id);
  if (part == parts_.end() || part->answer) return;
  part->answer = answer;
  if (--unanswered_ == 0) answered_.notify_one();
}

NatsPublisher::Settled NatsPublisher::settle(std::chrono::milliseconds wait) {
  std::unique_lock lock(mutex_);
  answered_.wait_for(lock, wait, [&] { return unanswered_ == 0; });
  Settled settled;
  for (auto const& group : std::exchange(groups_, {})) {
    settled.groups.push_back(fate_of(group));
    if (settled.groups.back().what != Publication::accepted) continue;
    // It is there, so all before it are, answered or not.
    for (auto& earlier : settled.groups) earlier = {Publication::accepted, {}};
    settled.last = parts_[group.end - 1].answer->sequence;
    if (settled.last != after_ + group.end) {  // never from a server that keeps its conditions
      for (auto& each : settled.groups) each = {Publication::unknown, "the stream has numbered it otherwise"};
      settled.last = 0;
    }
  }
  settled.is_without_leader = settled.last == 0 && !parts_.empty() && parts_.front().answer &&
                              parts_.front().answer->status == NATS_NO_RESPONDERS;
  parts_.clear();
  unanswered_ = 0;
  return settled;
}

void NatsPublisher::forget() {
  std::lock_guard const lock(mutex_);
  groups_.clear();
  parts_.clear();
  unanswered_ = 0;
}

/// By its own answers. With the mutex held.
Published NatsPublisher::fate_of(Group const& group) const {
  for (auto i = group.begin; i < group.end; ++i) {
    auto const& answer = parts_[i].answer;
    if (!answer) return {Publication::unknown, text_of(NATS_TIMEOUT)};
    if (answer->sequence != 0) continue;
    bool const is_refused = answer->code == JSStreamWrongLastSequenceErr || answer->code == JSStreamWrongLastMsgIDErr;
    return {is_refused ? Publication::refused : Publication::unknown, text_of(answer->status, answer->code)};
  }
  return {Publication::accepted, {}};
}

}  // namespace whence::store
