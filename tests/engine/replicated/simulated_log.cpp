#include "tests/engine/replicated/simulated_log.hpp"

#include <algorithm>
#include <utility>

namespace whence::test {

using store::Publication;
using store::Published;

class SimulatedLog::End final : public store::SharedLog {
 public:
  explicit End(SimulatedLog& log) : log_{log} {}
  ~End() override {
    std::lock_guard const lock(log_.mutex_);
    log_.arrivals_.erase(this);
  }

  Result<void> start_after(schema::TxId head, CheckHead check) override {
    std::lock_guard const lock(log_.mutex_);
    auto const& groups = log_.groups_;
    auto const first = groups.begin() + static_cast<std::ptrdiff_t>(log_.trimmed_);
    auto const made = std::find_if(first, groups.end(),
                                   [&](Group const& each) { return each.head == head && each.base < each.head; });
    if (made != groups.end()) {
      position_ = static_cast<std::size_t>(made - groups.begin()) + 1;
      return check(made->bytes);
    }
    if (first != groups.end() && first->base > head)
      return Error{Errc::resume_impossible, "what follows is not in the log any more"};
    position_ = log_.trimmed_;
    return {};
  }

  Result<std::optional<std::vector<std::byte>>> next(std::chrono::milliseconds) override {
    std::lock_guard const lock(log_.mutex_);
    log_.deliver_late();
    auto const& groups = log_.groups_;
    if (position_ > log_.trimmed_ && log_.happens(log_.faults_.repeated))
      return std::optional{groups[position_ - 1].bytes};
    if (position_ == groups.size() || log_.happens(log_.faults_.slow)) return std::optional<std::vector<std::byte>>{};
    return std::optional{groups[position_++].bytes};
  }

  void give_up() override {}

  void send(store::OutgoingGroup const& group) override {
    std::unique_lock lock(log_.mutex_);
    Expected const expected{position_ + sent_.size(), last_sent_};
    last_sent_ = ++log_.last_id_;
    Group sent{{group.bytes.begin(), group.bytes.end()}, group.base, group.head, last_sent_};
    sent_.push_back(log_.publish(std::move(sent), expected));
    auto const told = log_.sent_;
    lock.unlock();
    if (told) told();
  }

  std::vector<Published> settle() override {
    std::lock_guard const lock(log_.mutex_);
    last_sent_ = 0;
    auto sent = std::exchange(sent_, {});
    if (log_.expects_places_only_ && sent.front().what != Publication::accepted) return sent;
    // A group that was accepted shows that those before it are there, answered or not.
    auto const last =
        std::find_if(sent.rbegin(), sent.rend(), [](auto const& each) { return each.what == Publication::accepted; });
    std::fill(last, sent.rend(), Published{Publication::accepted, {}});
    position_ += static_cast<std::size_t>(sent.rend() - last);
    return sent;
  }

  Result<bool> is_at_end() override {
    std::lock_guard const lock(log_.mutex_);
    if (log_.happens(log_.faults_.silent)) return Error{Errc::busy, "the log does not answer"};
    if (log_.faults_.stale > 0 && log_.happens(log_.faults_.stale)) return true;
    return position_ == log_.groups_.size();
  }

  void on_arrival(std::function<void()> arrived) override {
    std::lock_guard const lock(log_.mutex_);
    log_.arrivals_[this] = std::move(arrived);
  }

  [[nodiscard]] std::string name() const override { return "simulated"; }
  void introduce(store::Introduction) override {}
  void announce_tree(schema::proof::TreeHead const&) override {}
  [[nodiscard]] store::SharedLogPicture picture() const override { return {}; }

  [[nodiscard]] store::SharedLogFigures figures() const override {
    std::lock_guard const lock(log_.mutex_);
    return {.is_connected = true, .position = position_, .last = log_.groups_.size(), .refused = log_.refused_};
  }

 private:
  SimulatedLog& log_;
  std::size_t position_ = 0;
  std::vector<Published> sent_;
  std::uint64_t last_sent_ = 0;  // id of the last of them; 0: none
};

void SimulatedLog::set(LogFaults const& faults) {
  std::lock_guard const lock(mutex_);
  faults_ = faults;
  deliver_late();
  tell_all();
}

std::unique_ptr<store::SharedLog> SimulatedLog::connect() {
  return std::make_unique<End>(*this);
}

void SimulatedLog::trim(std::size_t count) {
  std::lock_guard const lock(mutex_);
  trimmed_ = std::max(trimmed_, count);
}

void SimulatedLog::damage(std::size_t index) {
  std::lock_guard const lock(mutex_);
  auto& bytes = groups_.at(index).bytes;
  bytes[bytes.size() / 2] ^= std::byte{1};
}

std::size_t SimulatedLog::size() const {
  std::lock_guard const lock(mutex_);
  return groups_.size();
}

std::uint64_t SimulatedLog::refused() const {
  std::lock_guard const lock(mutex_);
  return refused_;
}

void SimulatedLog::on_send(std::function<void()> sent) {
  std::lock_guard const lock(mutex_);
  sent_ = std::move(sent);
}

Published SimulatedLog::publish(Group group, Expected const& expected) {
  deliver_late();
  if (happens(faults_.lost)) return {Publication::unknown, "lost"};
  if (happens(faults_.late)) {
    late_.push_back({std::move(group), expected});
    return {Publication::unknown, "late"};
  }
  if (!append(std::move(group), expected)) return {Publication::refused, "wrong last group"};
  if (happens(faults_.unanswered)) return {Publication::unknown, "unanswered"};
  return {Publication::accepted, {}};
}

/// Some of those that are on their way, in any order.
void SimulatedLog::deliver_late() {
  std::shuffle(late_.begin(), late_.end(), random_);
  while (!late_.empty() && (faults_.late == 0 || happens(0.5))) {
    auto each = std::move(late_.back());
    late_.pop_back();
    append(std::move(each.group), each.expected);
  }
}

bool SimulatedLog::append(Group group, Expected const& expected) {
  bool const is_expected = expected.group == 0 || expects_places_only_
                               ? groups_.size() == expected.place
                               : !groups_.empty() && groups_.back().id == expected.group;
  if (!is_expected && !(faults_.forked > 0 && happens(faults_.forked))) {
    ++refused_;
    return false;
  }
  groups_.push_back(std::move(group));
  tell_all();
  return true;
}

void SimulatedLog::tell_all() {
  for (auto const& [end, arrived] : arrivals_) {
    if (arrived) arrived();
  }
}

}  // namespace whence::test
