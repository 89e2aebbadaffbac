#pragma once
// Who made the responses of an export, learnt while their entities are written, so that their records are read once.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace whence::exports {

/// Some pairs of an agent and a model, numbered as they come. Most stores have a few.
class Makers {
 public:
  static constexpr std::size_t size_max = 1024;

  /// The number of a pair; nothing where there is no room for another.
  std::optional<std::uint32_t> place_of(std::string_view agent, std::string_view model) {
    if (last_ < pairs_.size() && pairs_[last_].first == agent && pairs_[last_].second == model) return last_;
    auto pair = std::pair(std::string(agent), std::string(model));
    auto const found = places_.find(pair);
    if (found != places_.end()) return last_ = found->second;
    if (pairs_.size() == size_max) return std::nullopt;
    last_ = static_cast<std::uint32_t>(pairs_.size());
    places_.emplace(pair, last_);
    pairs_.push_back(std::move(pair));
    return last_;
  }

  [[nodiscard]] std::pair<std::string, std::string> const& at(std::uint32_t place) const { return pairs_[place]; }

 private:
  std::vector<std::pair<std::string, std::string>> pairs_ = {};
  std::map<std::pair<std::string, std::string>, std::uint32_t> places_ = {};
  std::uint32_t last_ = 0;
};

/// The agents of responses and the users of feedback, each once, in the order in which they came first.
class Agents {
 public:
  struct Agent {
    bool is_person;
    std::string const* name;
  };

  void add(bool is_person, std::string_view name) {
    auto& known = is_person ? persons_ : programs_;
    if (!name.empty() && !known.contains(name)) all_.push_back({is_person, &*known.emplace(name).first});
  }
  [[nodiscard]] std::vector<Agent> const& all() const noexcept { return all_; }

 private:
  std::set<std::string, std::less<>> persons_ = {};
  std::set<std::string, std::less<>> programs_ = {};
  std::vector<Agent> all_ = {};
};

}  // namespace whence::exports
