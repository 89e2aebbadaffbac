#pragma once
// Counting events and checking their order without parsing JSON, which would cost more than the server's part.

#include <charconv>
#include <cstdint>
#include <stdexcept>
#include <string_view>

namespace whence::bench {

/// Calls `on_event(tx)` for each event of a notification; for other messages nothing. An event begins with its `tx`,
/// and nothing else within a notification of events does.
template <class F>
void for_each_event(std::string_view message, F&& on_event) {
  constexpr std::string_view opening = R"({"tx":)";
  if (!message.starts_with(R"({"jsonrpc":"2.0","method":"event")")) return;
  for (std::size_t at = message.find(opening); at != std::string_view::npos; at = message.find(opening, at)) {
    at += opening.size();
    std::uint64_t tx = 0;
    std::from_chars(message.data() + at, message.data() + message.size(), tx);
    on_event(tx);
  }
}

[[nodiscard]] inline bool is_notification(std::string_view message, std::string_view method) {
  constexpr std::string_view head = R"({"jsonrpc":"2.0","method":")";
  return message.starts_with(head) && message.substr(head.size()).starts_with(method);
}

/// Counts one subscription's events. Throws std::runtime_error if a transaction comes after a later one.
class EventCounter {
 public:
  void take(std::string_view message) {
    for_each_event(message, [this](std::uint64_t tx) {
      if (tx < tx_) throw std::runtime_error("a transaction came after a later one");
      tx_ = tx;
      ++events_;
    });
    is_caught_up_ = is_caught_up_ || is_notification(message, "$/caught_up");
    is_lagged_ = is_lagged_ || is_notification(message, "$/lagged");
  }

  [[nodiscard]] std::uint64_t events() const { return events_; }
  [[nodiscard]] bool is_caught_up() const { return is_caught_up_; }  ///< ever
  [[nodiscard]] bool is_lagged() const { return is_lagged_; }        ///< ever

 private:
  std::uint64_t events_ = 0;
  std::uint64_t tx_ = 0;
  bool is_caught_up_ = false;
  bool is_lagged_ = false;
};

}  // namespace whence::bench
