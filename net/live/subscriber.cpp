// The queue between the feed and one subscription.

#include "net/live/subscriber.hpp"

namespace whence::net {

bool QueueBytes::try_take(std::size_t bytes) {
  std::lock_guard const lock(mutex_);
  auto const before = held_.bytes();
  if (before == 0) {
    held_.set(bytes);
    return true;
  }
  return before + bytes <= bytes_max && held_.try_set(before + bytes);
}

void QueueBytes::give_back(std::size_t bytes) {
  std::lock_guard const lock(mutex_);
  held_.set(held_.bytes() - bytes);
}

Subscriber::Subscriber(queries::Match match, queries::EventParts parts, std::shared_ptr<QueueBytes> queued,
                       std::shared_ptr<PeerMemory> memory, std::function<void()> wake)
    : match_(std::move(match)),
      parts_(parts),
      queued_(std::move(queued)),
      wake_(std::move(wake)),
      memory_(std::move(memory)),
      walks_(memory_) {}

bool Subscriber::try_hold(std::size_t bytes) {
  std::lock_guard const lock(mutex_);
  return walks_.try_set(bytes);
}

void Subscriber::hold(std::size_t bytes) {
  std::lock_guard const lock(mutex_);
  walks_.set(bytes);
}

Subscriber::~Subscriber() {
  drop_all();
}

void Subscriber::drop_all() {
  for (auto const& delivery : deliveries_) queued_->give_back(delivery.texts->bytes());
  deliveries_.clear();
}

bool Subscriber::put(Delivery delivery) {
  bool has_room = true;
  {
    std::lock_guard const lock(mutex_);
    if (overflowed_after_) return false;
    has_room = queued_->try_take(delivery.texts->bytes());
    if (has_room) {
      deliveries_.push_back(std::move(delivery));
    } else {
      auto const& first = deliveries_.empty() ? delivery : deliveries_.front();
      overflowed_after_ = schema::TxId{number(first.texts->tx()) - 1};
      drop_all();
    }
    if (!needs_wake()) return has_room;
  }
  wake_();
  return has_room;
}

void Subscriber::fall_back(schema::TxId position) {
  {
    std::lock_guard const lock(mutex_);
    if (overflowed_after_) return;
    overflowed_after_ = deliveries_.empty() ? position : schema::TxId{number(deliveries_.front().texts->tx()) - 1};
    drop_all();
    if (!needs_wake()) return;
  }
  wake_();
}

void Subscriber::close() {
  std::lock_guard const lock(mutex_);
  if (!overflowed_after_) overflowed_after_ = schema::TxId{0};
  is_awake_ = true;
  drop_all();
}

std::optional<Delivery> Subscriber::take() {
  std::lock_guard const lock(mutex_);
  is_awake_ = false;
  if (deliveries_.empty()) return std::nullopt;
  auto delivery = std::move(deliveries_.front());
  deliveries_.pop_front();
  queued_->give_back(delivery.texts->bytes());
  return delivery;
}

bool Subscriber::is_empty() const {
  std::lock_guard const lock(mutex_);
  return deliveries_.empty() && !overflowed_after_;
}

std::optional<schema::TxId> Subscriber::overflowed_after() const {
  std::lock_guard const lock(mutex_);
  return overflowed_after_;
}

}  // namespace whence::net
