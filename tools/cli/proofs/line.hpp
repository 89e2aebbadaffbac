#pragma once
// A line of a history held against the leaf of the log that it is of.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

namespace whence::tools {

/// An event that a bundle proves, with the contents that it commits to as far as they are shown.
struct ProvenEvent {
  boost::json::object line = {};
  std::vector<boost::json::object> contents = {};  ///< in the order in which they were written
  bool is_open = true;                             ///< whether none is withheld or gone
};

/// Compares lines with their leaves, in the order of the log: what an update is shown with was recorded before it.
class LineCheck {
 public:
  /// What `line` says otherwise than was recorded, as a part of a sentence; nothing where it is the same.
  [[nodiscard]] std::optional<std::string_view> find_difference(ProvenEvent const& leaf,
                                                                boost::json::object const& line);

  /// Lines whose record is the one that was committed to.
  [[nodiscard]] std::uint64_t records() const noexcept { return records_; }

 private:
  struct Known {
    std::vector<boost::json::object> contents = {};
    boost::json::array units = {};  ///< of a response, as they were shown last
    bool has_first = false;         ///< what was written before is here
  };

  [[nodiscard]] bool may_be_gone(ProvenEvent const& leaf, boost::json::object const& line) const;
  void note_end(boost::json::object const& line);
  [[nodiscard]] bool are_its_units(boost::json::object const& line, boost::json::object const& record);
  [[nodiscard]] bool is_its_record(ProvenEvent const& leaf, boost::json::object const& shown);

  std::unordered_map<std::string, Known> known_ = {};
  std::unordered_set<std::string> gone_ = {};  ///< refs
  std::uint64_t records_ = 0;
};

}  // namespace whence::tools
