// A part is sent under the condition that the one before it is the last of the stream: a group of another node in
// between makes the server refuse all that follow. A part that was sent again and is refused may be there already, so
// its fate is unknown.

#include "store/replicated/nats_publisher.hpp"

#include <algorithm>
#include <new>
#include <utility>

namespace whence::store {
void NatsPublisher::send(jsCtx& context, std::size_t part_bytes_max, OutgoingGroup const& group, std::uint64_t after) {
  if (groups_.empty()) after_ = after;
  std::size_t const begin = groups_.empty() ? 0 : groups_.back().end;
  auto const count = cut(group.bytes, part_bytes_max).size();
  groups_.push_back({begin, begin + count});
  PartName name{.group = own_ + std::to_string(++last_name_), .count = static_cast<std::uint32_t>(count)};
  {
    std::lock_guard const lock(mutex_);
    for (; name.number <= name.count; ++name.number) parts_.push_back({to_text(name), std::nullopt});
    unanswered_ += count;
  }
  send_parts(context, part_bytes_max, group, groups_.back(), begin);
}

/// Those of the group from part `first` on.
void NatsPublisher::send_parts(jsCtx& context, std::size_t part_bytes_max, OutgoingGroup const& group,
                               Group const& parts, std::size_t first) {
  auto const pieces = cut(group.bytes, part_bytes_max);
  for (auto i = std::max(first, parts.begin); i < parts.end; ++i) {
    auto const& id = parts_[i].id;  // only this thread adds to the list
    send_part(context, message_of(group, id, pieces[i - parts.begin]), id, i == 0 ? std::string{} : parts_[i - 1].id);
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

void NatsPublisher::wait_for_answers(std::chrono::milliseconds wait) {
  std::unique_lock lock(mutex_);
  answered_.wait_for(lock, wait, [&] { return unanswered_ == 0; });
}

/// The first part that was neither taken nor refused; the end where there is none, or a refused one is before it. With
/// the mutex held.
std::size_t NatsPublisher::find_untaken() const {
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    auto const& answer = parts_[i].answer;
    if (!answer || answer->status == NATS_NO_RESPONDERS) return i;
    if (answer->sequence == 0) break;
  }
  return parts_.size();
}

bool NatsPublisher::send_again(jsCtx& context, std::size_t part_bytes_max, std::vector<OutgoingGroup> const& groups) {
  std::size_t first = 0;
  {
    std::lock_guard const lock(mutex_);
    first = find_untaken();
    if (first == parts_.size()) return false;
    if (!parts_[first].answer) is_repeated_ = true;
    for (auto i = first; i < parts_.size(); ++i) parts_[i].answer.reset();
    unanswered_ = parts_.size() - first;
  }
  for (std::size_t i = 0; i < groups_.size(); ++i) send_parts(context, part_bytes_max, groups[i], groups_[i], first);
  return true;
}

NatsPublisher::Settled NatsPublisher::settle() {
  std::lock_guard const lock(mutex_);
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
  parts_.clear();
  unanswered_ = 0;
  is_repeated_ = false;
  return settled;
}

/// By its own answers. With the mutex held.
Published NatsPublisher::fate_of(Group const& group) const {
  for (auto i = group.begin; i < group.end; ++i) {
    auto const& answer = parts_[i].answer;
    if (!answer) return {Publication::unknown, text_of(NATS_TIMEOUT)};
    if (answer->sequence != 0) continue;
    bool const is_refused = answer->code == JSStreamWrongLastSequenceErr || answer->code == JSStreamWrongLastMsgIDErr;
    return {is_refused && !is_repeated_ ? Publication::refused : Publication::unknown,
            text_of(answer->status, answer->code)};
  }
  return {Publication::accepted, {}};
}

}  // namespace whence::store
