#pragma once
// The records of a history whose contents were gone when it was exported, while the event by which they went came after
// its end: an export of a past moment has such. Without that event an import would hold what nobody said.

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/object.hpp>

namespace whence::tools {

class GoneRecords {
 public:
  /// Takes the events of a history in their order.
  void take(boost::json::object const& event);

  [[nodiscard]] std::size_t count() const noexcept { return count_; }

  /// Lines by which they go, right after transaction `tx`, whose time they have: a transaction of those that expired
  /// and one of those that were purged, as far as there are such.
  [[nodiscard]] std::vector<std::string> lines_after(std::uint64_t tx, std::string_view at) const;

 private:
  /// A node that had the ref.
  struct Life {
    std::uint64_t put;  ///< the transaction that wrote it
    bool is_purged = false;
    bool is_pending = false;
    bool is_deleted = false;
  };

  std::map<std::string, std::vector<Life>> lives_ = {};  // by ref: those of which a content was gone; the last is now
  std::size_t count_ = 0;                                // of the pending ones
};

}  // namespace whence::tools
