#pragma once
// What two places say of one call, joined.

#include "net/capture/messages/message.hpp"
#include "net/capture/spans/telemetry.hpp"

#include <cstddef>
#include <functional>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace whence::net::capture {

/// Adds messages that a list has not: what two places say of one call is joined. O(1) each. No other code adds to the
/// list meanwhile.
class Joining {
 public:
  explicit Joining(std::vector<Message>& to) : to_(to) {
    for (std::size_t i = 0; i < to.size(); ++i) places_.emplace(hash_of(to[i]), i);
  }

  void add(std::vector<Message> more) {
    for (auto& each : more) {
      auto const hash = hash_of(each);
      auto const [begin, end] = places_.equal_range(hash);
      if (std::any_of(begin, end, [&](auto const& known) { return to_[known.second] == each; })) continue;
      places_.emplace(hash, to_.size());
      to_.push_back(std::move(each));
    }
  }

 private:
  static std::size_t hash_of(Message const& message) {
    std::hash<std::string_view> const hash;
    return hash(message.text) ^ (hash(message.role) * 31) ^ (hash(message.reasoning) * 17) ^
           (message.results.empty() ? 0 : hash(message.results.front().id) * 13);
  }

  std::vector<Message>& to_;
  std::unordered_multimap<std::size_t, std::size_t> places_;
};

/// Adds the messages of a span or log record with all of them in its attributes. What else it says.
[[nodiscard]] AttributeMap read_details(AttributeMap const& all, Joining& input, Joining& output);

}  // namespace whence::net::capture
