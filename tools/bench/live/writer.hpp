#pragma once
// The event sources of live subscribers: a store with a history, and a client that writes to a server.

#include "tools/bench/live/socket.hpp"

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace whence::bench {

/// What a subscription includes. The history has records whose events are then about 250 bytes.
enum class EventForm : std::uint8_t {
  edges,   ///< responses of one use each
  record,  ///< context units
};
[[nodiscard]] std::string_view name(EventForm form);

/// A store of `events` records, a multiple of 100, in transactions of 100: one event each.
void write_history(std::string const& directory, EventForm form, std::uint32_t events);

/// A request that writes `count` context units, numbered from `first`.
[[nodiscard]] std::string write_request(std::uint32_t first, std::uint32_t count);
/// Requests that write `count` units together, from `first` on, `per_batch` at a time.
[[nodiscard]] std::vector<std::string> write_requests(std::uint32_t first, std::uint32_t count,
                                                      std::uint32_t per_batch);

/// A connection that writes: requests are sent in turn, `in_flight` of them at most without their answer.
class LiveWriter {
 public:
  using Moment = std::chrono::steady_clock::time_point;

  /// `requests` outlive it.
  LiveWriter(std::uint16_t port, std::vector<std::string> const& requests, unsigned in_flight);

  [[nodiscard]] LiveSocket& socket() { return socket_; }
  void start();
  /// Waits for answers and sends the next requests. Throws std::runtime_error if a write is refused.
  void receive();
  [[nodiscard]] bool is_done() const { return answered_ == requests_.size(); }
  /// When the request of that number, from 0, was sent.
  [[nodiscard]] Moment sent_at(std::size_t number) const { return sent_at_.at(number); }

 private:
  void send_next();

  LiveSocket socket_;
  std::vector<std::string> const& requests_;
  unsigned in_flight_;
  std::size_t answered_ = 0;
  std::vector<Moment> sent_at_;
};

}  // namespace whence::bench
